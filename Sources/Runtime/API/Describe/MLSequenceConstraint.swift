import Foundation

/// What a sequence feature must be: all its values are alike, and how many there are.
public final class MLSequenceConstraint: Sendable {
  /// What every value is: strings or integers.
  public let valueDescription: MLFeatureDescription
  public let countRange: NSRange

  init(valueDescription: MLFeatureDescription, countRange: NSRange) {
    self.valueDescription = valueDescription
    self.countRange = countRange
  }

  func allows(_ sequence: MLSequence) -> Bool {
    sequence.type == valueDescription.type && sequence.count >= countRange.location
      && sequence.count - countRange.location <= countRange.length
  }
}
