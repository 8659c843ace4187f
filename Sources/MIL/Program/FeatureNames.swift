extension Function {
  private static let key = "featureOutputNames"

  /// The feature names of the outputs, in order. They equal the names of the values, unless a feature is both input and
  /// output.
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

  /// Inputs for which the program has default values. Each is a number, and NaN if the caller omits it.
  package var defaultedInputs: [String] {
    get { (try? attributes[Self.defaultedKey]?.tensor?.strings()) ?? [] }
    set { attributes[Self.defaultedKey] = .tensor(Tensor(strings: newValue, shape: [newValue.count])) }
  }
}
