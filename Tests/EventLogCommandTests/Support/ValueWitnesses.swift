import Foundation

/// The sizes of the types in a program, read from their value witness tables.
struct ValueWitnesses {
  /// The contents of one type's table.
  struct Table {
    /// The type's mangled name.
    var type: String
    /// The size of a value, in bytes.
    var size: Int
    var isCopyable: Bool
  }

  /// Whether the tables can be read: only ELF files are supported, since all systems have the same
  /// types.
  #if os(Linux)
    static let areReadable = BuiltProduct.path != nil
  #else
    static let areReadable = false
  #endif

  private let image: Data
  private(set) var tables: [Table] = []

  /// - Parameter path: A program with its symbols, as a little-endian ELF file of 64 bits.
  /// - Returns: Nil for a file of another kind.
  init?(of path: String) throws {
    image = try Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped)
    guard image.count > 64, image.prefix(6) == Data([0x7F, 0x45, 0x4C, 0x46, 2, 1]) else {
      return nil
    }
    let sections = sections
    for symbols in sections where symbols.isSymbols {
      let names = sections[symbols.link]
      for offset in stride(from: symbols.offset, to: symbols.offset + symbols.size, by: 24) {
        let section = Int(number(at: offset + 6, as: UInt16.self))
        guard section > 0, section < sections.count,
          let type = type(named: names.offset + Int(number(at: offset, as: UInt32.self)))
        else { continue }
        let address = Int(number(at: offset + 8, as: UInt64.self))
        add(type, at: address - sections[section].address + sections[section].offset)
      }
    }
  }

  private struct Section {
    var isSymbols: Bool
    var address: Int
    var offset: Int
    var size: Int
    /// The index of the section with the symbols' names.
    var link: Int
  }

  private var sections: [Section] {
    let start = Int(number(at: 40, as: UInt64.self))
    return (0..<Int(number(at: 60, as: UInt16.self))).map { index in
      let header = start + index * 64
      return Section(
        isSymbols: number(at: header + 4, as: UInt32.self) == 2,
        address: Int(number(at: header + 16, as: UInt64.self)),
        offset: Int(number(at: header + 24, as: UInt64.self)),
        size: Int(number(at: header + 32, as: UInt64.self)),
        link: Int(number(at: header + 40, as: UInt32.self)))
    }
  }

  private func number<Number: FixedWidthInteger>(at offset: Int, as type: Number.Type) -> Number {
    image.withUnsafeBytes {
      Number(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Number.self))
    }
  }

  /// The type of this package whose table a symbol names, or nil for other symbols.
  private func type(named offset: Int) -> String? {
    image.withUnsafeBytes { bytes -> String? in
      guard bytes[offset] == UInt8(ascii: "$"), bytes[offset + 1] == UInt8(ascii: "s"),
        let end = bytes[offset...].firstIndex(of: 0), bytes[end - 2] == UInt8(ascii: "W"),
        bytes[end - 1] == UInt8(ascii: "V")
      else { return nil }
      let name = String(decoding: bytes[offset..<end - 2], as: UTF8.self)
      return name.dropFirst(2).drop(while: \.isNumber).hasPrefix("EventLog") ? name : nil
    }
  }

  /// Reads a table: eight functions, the size, the stride, and the flags.
  private mutating func add(_ type: String, at offset: Int) {
    tables.append(
      Table(
        type: type, size: Int(number(at: offset + 64, as: UInt64.self)),
        isCopyable: number(at: offset + 80, as: UInt32.self) & 0x80_0000 == 0))
  }
}
