extension DeliveryError.Code {
  /// New weights do not match the model's program: one is missing, or has another type or shape.
  public static let wrongWeights = Self(rawValue: "delivery.wrong-weights")
  /// A model cannot be compiled or loaded on this device.
  public static let doesNotLoad = Self(rawValue: "delivery.does-not-load")
  /// A model cannot predict its golden inputs.
  public static let doesNotPredict = Self(rawValue: "delivery.does-not-predict")
  /// A model's outputs for its golden inputs are missing or differ from the golden outputs.
  public static let failsSmokeTest = Self(rawValue: "delivery.fails-smoke-test")
}
