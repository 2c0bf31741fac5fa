/// Receives the lines of a journal in order.
package protocol LineSink {
  /// Receives a line that is an event.
  ///
  /// The offsets in `layout` refer to `canonical`; `line` contains the bytes of the file.
  mutating func event(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition)
  /// Receives a line that isn't an event.
  mutating func fault(_ fault: LineFault, line: Span<UInt8>, at position: LinePosition)
  /// Whether the sink accepts no more lines.
  var isStopped: Bool { get }
  /// Whether a trusting scanner should read the `data` of a line, given its envelope.
  func wantsData(_ layout: LineLayout, canonical: Span<UInt8>) -> Bool
}

extension LineSink {
  package var isStopped: Bool { false }
  @inline(__always)
  package func wantsData(_ layout: LineLayout, canonical: Span<UInt8>) -> Bool { true }
}
