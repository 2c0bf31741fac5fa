package import EventLog

extension History {
  /// One event with its line.
  package struct Entry: Sendable {
    package let event: ReferenceLine
    /// The time of its device's clock, even for a line of a later version, which doesn't state it.
    package let at: Timestamp
    /// The indices in ``entries`` of the held events that counted for its writer, and itself.
    package let truth: NumberSet
    /// The indices of all lines that its writer held, whether or not they counted, without its own.
    package let held: NumberSet
    /// The user as whom its writer had joined.
    package let user: String

    package var id: EventID { event.id.shortID }
    package var fullID: FullEventID { event.id }
    /// Empty for a line of a later version.
    package var type: String { event.type }
    /// Nil for a line of a later version.
    package var entity: EntityID? { event.entity }
    package var data: JSONObject { event.data }
    /// The version of the format: 1, unless a later one wrote the line.
    package var version: Int64 { event.version }
    /// The line, with its LF.
    package var line: [UInt8] { event.bytes + [0x0A] }
  }

  /// One copy of the journal, which writes under its device ID.
  ///
  /// If several copies share an ID, the device has several histories.
  package struct Copy: Sendable, Hashable {
    package let number: Int
  }

  /// The lines that a copy holds, and the history that it continues.
  struct CopyState: Sendable {
    var device: DeviceID
    let user: String
    /// The source of an import, if the copy joined as one.
    var source: ImportSource?
    /// The index of its last own event, or nil before the first.
    var last: Int?
    var held = NumberSet()
    /// The indices in `held` in order of arrival.
    var order: [Int] = []
    var tips = NumberSet()
    /// Whether it has never lost a line, synced with a copy that has, or adopted a user.
    ///
    /// Its last event has then seen everything that it held, so its lines needn't be read.
    var isPlain = true
  }
}
