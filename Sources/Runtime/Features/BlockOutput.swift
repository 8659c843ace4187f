import CoreMLExecution
import Foundation
import MIL

/// An output of a block of rows, and how to read the result of a row.
package final class BlockOutput {
  package enum Kind {
    /// One double-precision number.
    case number
    /// One of the class labels.
    case label([MLFeatureValue])
    /// A probability for each class label.
    case probabilities([AnyHashable])
    /// The contiguous elements of an array of this shape and type.
    case elements(shape: [Int], MLMultiArrayDataType)
    /// Any other feature; `value(_:)` creates it.
    case feature
  }

  package let feature: String
  package let kind: Kind
  let writer: TabularWriter

  init(_ writer: TabularWriter) {
    (self.writer, feature) = (writer, writer.feature)
    switch writer.kind {
    case .number: kind = .number
    case .label(let values): kind = .label(values)
    case .probabilities(let labels):
      let keys: [AnyHashable] =
        switch labels.labels {
        case .strings(let names): names.map { AnyHashable($0) }
        case .integers(let numbers): numbers.map { AnyHashable($0) }
        }
      // Labels that occur more than once need the dictionary of the regular path, which keeps one of several equal
      // keys.
      kind = Set(keys).count == keys.count ? .probabilities(keys) : .feature
    case .numbers:
      if let array = try? writer.binding.array(for: writer.type, backing: nil) {
        kind = .elements(shape: array.layout.shape, array.dataType)
      } else {
        kind = .feature
      }
    }
  }

  /// The index of the label with the largest number in a row; the first one on a tie.
  package func label(_ row: UnsafeRawPointer) -> Int { writer.greatest(row) }

  /// An element of a row, as a double.
  package func number(_ row: UnsafeRawPointer, _ element: Int) -> Double { writer.number(row, element) }

  /// The feature value of a row.
  package func value(_ row: UnsafeRawPointer) throws -> MLFeatureValue { try writer.feature(row, backing: nil) }
}
