/// The position of a line in its file.
package struct LinePosition: Sendable, Hashable {
  /// The line number, from 1; blank lines count.
  package var number: Int
  /// The file offset of the first byte.
  package var offset: Int64
  /// The length without the LF and a CR before it.
  package var byteCount: Int
  /// The offset after the line and its LF.
  package var endOffset: Int64
  /// Whether it ends with LF; only the last line of a file may lack one.
  package var isTerminated: Bool
}
