@testable import EventLog

/// Spells a line in any way that the format allows.
struct Respeller {
  var random: SplitMix64
  /// Whether to reorder the members of nested objects as well.
  ///
  /// Equality ignores the order, but a state keeps it.
  var reordersValues = false
  /// The probability of white space, and of an escape, at each position; chosen for each line.
  private var spaces = 0.0
  private var escapes = 0.0

  init(_ random: SplitMix64) { self.random = random }

  static func tree(of line: [UInt8]) throws -> JSONObject {
    guard case .object(let object) = try JSONValue(parsing: line) else {
      throw LineFault(.notAnObject, at: 0)
    }
    return object
  }

  /// The line of `tree` up to its checksum.
  mutating func covered(_ tree: JSONObject) -> [UInt8] {
    spaces = [0, 0.1, 0.5].randomElement(using: &random)!
    escapes = [0, 0.05, 0.3, 1].randomElement(using: &random)!
    var output: [UInt8] = []
    space(&output)
    output.append(UInt8(ascii: "{"))
    let members = tree.members.filter { !$0.name.utf8.elementsEqual("crc".utf8) }
    for (index, member) in members.shuffled(using: &random).enumerated() {
      if index > 0 { output.append(UInt8(ascii: ",")) }
      name(member.name, &output)
      value(member.value, reordering: member.name.utf8.elementsEqual("data".utf8), &output)
      space(&output)
    }
    return output
  }

  private mutating func chance(_ probability: Double) -> Bool {
    probability > 0 && Double.random(in: 0..<1, using: &random) < probability
  }

  private mutating func space(_ output: inout [UInt8]) {
    while chance(spaces) { output.append([0x20, 0x20, 0x09, 0x0D].randomElement(using: &random)!) }
  }

  private mutating func name(_ text: String, _ output: inout [UInt8]) {
    space(&output)
    string(text, &output)
    space(&output)
    output.append(UInt8(ascii: ":"))
    space(&output)
  }

  private mutating func value(_ value: JSONValue, reordering: Bool, _ output: inout [UInt8]) {
    switch value {
    case .string(let text): string(text, &output)
    case .array(let values):
      output.append(UInt8(ascii: "["))
      for (index, element) in values.enumerated() {
        if index > 0 { output.append(UInt8(ascii: ",")) }
        space(&output)
        self.value(element, reordering: false, &output)
        space(&output)
      }
      output.append(UInt8(ascii: "]"))
    case .object(let object):
      var members = object.members
      if reordering || reordersValues { members.shuffle(using: &random) }
      output.append(UInt8(ascii: "{"))
      for (index, member) in members.enumerated() {
        if index > 0 { output.append(UInt8(ascii: ",")) }
        name(member.name, &output)
        self.value(member.value, reordering: false, &output)
        space(&output)
      }
      output.append(UInt8(ascii: "}"))
    default: value.write(to: &output)
    }
  }

  private mutating func string(_ text: String, _ output: inout [UInt8]) {
    output.append(UInt8(ascii: "\""))
    for scalar in text.unicodeScalars {
      guard chance(escapes) else {
        for byte in UTF8.encode(scalar)! { StringSpelling.append(byte, to: &output) }
        continue
      }
      if let short = Self.short[scalar], Bool.random(using: &random) {
        output += [UInt8(ascii: "\\"), short]
        continue
      }
      for unit in UTF16.encode(scalar)! {
        let digits = String(unit, radix: 16, uppercase: Bool.random(using: &random))
        output += "\\u".utf8
        output += String(repeating: "0", count: 4 - digits.utf8.count).utf8
        output += digits.utf8
      }
    }
    output.append(UInt8(ascii: "\""))
  }

  private static let short: [Unicode.Scalar: UInt8] = [
    "\"": UInt8(ascii: "\""), "\\": UInt8(ascii: "\\"), "/": UInt8(ascii: "/"),
    "\u{8}": UInt8(ascii: "b"), "\t": UInt8(ascii: "t"), "\n": UInt8(ascii: "n"),
    "\u{C}": UInt8(ascii: "f"), "\r": UInt8(ascii: "r"),
  ]
}
