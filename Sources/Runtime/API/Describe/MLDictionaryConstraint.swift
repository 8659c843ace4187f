/// What a dictionary feature must be: all its keys are of one type; its values are numbers.
public final class MLDictionaryConstraint: Sendable {
  /// `.string` or `.int64`.
  public let keyType: MLFeatureType
  init(keyType: MLFeatureType) { self.keyType = keyType }
}
