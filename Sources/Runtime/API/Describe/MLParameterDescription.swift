/// A parameter that a training task may set: its default, and the numbers it may be.
// Sendable: immutable; the default is a number
public final class MLParameterDescription: @unchecked Sendable {
  /// The key to set it by.
  public let key: MLParameterKey
  /// An `NSNumber`.
  public let defaultValue: Any
  /// What it may be; nil where any number of its kind may be given.
  public let numericConstraint: MLNumericConstraint?

  init(key: MLParameterKey, defaultValue: Any, numericConstraint: MLNumericConstraint?) {
    self.key = key
    self.defaultValue = defaultValue
    self.numericConstraint = numericConstraint
  }
}
