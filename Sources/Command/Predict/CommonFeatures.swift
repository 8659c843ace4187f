import CoreML

/// The features that options give to every row.
struct CommonFeatures {
  /// Features of `--input`.
  let inputs: [String: MLFeatureValue]
  /// Features of `--set`, which override files and rows.
  let settings: [String: MLFeatureValue]

  var all: [String: MLFeatureValue] { inputs.merging(settings) { $1 } }

  /// The features of a row together with these.
  ///
  /// - Throws: `Failure` if `--input` gives a feature that the row has, as for two files of one row.
  func with(_ row: [String: MLFeatureValue]) throws -> [String: MLFeatureValue] {
    if let name = row.keys.filter({ inputs[$0] != nil && settings[$0] == nil }).min() {
      throw Failure(.data, "the feature '\(name)' is given twice, by --input and by the row")
    }
    return row.merging(all) { $1 }
  }
}
