/// The time of a product's tile in microseconds, fitted to measurements of a device.
struct TilePace: Hashable {
  /// The time of a slice of K when nothing else runs on the compute unit, and its share when the unit is full.
  let slice: Double
  let share: Double
  /// The fixed time of a work-group besides its slices, alone and on a full unit.
  let ends: Double
  let endsShare: Double
  /// Work-groups that are resident on a compute unit concurrently.
  let resident: Int

  /// Estimated microseconds of this many work-groups, of this many slices each, on this many compute units, without the
  /// launch.
  func microseconds(groups: Double, slices: Double, units: Int) -> Double {
    let ofUnit = (groups / Double(max(units, 1))).rounded(.up)
    let alone = (ofUnit / Double(resident)).rounded(.up) * (ends + slices * slice)
    return max(alone, ofUnit * (endsShare + slices * share))
  }
}
