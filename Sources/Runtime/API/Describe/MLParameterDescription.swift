/// A parameter that a training task may set: its default, and the numbers it may be.
// Sendable: immutable; the default is a number
public final class MLParameterDescription: @unchecked Sendable {
  public let key: MLParameterKey
  public let defaultValue: Any
  public let numericConstraint: MLNumericConstraint?

  init(key: MLParameterKey, defaultValue: Any, numericConstraint: MLNumericConstraint?) {
    self.key = key
    self.defaultValue = defaultValue
    self.numericConstraint = numericConstraint
  }
}
