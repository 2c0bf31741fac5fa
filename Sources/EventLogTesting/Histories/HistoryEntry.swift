package import EventLog

extension History {
  /// One event, with the line that states it.
  package struct Entry: Sendable {
    /// What its line says.
    package let event: ReferenceLine
    /// What the clock of its device showed, also for a line of a later version, which does not say.
    package let at: Timestamp
    /// The places, among all entries, of the events that its writer really held when it wrote this
    /// one, and that counted for it; itself included.
    package let truth: NumberSet
    /// The same of all lines that it had, whether they counted or not; without its own.
    package let held: NumberSet
    /// Whom its writer had joined as.
    package let user: String

    package var id: EventID { event.id.shortID }
    package var fullID: FullEventID { event.id }
    /// Empty for a line of a later version.
    package var type: String { event.type }
    /// For a line of a later version, what a later version may read of it.
    package var entity: EntityID? { event.entity }
    package var data: JSONObject { event.data }
    /// 1, or more where a later version of the format wrote the line.
    package var version: Int64 { event.version }
    /// The line, with its LF.
    package var line: [UInt8] { event.bytes + [0x0A] }
  }

  /// One copy of the journal, which writes under its device ID. Several copies may have one: then
  /// the device has several histories.
  package struct Copy: Sendable, Hashable {
    package let number: Int
  }

  /// What a copy holds, and which history it writes on.
  struct CopyState: Sendable {
    var device: DeviceID
    let user: String
    /// Its last own event, by its place; nil before the first.
    var last: Int?
    var held = NumberSet()
    /// The same in the order in which they came.
    var order: [Int] = []
    var tips = NumberSet()
    /// Whether it has never lost a line, nor synced with one that has, nor adopted a user: then it
    /// is known without a further look what its last event has seen, which is all that it held.
    var isPlain = true
  }
}
