/// The state of a journal as one side of a replication.
package struct ReplicaState: Sendable {
  package var statement: FrontierStatement
  /// The device ID for writing, or nil before the first write.
  package var device: DeviceID?
  package var ledger: Ledger
  /// The first damage of the journal.
  package var damage: JournalProblem?
  /// ``JournalOptions/devicesMax``.
  package var devicesMax: Int

  package init(
    statement: FrontierStatement, device: DeviceID?, ledger: Ledger, damage: JournalProblem? = nil,
    devicesMax: Int = JournalOptions().devicesMax
  ) {
    self.statement = statement
    self.device = device
    self.ledger = ledger
    self.damage = damage
    self.devicesMax = devicesMax
  }
}
