extension Function {
  private static let key = "featureOutputNames"

  /// The features that the outputs are, in order: the values' own names, unless a feature is an input and an output at once.
  package var featureOutputNames: [String] {
    get {
      guard let names = try? attributes[Self.key]?.tensor?.strings(), names.count == body.outputs.count else {
        return body.outputs
      }
      return names
    }
    set { attributes[Self.key] = .tensor(Tensor(strings: newValue, shape: [newValue.count])) }
  }
}
