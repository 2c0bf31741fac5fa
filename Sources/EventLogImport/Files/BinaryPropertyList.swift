import EventLog

/// Reads a property list in Apple's binary form, `bplist00`.
///
/// Objects refer to each other by number. Each reference to an object counts as a value, and a
/// cycle exceeds the nesting limit, so neither makes a small file expensive.
struct BinaryPropertyList {
  private let bytes: [UInt8]
  private var offsets: [Int] = []
  private var referenceSize = 1
  private var topObject = 0
  private var valuesLeft = PropertyList.valuesMax
  /// The strings read so far, so that repeated references share their storage.
  private var texts: [Int: String] = [:]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func top() throws(PropertyListFault) -> SourceTree {
    try readTable()
    return try object(topObject, depth: 0)
  }

  private static let trailerSize = 32

  /// Reads the offset of each object.
  private mutating func readTable() throws(PropertyListFault) {
    guard bytes.starts(with: "bplist0".utf8), bytes.count >= 8 + 1 + Self.trailerSize else {
      throw PropertyListFault(reason: "it is cut off")
    }
    let trailer = bytes.count - Self.trailerSize
    let offsetSize = Int(bytes[trailer + 6])
    referenceSize = Int(bytes[trailer + 7])
    guard (1...8).contains(offsetSize), (1...8).contains(referenceSize),
      let count = number(at: trailer + 8, size: 8), let top = number(at: trailer + 16, size: 8),
      let table = number(at: trailer + 24, size: 8), table < trailer,
      count > 0, count <= (trailer - table) / offsetSize, top < count
    else { throw PropertyListFault(reason: "it is cut off, or its end is damaged") }
    topObject = top
    offsets.reserveCapacity(count)
    for index in 0..<count {
      guard let offset = number(at: table + index * offsetSize, size: offsetSize), offset < table
      else {
        throw PropertyListFault(
          reason: "an object stands outside of it", byte: table + index * offsetSize)
      }
      offsets.append(offset)
    }
  }

  /// Returns an unsigned number; nil if it's outside of the file or doesn't fit.
  private func number(at start: Int, size: Int) -> Int? {
    guard start >= 0, size <= 8, start <= bytes.count - size else { return nil }
    let value = bytes[start..<start + size].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return Int(exactly: value)
  }

  private func cut(_ byte: Int) -> PropertyListFault {
    PropertyListFault(reason: "a value ends outside of it (byte \(byte))", byte: byte)
  }

  private mutating func object(
    _ number: Int, depth: Int
  ) throws(PropertyListFault) -> SourceTree {
    guard number < offsets.count else {
      throw PropertyListFault(reason: "it refers to an object that is not there")
    }
    let offset = offsets[number]
    if depth >= SourceTree.depthMax, bytes[offset] >= 0xA0 {
      throw PropertyListFault(reason: PropertyListFault.tooDeep, byte: offset)
    }
    if valuesLeft == 0 { throw PropertyListFault(reason: PropertyListFault.tooMany) }
    valuesLeft -= 1
    let marker = bytes[offset]
    switch marker >> 4 {
    case 0x0:
      switch marker {
      case 0x08: return .json(false)
      case 0x09: return .json(true)
      case 0x00: return .json(.null)
      default: break
      }
    case 0x1: return .json(.number(try integer(offset, size: 1 << Int(marker & 0xF))))
    case 0x2: return real(try double(offset, size: 1 << Int(marker & 0xF)))
    case 0x3: return try moment(offset)
    case 0x4:
      return .bytes(bytes[try extent(offset, unit: 1)])
    // A reference inside a keyed archive, which has no meaning elsewhere.
    case 0x8: return .bytes([])
    case 0x5, 0x6, 0x7: return .json(.string(try text(number, offset)))
    case 0xA, 0xB, 0xC:
      var trees: [SourceTree] = []
      for item in try references(offset, copies: 1) {
        trees.append(try object(item, depth: depth + 1))
      }
      return .list(trees)
    case 0xD: return try members(offset, depth: depth)
    default: break
    }
    throw PropertyListFault(
      reason: "it holds an unknown kind of value (byte \(offset))", byte: offset)
  }

  private mutating func members(
    _ offset: Int, depth: Int
  ) throws(PropertyListFault) -> SourceTree {
    let references = try references(offset, copies: 2)
    let count = references.count / 2
    var members: [(name: String, value: SourceTree)] = []
    var names: Set<[UInt8]> = []
    for index in 0..<count {
      guard case .json(.string(let name)) = try object(references[index], depth: depth + 1) else {
        throw PropertyListFault(reason: "a key is no text (byte \(offset))", byte: offset)
      }
      if !names.insert(Array(name.utf8)).inserted {
        throw PropertyListFault(reason: PropertyListFault.twice(name), byte: offset)
      }
      members.append((name, try object(references[count + index], depth: depth + 1)))
    }
    return .members(members)
  }

  // MARK: - Parts

  /// Returns the bytes of an object whose length is in its marker or in the number after it.
  private func extent(_ offset: Int, unit: Int) throws(PropertyListFault) -> Range<Int> {
    var count = Int(bytes[offset] & 0xF)
    var start = offset + 1
    if count == 0xF {
      guard start < bytes.count, bytes[start] >> 4 == 1 else { throw cut(offset) }
      let size = 1 << Int(bytes[start] & 0xF)
      guard let long = number(at: start + 1, size: size) else { throw cut(offset) }
      count = long
      start += 1 + size
    }
    guard start <= bytes.count, count <= (bytes.count - start) / unit else { throw cut(offset) }
    return start..<start + count * unit
  }

  private func references(_ offset: Int, copies: Int) throws(PropertyListFault) -> [Int] {
    let extent = try extent(offset, unit: referenceSize * copies)
    var found: [Int] = []
    for start in stride(from: extent.lowerBound, to: extent.upperBound, by: referenceSize) {
      guard let reference = number(at: start, size: referenceSize) else { throw cut(offset) }
      found.append(reference)
    }
    return found
  }

  private mutating func text(_ number: Int, _ offset: Int) throws(PropertyListFault) -> String {
    if let known = texts[number] { return known }
    let isWide = bytes[offset] >> 4 == 6
    let part = bytes[try extent(offset, unit: isWide ? 2 : 1)]
    let text: String?
    if isWide {
      let units = stride(from: part.startIndex, to: part.endIndex, by: 2).map {
        UInt16(part[$0]) << 8 | UInt16(part[$0 + 1])
      }
      text = String(validating: units, as: UTF16.self)
    } else {
      text = String(validating: part, as: UTF8.self)
    }
    guard let text else {
      throw PropertyListFault(reason: "a text is damaged (byte \(offset))", byte: offset)
    }
    texts[number] = text
    return text
  }

  private func integer(_ offset: Int, size: Int) throws(PropertyListFault) -> JSONNumber {
    guard size <= 16, offset + 1 + size <= bytes.count else { throw cut(offset) }
    let value = bytes[offset + 1..<offset + 1 + size].reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
    // Only integers of 8 and 16 bytes are signed.
    return switch size {
    case 8: JSONNumber(Int64(bitPattern: UInt64(value)))
    case 16: JSONNumber(trusted: String(Int128(bitPattern: value)))
    default: JSONNumber(trusted: String(value))
    }
  }

  private func double(_ offset: Int, size: Int) throws(PropertyListFault) -> Double {
    guard size == 4 || size == 8, offset + 1 + size <= bytes.count else { throw cut(offset) }
    let bits = bytes[offset + 1..<offset + 1 + size].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return size == 4
      ? Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits))) : Double(bitPattern: bits)
  }

  private func real(_ value: Double) -> SourceTree { .init(real: value) }

  private func moment(_ offset: Int) throws(PropertyListFault) -> SourceTree {
    guard let time = Timestamp(secondsSince2001: try double(offset, size: 8)) else {
      throw PropertyListFault(reason: "a date is outside the years 0000 to 9999", byte: offset)
    }
    return .moment(time)
  }
}

extension Timestamp {
  /// The reference date of Apple's dates, in seconds since 1970.
  private static let year2001 = 978_307_200.0

  init?(secondsSince2001 seconds: Double) { self.init(secondsSince1970: seconds + Self.year2001) }

  init?(secondsSince1970 seconds: Double) {
    guard let whole = Int64(exactly: (seconds * 1000).rounded()) else { return nil }
    self.init(milliseconds: whole)
  }
}

extension SourceTree {
  /// Creates a number with a fraction, or text if JSON has no such number.
  init(real value: Double) {
    self = .json(
      value.isFinite
        ? .number(JSONNumber(trusted: value.description)) : .string(value.description))
  }
}
