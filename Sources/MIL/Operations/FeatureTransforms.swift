/// Feature transforms as defined by Core ML's classical model types (Normalizer.proto, FeatureVectorizer.proto, ...).
/// Dictionaries map int64 or string to fp64.
enum FeatureTransformOperations {
  static let all: [OperationDefinition] = [
    // Divides x, or each row along its last axis (`by_row`), by its greatest magnitude or its norm. If the norm is 0,
    // the values are unchanged. `norm`: "max", "l1", "l2".
    OperationDefinition("ml.normalizer", [.required("x"), .required("norm"), .optional("by_row")]) { call in
      let norm = try call.string("norm")
      guard ["max", "l1", "l2"].contains(norm) else { throw call.error(.invalidArgument, "'norm' is '\(norm)'") }
      return [.tensor(try call.tensor("x"))]
    },
    // The values of a dictionary in a vector, which is zero elsewhere. With `keys`, a value goes to the position of its
    // key in `keys`, and other keys are ignored. Otherwise the keys are positions below `size`.
    OperationDefinition("ml.vectorize", [.required("x"), .optional("keys"), .optional("size")]) { call in
      let key = try call.dictionaryKey("x")
      guard call.has("keys") else {
        guard key == .int64 else { throw call.error(.invalidType, "without 'keys' those of 'x' must be integers") }
        return [.tensor(TensorType(.float64, [try call.int("size", atLeast: 0)]))]
      }
      try call.requireList("keys", of: key)
      return [.tensor(TensorType(.float64, try call.shape("keys")))]
    },
    // The values of a dictionary by the positions of their keys in `keys`. Other keys are ignored.
    OperationDefinition("ml.key_positions", [.required("x"), .required("keys")]) { call in
      try call.requireList("keys", of: call.dictionaryKey("x"))
      return [.dictionary(key: .int64Scalar, value: .doubleScalar)]
    },
    // One-hot encoding of x by its position in `categories`: a vector for each element, or a dictionary with one entry
    // if `sparse`.
    OperationDefinition(
      "ml.one_hot_encoder",
      [.required("x"), .required("categories"), .optional("sparse"), .optional("ignores_unknown")]
    ) { call in
      let x = try call.tensor("x")
      try call.requireList("categories", of: x.scalar)
      if try call.bool("sparse", default: false) {
        try call.requireSingle("x")
        return [.dictionary(key: .int64Scalar, value: .doubleScalar)]
      }
      return [.tensor(TensorType(.float64, x.shape + (try call.shape("categories"))))]
    },
    // The value at the position of x in `keys`, or `unknown` if x is not in `keys`.
    OperationDefinition(
      "ml.categorical_mapping", [.required("x"), .required("keys"), .required("values"), .optional("unknown")]
    ) { call in
      try call.requireList("keys", of: call.requireSingle("x"))
      let values = try call.tensor("values")
      guard values.rank == 1, try values.shape[0].agrees(with: call.shape("keys")[0]),
        try !call.has("unknown") || call.requireSingle("unknown") == values.scalar
      else { throw call.error(.invalidType, "'values' is \(values), 'keys' \(try call.tensor("keys"))") }
      return [.tensor(TensorType(values.scalar, [Int]()))]
    },
    // Replaces `missing` values in x (NaN and "" by default) by `imputed`. `imputed` is one value, or one per element.
    // For a dictionary it has one value for each of `keys`, which may also be absent.
    OperationDefinition(
      "ml.imputer", [.required("x"), .required("imputed"), .optional("missing"), .optional("keys")]
    ) { call in
      let type = try call.type("x")
      if case .dictionary = type {
        try call.requireList("keys", of: call.dictionaryKey("x"))
        guard try call.shape("keys") == call.shape("imputed") else {
          throw call.error(.invalidShape, "'imputed' is \(try call.tensor("imputed")) for \(try call.tensor("keys"))")
        }
        return [type]
      }
      let x = try call.tensor("x")
      let imputed = try call.tensor("imputed")
      let missing = call.has("missing") ? try call.requireSingle("missing") : imputed.scalar
      guard (imputed.scalar == .string) == (x.scalar == .string), (missing == .string) == (x.scalar == .string),
        imputed.elementCount == 1 || x.elementCount == nil || imputed.elementCount == x.elementCount
      else { throw call.error(.invalidType, "'x' is \(x) and 'imputed' \(imputed)") }
      return [.tensor(x)]
    },
  ]
}

extension ValueType {
  static let int64Scalar = ValueType.tensor(TensorType(.int64, [Int]()))
  static let doubleScalar = ValueType.tensor(TensorType(.float64, [Int]()))
}

extension Invocation {
  /// The type of a dictionary's keys, int64 or string. Its values are fp64.
  func dictionaryKey(_ name: String) throws -> ScalarType {
    guard case .dictionary(.tensor(let key), .doubleScalar) = try type(name), key.rank == 0,
      key.scalar == .int64 || key.scalar == .string
    else {
      throw error(.invalidType, "'\(name)' must be a dictionary of int64 or string to fp64, it is \(try type(name))")
    }
    return key.scalar
  }

  /// The type of a scalar.
  @discardableResult func requireSingle(_ name: String) throws -> ScalarType {
    let type = try tensor(name)
    guard type.rank == 0 else { throw error(.invalidShape, "'\(name)' must be one value, it is \(type)") }
    return type.scalar
  }

  func requireList(_ name: String, of scalar: ScalarType) throws {
    let type = try tensor(name)
    guard type.scalar == scalar, type.rank == 1 else {
      throw error(.invalidType, "'\(name)' must be a list of \(scalar.rawValue), it is \(type)")
    }
  }
}
