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

extension Function {
  private static let defaultedKey = "defaultedInputs"

  /// Inputs for which the program has values of its own: each is a number, and NaN where the caller leaves it out.
  package var defaultedInputs: [String] {
    get { (try? attributes[Self.defaultedKey]?.tensor?.strings()) ?? [] }
    set { attributes[Self.defaultedKey] = .tensor(Tensor(strings: newValue, shape: [newValue.count])) }
  }
}
