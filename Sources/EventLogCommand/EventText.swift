import EventLog

/// Formats events for people, from the bytes of their lines.
struct EventText {
  private let usesColor: Bool
  private var visible = VisibleBytes()

  init(_ console: Console) { usesColor = console.usesColor }

  /// Appends an event, without an LF.
  ///
  /// - Parameter showsChain: Whether to write the full ID, because the short one is ambiguous.
  mutating func write(
    _ layout: LineLayout, _ canonical: Span<UInt8>, showsChain: Bool, clock: [FullEventID] = [],
    to output: inout [UInt8]
  ) {
    guard layout.version == 1 else {
      writeID(layout, canonical, showsChain, to: &output)
      output +=
        (layout.version == 0 ? "  erased" : "  an event of format version \(layout.version)").utf8
      return
    }
    begin(.dim, &output)
    canonical.append(layout.at, to: &output)
    end(&output)
    separate(&output)
    writeID(layout, canonical, showsChain, to: &output)
    separate(&output)
    begin(.bold, &output)
    canonical.append(layout.type, to: &output)
    end(&output)
    if layout.entity.count > 0 {
      separate(&output)
      canonical.append(layout.entity, to: &output)
    }
    writeData(layout, canonical, to: &output)
    if clock.isEmpty { return }
    separate(&output)
    begin(.yellow, &output)
    output += "clock \(clock.map(\.description).joined(separator: " "))".utf8
    end(&output)
  }

  private mutating func writeData(
    _ layout: LineLayout, _ canonical: Span<UInt8>, to output: inout [UInt8]
  ) {
    // The data of most events needs no escaping.
    let isPlain = canonical.isPlainASCII(layout.data)
    for index in 0..<layout.memberCount {
      let member = layout.member(index)
      separate(&output)
      let isString = member.kind == .string
      let value = isString ? member.content : member.value
      if isPlain {
        canonical.append(member.name, to: &output)
        output.append(UInt8(ascii: "="))
        canonical.append(value, to: &output)
      } else {
        visible.append(member.name, of: canonical, isEscaped: true, to: &output)
        output.append(UInt8(ascii: "="))
        visible.append(value, of: canonical, isEscaped: isString, to: &output)
      }
    }
  }

  private func writeID(
    _ layout: LineLayout, _ canonical: Span<UInt8>, _ showsChain: Bool, to output: inout [UInt8]
  ) {
    if showsChain {
      output += FullEventID(layout, canonical).description.utf8
    } else {
      canonical.append(layout.id, to: &output)
    }
  }

  private func separate(_ output: inout [UInt8]) {
    output.append(0x20)
    output.append(0x20)
  }

  private func begin(_ style: Console.Style, _ output: inout [UInt8]) {
    if usesColor { output += style.beginning.utf8 }
  }

  private func end(_ output: inout [UInt8]) {
    if usesColor { output += Console.Style.end.utf8 }
  }
}
