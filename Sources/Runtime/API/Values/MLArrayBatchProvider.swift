import Foundation

/// Rows in an array.
// Sendable: immutable
open class MLArrayBatchProvider: NSObject, MLBatchProvider, @unchecked Sendable {
  /// The rows.
  open var array: [any MLFeatureProvider] { rows }
  private let rows: [any MLFeatureProvider]

  /// Rows that are there already.
  public init(array: [any MLFeatureProvider]) { rows = array }

  /// Columns by feature name, all of one length: row `i` has element `i` of each.
  ///
  /// - Throws: `MLModelError` (`featureType`) when lengths differ or an element can be no feature.
  public init(dictionary: [String: [Any]]) throws {
    let lengths = Set(dictionary.values.map(\.count))
    guard lengths.count <= 1 else {
      throw MLModelError(.featureType, "the columns of a batch have \(lengths.sorted()) rows, expected as many in each")
    }
    rows = try (0..<(lengths.first ?? 0)).map { row in
      try MLDictionaryFeatureProvider(dictionary: dictionary.mapValues { $0[row] })
    }
    super.init()
  }

  /// How many rows there are.
  open var count: Int { rows.count }
  /// A row, counted from 0; there must be one.
  open func features(at index: Int) -> any MLFeatureProvider { rows[index] }
}
