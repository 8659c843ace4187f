import Foundation

/// A batch of feature providers in an array.
// Sendable: immutable
open class MLArrayBatchProvider: NSObject, MLBatchProvider, @unchecked Sendable {
  /// The feature providers.
  open var array: [any MLFeatureProvider] { rows }
  private let rows: [any MLFeatureProvider]

  /// Creates a batch from an array of feature providers.
  public init(array: [any MLFeatureProvider]) { rows = array }

  /// Creates a batch from columns by feature name, all of one length. Element `i` of the batch has element `i` of each
  /// column.
  ///
  /// - Throws: `MLModelError` (`featureType`) if the lengths differ or if an element cannot be a feature value.
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

  /// The number of elements.
  open var count: Int { rows.count }
  /// The element at an index.
  ///
  /// - Precondition: the index is in range.
  open func features(at index: Int) -> any MLFeatureProvider { rows[index] }
}
