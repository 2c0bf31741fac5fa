import EventLogAttachments
import EventLogTesting

/// The edits that remove a position are disjoint and inside of the file. If no fault is reported,
/// they remove all of it.
///
/// Input: an image or a video.
enum ImagesTarget {
  static func check(_ input: [UInt8]) throws {
    let position = find(input)
    var end: Int64 = 0
    for edit in position.edits {
      try Finding.require(
        !edit.range.isEmpty && edit.range.lowerBound >= end, "The edits overlap.")
      end = edit.range.upperBound
    }
    try Finding.require(end <= Int64(input.count), "An edit is outside of the file.")
    if position.fault != nil { return }
    var editor = ByteEditor(position.edits)
    var edited = input
    editor.apply(to: &edited)
    let second = find(edited)
    try Finding.require(second.fault == nil, "An edit has damaged the file.")
    try Finding.require(second.edits.isEmpty, "A position is left.")
  }

  private static func find(_ bytes: [UInt8]) -> ImagePosition {
    ImagePosition.find(byteCount: Int64(bytes.count)) { offset, count in
      Array(bytes[Int(offset)..<Int(offset) + count])
    }
  }
}
