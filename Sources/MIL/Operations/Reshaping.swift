/// Changes of shape that keep the order of elements (coremltools: `tensor_transformation`, `flatten2d`).
enum ReshapingOperations {
  static let all: [OperationDefinition] = [
    .movement("reshape", [.required("x"), .required("shape")]) { call in
      let x = try call.tensor("x")
      guard let target = try call.intsIfKnown("shape") else {
        return [.tensor(TensorType(x.scalar, try call.openShape("shape")))]
      }
      return [.tensor(TensorType(x.scalar, try reshaped(x.shape, to: target, call)))]
    },
    .movement(
      "reshape_like",
      [.required("x"), .variadic("ref_tensors"), .variadic("begins"), .variadic("ends"), .variadic("end_masks")]
    ) { call in
      let x = try call.tensor("x")
      let count = call.count("ref_tensors")
      for name in ["begins", "ends", "end_masks"] where call.count(name) != count {
        throw call.error(
          .invalidArgument, "'\(name)' has \(call.count(name)) values for \(count) reference tensors")
      }
      var shape: [Dimension] = []
      for index in 0..<count {
        let reference = try call.shape("ref_tensors", index)
        func bound(_ name: String) throws -> Int {
          let values = try call.located { try call.constant(name, index).ints() }
          guard let value = values.first else {
            throw call.error(.invalidArgument, "'\(name)' \(index) is empty")
          }
          return value < 0 ? max(0, value + reference.count) : min(value, reference.count)
        }
        let isOpen = try call.located { try call.constant("end_masks", index).bools() }.first ?? false
        let begin = try bound("begins")
        let end = isOpen ? reference.count : try bound("ends")
        if begin < end { shape += reference[begin..<end] }
      }
      try requireSameCount(x.shape, shape, call)
      return [.tensor(TensorType(x.scalar, shape))]
    },
    .movement("expand_dims", [.required("x"), .required("axes")]) { call in
      let x = try call.tensor("x")
      let rank = x.rank + (try call.ints("axes").count)
      let axes = try call.axes("axes", rank: rank)
      try call.requireDistinct(axes, "axes")
      var rest = x.shape.makeIterator()
      let shape = (0..<rank).map { axes.contains($0) ? 1 : rest.next() ?? 1 }
      return [.tensor(TensorType(x.scalar, shape))]
    },
    .movement("squeeze", [.required("x"), .optional("axes")]) { call in
      let x = try call.tensor("x")
      // In Core ML, empty `axes` mean all axes of size 1. coremltools also writes empty axes for a squeeze without
      // effect, and declares an output of the same rank.
      let declared = call.operation.outputs.first?.type.tensor?.rank
      let namesNone = try call.has("axes") && call.ints("axes").isEmpty && declared != nil && declared != x.rank
      guard call.has("axes"), !namesNone else {
        guard x.isConcrete else { throw call.error(.unknownValue, "which axes have size 1 is not known yet: \(x)") }
        return [.tensor(TensorType(x.scalar, x.shape.filter { $0.value != 1 }))]
      }
      let axes = Set(try call.axes("axes", rank: x.rank))
      // An axis of another size is kept, as in PyTorch. An axis of unknown size is assumed to have size 1.
      let shape = x.shape.enumerated().filter { !axes.contains($0.offset) || ($0.element.value ?? 1) != 1 }
      return [.tensor(TensorType(x.scalar, shape.map(\.element)))]
    },
    .movement("flatten2d", [.required("x"), .optional("axis")]) { call in
      let x = try call.tensor("x")
      let axis = try call.int("axis", default: 1)
      guard axis >= -x.rank, axis <= max(x.rank, 1) else {
        throw call.error(.invalidArgument, "'axis' is \(axis) for a tensor of rank \(x.rank)")
      }
      let cut = axis < 0 ? axis + x.rank : min(axis, x.rank)
      return [.tensor(TensorType(x.scalar, [x.shape[..<cut].product, x.shape[cut...].product]))]
    },
  ]

  /// The shape for a `reshape` target. 0 copies the size of the same axis counted from the last one (1 if there is
  /// none). One -1 gets the remaining elements. These are the semantics of iOS17, which agree with those of iOS15 where
  /// the latter are defined.
  private static func reshaped(_ shape: [Dimension], to target: [Int], _ call: Invocation) throws -> [Dimension] {
    var open: Int?
    var result: [Dimension] = []
    for (index, size) in target.enumerated() {
      switch size {
      case 0:
        let fromLast = target.count - index
        result.append(fromLast <= shape.count ? shape[shape.count - fromLast] : 1)
      case -1:
        guard open == nil else { throw call.error(.invalidArgument, "'shape' has more than one -1: \(target)") }
        open = index
        result.append(1)
      case 1...: result.append(Dimension(size))
      default: throw call.error(.invalidArgument, "'shape' has the size \(size): \(target)")
      }
    }
    if let open {
      let rest = result.product
      // With zero elements, -1 becomes 0.
      result[open] =
        rest == 0 ? 0 : try call.exact(shape.product, dividedBy: rest, "the number of elements")
    }
    try requireSameCount(shape, result, call)
    return result
  }

  private static func requireSameCount(_ shape: [Dimension], _ target: [Dimension], _ call: Invocation) throws {
    guard shape.product.agrees(with: target.product) else {
      throw call.error(
        .invalidShape,
        "a tensor of shape [\(shape.list)] cannot take the shape [\(target.list)]")
    }
  }
}
