/// The parts of the envelope as properties of the layout.
///
/// Written out instead of by key paths, which cost more than the scanning in unoptimized builds.
extension LineLayout {
  /// `<device>:<sequence>`.
  package var id: ByteRange {
    var end = device.end + 2
    var rest = sequence / 10
    while rest > 0 {
      rest /= 10
      end += 1
    }
    return ByteRange(device.start, end)
  }

  @inline(__always)
  package var device: ByteRange {
    get { envelope.device }
    set { envelope.device = newValue }
  }

  @inline(__always)
  package var sequence: Int64 {
    get { envelope.sequence }
    set { envelope.sequence = newValue }
  }

  @inline(__always)
  package var at: ByteRange {
    get { envelope.at }
    set { envelope.at = newValue }
  }

  @inline(__always)
  package var atMilliseconds: Int64 {
    get { envelope.atMilliseconds }
    set { envelope.atMilliseconds = newValue }
  }

  @inline(__always)
  package var type: ByteRange {
    get { envelope.type }
    set { envelope.type = newValue }
  }

  @inline(__always)
  package var entity: ByteRange {
    get { envelope.entity }
    set { envelope.entity = newValue }
  }

  @inline(__always)
  package var ref: ByteRange {
    get { envelope.ref }
    set { envelope.ref = newValue }
  }

  @inline(__always)
  package var hasMore: Bool {
    get { envelope.hasMore }
    set { envelope.hasMore = newValue }
  }

  @inline(__always)
  package var version: Int64 {
    get { envelope.version }
    set { envelope.version = newValue }
  }

  @inline(__always)
  package var isErased: Bool {
    get { envelope.isErased }
    set { envelope.isErased = newValue }
  }

  @inline(__always)
  package var data: ByteRange {
    get { envelope.data }
    set { envelope.data = newValue }
  }

  @inline(__always)
  package var checksum: LineChecksum {
    get { envelope.checksum }
    set { envelope.checksum = newValue }
  }

  @inline(__always)
  package var names: Names { envelope.names }
}
