import Foundation

/// Operations that create tensors from shapes and numbers (coremltools: `tensor_operation`).
enum CreationOperations {
  static let all: [OperationDefinition] = [
    .movement("fill", [.required("shape"), .optional("value")]) { call in
      let scalar = try call.has("value") ? call.tensor("value").scalar : .float32
      guard let sizes = try call.intsIfKnown("shape") else {
        return [.tensor(TensorType(scalar, try call.openShape("shape")))]
      }
      guard sizes.allSatisfy({ $0 >= 0 }) else { throw call.error(.invalidArgument, "'shape' is \(sizes)") }
      return [.tensor(TensorType(scalar, sizes))]
    },
    .movement("fill_like", [.required("ref_tensor"), .optional("value")]) { call in
      let scalar = try call.has("value") ? call.tensor("value").scalar : .float32
      return [.tensor(TensorType(scalar, try call.shape("ref_tensor")))]
    },
    .movement("shape", [.required("x")]) { call in
      [.tensor(TensorType(.int32, [try call.tensor("x").rank]))]
    },
    OperationDefinition("range_1d", [.required("start"), .required("end"), .required("step")]) { call in
      let scalar = try call.tensor("start").scalar
      for name in ["end", "step"] where try call.tensor(name).scalar != scalar {
        throw call.error(.invalidType, "'\(name)' is \(try call.tensor(name)), 'start' is \(scalar.rawValue)")
      }
      guard ["start", "end", "step"].allSatisfy({ call.valueIfKnown($0) != nil }) else {
        return [.tensor(TensorType(scalar, [.unknown]))]
      }
      return [.tensor(TensorType(scalar, [try call.rangeCount()]))]
    },
    .movement(
      "one_hot",
      [
        .required("indices"), .required("one_hot_vector_size"), .optional("axis"), .optional("on_value"),
        .optional("off_value"),
      ]
    ) { call in
      let indices = try call.tensor("indices")
      guard indices.scalar.isInteger else { throw call.error(.invalidType, "'indices' is \(indices)") }
      let given = try ["on_value", "off_value"].filter { call.has($0) }.map { try call.tensor($0).scalar }
      guard Set(given).count <= 1 else {
        throw call.error(.invalidType, "'on_value' and 'off_value' must be of one type")
      }
      let axis = try call.axis("axis", default: -1, rank: indices.rank + 1)
      var shape = indices.shape
      var size = Dimension.unknown
      if call.valueIfKnown("one_hot_vector_size") != nil {
        size = Dimension(try call.int("one_hot_vector_size", atLeast: 0))
      }
      shape.insert(size, at: axis)
      return [.tensor(TensorType(given.first ?? .int32, shape))]
    },
    OperationDefinition("non_zero", [.required("x")]) { call in
      let x = try call.tensor("x")
      var count = Dimension.unknown
      if call.valueIfKnown("x") != nil {
        count = Dimension(try call.located { try call.constant("x").countOfNonZeros() })
      }
      return [.tensor(TensorType(.int32, [count, Dimension(x.rank)]))]
    },
    .movement("band_part", [.required("x"), .optional("lower"), .optional("upper")]) { call in
      let x = try call.tensor("x")
      guard x.rank >= 2 else { throw call.error(.invalidShape, "'x' must hold matrices, it is \(x)") }
      _ = try call.int("lower", default: -1)
      _ = try call.int("upper", default: -1)
      return [.tensor(x)]
    },
  ]
}

extension Invocation {
  /// The number of elements of `range_1d`: from `start` in increments of `step`, up to but excluding `end`.
  package func rangeCount() throws -> Int {
    let start = try double("start")
    let step = try double("step")
    guard step != 0, !step.isNaN else { throw error(.invalidArgument, "'step' is \(step)") }
    let count = ((try double("end") - start) / step).rounded(.up)
    guard count > 0 else { return 0 }
    guard let exact = Int(exactly: count), exact <= TensorType.maximumByteCount else {
      throw error(.invalidArgument, "a range of \(count) numbers cannot be held")
    }
    return exact
  }
}

extension Tensor {
  /// The number of nonzero elements.
  func countOfNonZeros() throws -> Int {
    switch scalar {
    case .float32: withUnsafeBytes { $0.bindMemory(to: Float.self).count { $0 != 0 } }
    case .int32: withUnsafeBytes { $0.bindMemory(to: Int32.self).count { $0 != 0 } }
    case .bool: withUnsafeBytes { $0.count { $0 != 0 } }
    default: try doubles().count { $0 != 0 }
    }
  }
}
