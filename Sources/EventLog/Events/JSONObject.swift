/// The members of a JSON object, in their original order.
public struct JSONObject: Sendable, Hashable {
  /// A name and its value.
  public struct Member: Sendable, Hashable {
    /// The name, which is compared by its UTF-8 bytes.
    public var name: String
    /// The value, which can be `null`.
    public var value: JSONValue

    /// Creates a member.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - value: The value.
    public init(name: String, value: JSONValue) {
      self.name = name
      self.value = value
    }

    /// Returns whether two members have the same name, comparing bytes, and equal values.
    public static func == (left: Member, right: Member) -> Bool {
      left.name.hasBytes(of: right.name) && left.value == right.value
    }

    /// Hashes the bytes of the name, and the value.
    public func hash(into hasher: inout Hasher) {
      for byte in name.utf8 { hasher.combine(byte) }
      hasher.combine(value)
    }
  }

  /// The members of the object.
  ///
  /// No name occurs twice.
  public private(set) var members: [Member] = []

  /// Creates an empty object.
  public init() {}

  /// Creates an object with the given members.
  ///
  /// If a name occurs more than once, the object contains the last of its values at the position of
  /// the first.
  public init(_ members: [Member]) {
    self.members.reserveCapacity(members.count)
    for member in members { self[member.name] = member.value }
  }

  package init(distinct members: [Member]) { self.members = members }

  /// Accesses the value with the given name, or `nil` if there is none.
  ///
  /// Assigning `nil` removes the member.
  ///
  /// - Complexity: O(*n*), where *n* is the number of members.
  public subscript(name: String) -> JSONValue? {
    get { members.first { $0.name.hasBytes(of: name) }?.value }
    set {
      let index = members.firstIndex { $0.name.hasBytes(of: name) }
      switch (index, newValue) {
      case (let index?, let value?): members[index].value = value
      case (let index?, nil): members.remove(at: index)
      case (nil, let value?): members.append(Member(name: name, value: value))
      case (nil, nil): break
      }
    }
  }

  /// Returns whether two objects have equal members, regardless of their order.
  public static func == (left: JSONObject, right: JSONObject) -> Bool {
    guard left.members.count == right.members.count else { return false }
    if left.members.count <= 16 {
      return left.members.allSatisfy { right[$0.name] == $0.value }
    }
    var byName: [[UInt8]: JSONValue] = [:]
    for member in right.members { byName[Array(member.name.utf8)] = member.value }
    return left.members.allSatisfy { byName[Array($0.name.utf8)] == $0.value }
  }

  /// Hashes the members, regardless of their order.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(members.reduce(0) { $0 &+ $1.hashValue })
  }

  package func write(to output: inout [UInt8]) {
    output.append(UInt8(ascii: "{"))
    var isFirst = true
    for member in members {
      if !isFirst { output.append(UInt8(ascii: ",")) }
      isFirst = false
      JSONValue.write(string: member.name.utf8, to: &output)
      output.append(UInt8(ascii: ":"))
      member.value.write(to: &output)
    }
    output.append(UInt8(ascii: "}"))
  }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  /// Creates an object with the members in the order of the literal.
  ///
  /// If a name occurs more than once, the object contains the last of its values.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self.init(elements.map { Member(name: $0.0, value: $0.1) })
  }
}
