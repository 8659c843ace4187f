import CoreMLExecution
import Foundation
import MIL

/// An output of a block, and how a printer reads a row of it.
package final class BlockOutput {
  package enum Kind {
    /// One number of double precision.
    case number
    /// One of the labels.
    case label([MLFeatureValue])
    /// A number for each label.
    case shares([AnyHashable])
    /// Elements of an array of this shape and type, one behind the other.
    case elements(shape: [Int], MLMultiArrayDataType)
    /// Whatever else a feature is made of: `feature` makes it.
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
    case .shares(let labels):
      let keys: [AnyHashable] =
        switch labels.labels {
        case .strings(let names): names.map { AnyHashable($0) }
        case .integers(let numbers): numbers.map { AnyHashable($0) }
        }
      // In a dictionary, of equal keys one is left.
      kind = Set(keys).count == keys.count ? .shares(keys) : .feature
    case .numbers:
      if let array = try? writer.binding.array(for: writer.type, backing: nil) {
        kind = .elements(shape: array.layout.shape, array.dataType)
      } else {
        kind = .feature
      }
    }
  }

  /// Which of the labels is the greatest of a row.
  package func label(_ row: UnsafeRawPointer) -> Int { writer.greatest(row) }

  /// An element of a row, as a double holds it.
  package func number(_ row: UnsafeRawPointer, _ element: Int) -> Double { writer.number(row, element) }

  /// The feature of a row.
  package func value(_ row: UnsafeRawPointer) throws -> MLFeatureValue { try writer.feature(row, backing: nil) }
}
