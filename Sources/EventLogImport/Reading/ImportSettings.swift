/// The caller's statements about the source, in addition to the map.
struct ImportSettings: Sendable {
  var zone: ImportZone?
  /// Returns the zone of a name in a column.
  var zoneNamed: @Sendable (String) -> ImportZone?
  var dates: DateOrder?
  var decimalMark: DecimalMark?
  /// Whether empty values say nothing, because the source hasn't stated any value before.
  var leavesOutEmpty = false
}
