/// The number of rows in an `.npz` file, which is the first axis of each of its arrays.
enum RowCount {
  /// - Parameter counts: The number of rows of each array; nil for an array without axes.
  /// - Throws: `Failure` that names two arrays that differ, or the array without rows.
  static func common(of counts: [String: Int?], _ path: String) throws -> Int {
    let arrays = counts.sorted { $0.key < $1.key }
    guard let first = arrays.first else { throw Failure(.data, "\(path): expected arrays of rows, found none") }
    if let flat = arrays.first(where: { $0.value == nil }) {
      throw Failure(.data, "\(path): expected the rows as the first axis, found '\(flat.key)' without axes")
    }
    if let other = arrays.first(where: { $0.value != first.value }) {
      throw Failure(
        .data,
        "\(path): expected one number of rows in all arrays, found \(first.value ?? 0) in '\(first.key)' and \(other.value ?? 0) in '\(other.key)'"
      )
    }
    return first.value ?? 0
  }
}
