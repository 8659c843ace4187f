extension DeliveryError.Code {
  /// New weights are not those of the model's program: one is missing, or of another type or shape.
  public static let wrongWeights = Self(rawValue: "delivery.wrong-weights")
  /// A model cannot be compiled or loaded on this device.
  public static let doesNotLoad = Self(rawValue: "delivery.does-not-load")
  /// A model cannot predict what came with it.
  public static let doesNotPredict = Self(rawValue: "delivery.does-not-predict")
  /// A model gives other outputs than it should, or none, for the inputs that came with it.
  public static let failsSmokeTest = Self(rawValue: "delivery.fails-smoke-test")
}
