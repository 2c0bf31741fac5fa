public import EventLog

/// A description of the documents in which a user's state is published for other clients.
///
/// A layout is a value. Create it in Swift, or read it from a file. For an example, see
/// `Docs/Guides/Documents.md`.
public struct DocumentLayout: Sendable, Hashable {
  /// The documents of one section: one for each of its rows.
  public struct Rule: Sendable, Hashable {
    /// The path of a row's document, such as `users/{user}/habits/{id}`.
    ///
    /// `{user}` is the user of the document store. Any other name in braces is a member of the row.
    /// `{date.month}` and `{date.year}` are parts of a day or time. Characters that a path can't
    /// contain are percent-encoded.
    public var path: String
    /// The section, as in `eventlog project --json`, or the name of rows that the publisher
    /// computes.
    public var section: String
    /// The fields of the document with the members that they come from; all members if `nil`.
    public var fields: [Field]?
    /// The member values that a row must have to be published.
    public var conditions: [JSONObject.Member]

    /// Creates a rule.
    ///
    /// - Parameters:
    ///   - path: The path of a row's document.
    ///   - section: The section whose rows are published.
    ///   - fields: The fields of the document; all members of the row if `nil`.
    ///   - conditions: The values that some members of a row need to have.
    public init(
      path: String, section: String, fields: [Field]? = nil, where conditions: JSONObject = [:]
    ) {
      (self.path, self.section, self.fields) = (path, section, fields)
      self.conditions = conditions.members
    }
  }

  /// A field of a document, and the member that its value comes from.
  public struct Field: Sendable, Hashable {
    /// The name of the field.
    public var name: String
    /// The member of the row; if it is missing, so is the field.
    public var member: String
    /// A Boolean value that indicates whether a day or time becomes a timestamp of the database.
    ///
    /// A day is its midnight, UTC.
    public var isTimestamp: Bool

    /// Creates a field.
    ///
    /// - Parameters:
    ///   - name: The name of the field.
    ///   - member: The member of the row that it comes from.
    ///   - isTimestamp: Whether a day or time becomes a timestamp of the database.
    public init(_ name: String, from member: String, isTimestamp: Bool = false) {
      (self.name, self.member, self.isTimestamp) = (name, member, isTimestamp)
    }
  }

  /// The name of the layout, which is also that of its publishing state.
  public let name: String
  /// The version of the layout.
  ///
  /// Increase it whenever the same state results in other documents: with other rules, computed
  /// rows or schemas. Publishers of earlier versions then change nothing.
  public let version: Int
  /// The documents.
  public let rules: [Rule]
  let paths: [DocumentPath]

  /// Creates a layout.
  ///
  /// - Parameters:
  ///   - name: The name of the layout: 1 to 100 letters, digits and hyphens. A user's layouts need
  ///     different names.
  ///   - version: The version of the layout, from 1.
  ///   - rules: The documents.
  /// - Throws: `invalidSchema` for a name, version or path that can't be used.
  public init(name: String, version: Int = 1, rules: [Rule]) throws(EventLogError) {
    guard (1...100).contains(name.utf8.count), name.utf8.allSatisfy(Self.isNameByte) else {
      throw SchemaReader.refused(
        "the layout", "has an invalid name, \"\(SafeText.quote(name))\"",
        hint: "A name has 1 to 100 letters, digits and hyphens.")
    }
    guard version >= 1 else {
      throw SchemaReader.refused(
        "the layout", "has an invalid version, \(version)", hint: "The first version is 1.")
    }
    var paths: [DocumentPath] = []
    for (index, rule) in rules.enumerated() {
      let context = Self.ruleName(index, rule.section)
      paths.append(try DocumentPath(rule.path, at: context))
      for field in rule.fields ?? []
      where field.name.isEmpty || field.name.hasPrefix("__") || field.name.utf8.count > 1500 {
        throw SchemaReader.refused(
          context, "has a field that is called \"\(SafeText.quote(field.name))\"",
          hint: "A field has a name that doesn't begin with two underscores.")
      }
    }
    (self.name, self.version, self.rules, self.paths) = (name, version, rules, paths)
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
      true
    default: false
    }
  }

  /// Returns the name of a rule for errors.
  static func ruleName(_ index: Int, _ section: String) -> String {
    "documents[\(index)] \"\(SafeText.quote(section))\""
  }
}
