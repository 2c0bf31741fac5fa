/// What the caller of an import states about the source, besides the map.
struct ImportSettings: Sendable {
  var zone: ImportZone?
  /// Returns the zone of a name in a column.
  var zoneNamed: @Sendable (String) -> ImportZone?
  var dates: DateOrder?
  var decimalMark: DecimalMark?
}
