/// How fast a product's tile is, in microseconds, fitted to what a device took.
struct TilePace: Hashable {
  /// A slice of the depth when nothing else runs on the unit, and when the unit is full.
  let slice: Double
  let share: Double
  /// What a work-group takes besides, likewise.
  let ends: Double
  let endsShare: Double
  /// Work-groups that a unit holds.
  let resident: Int

  /// How long so many work-groups, of so many slices each, take on so many units once they run.
  func microseconds(groups: Double, slices: Double, units: Int) -> Double {
    let ofUnit = (groups / Double(max(units, 1))).rounded(.up)
    let alone = (ofUnit / Double(resident)).rounded(.up) * (ends + slices * slice)
    return max(alone, ofUnit * (endsShare + slices * share))
  }
}
