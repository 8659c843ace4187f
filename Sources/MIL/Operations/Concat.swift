/// Concatenation, splitting, repetition and padding (coremltools: `tensor_operation`).
enum ConcatOperations {
  static let all: [OperationDefinition] = [
    .movement("concat", [.variadic("values"), .required("axis"), .optional("interleave")]) { call in
      let first = try call.tensor("values")
      guard first.rank > 0 else { return [.tensor(try stacked(call, axis: 0))] }
      let axis = try call.axis("axis", rank: first.rank)
      let isInterleaved = try call.bool("interleave", default: false)
      var shape = first.shape
      for index in 1..<max(call.count("values"), 1) {
        let next = try call.tensor("values", index)
        guard next.scalar == first.scalar, next.rank == first.rank else {
          throw call.error(.invalidType, "'values' \(index) is \(next), the first is \(first)")
        }
        for other in shape.indices {
          let expected = other == axis ? first.shape[axis] : shape[other]
          guard next.shape[other].agrees(with: expected) || (other == axis && !isInterleaved) else {
            throw call.error(
              .invalidShape, "'values' \(index) is \(next), which differs from \(first) in axis \(other)")
          }
          if !shape[other].isKnown && other != axis { shape[other] = next.shape[other] }
        }
        shape[axis] = shape[axis] + next.shape[axis]
      }
      return [.tensor(TensorType(first.scalar, shape))]
    },
    .movement("stack", [.variadic("values"), .required("axis")]) { call in
      let rank = try call.tensor("values").rank
      return [.tensor(try stacked(call, axis: call.axis("axis", rank: rank + 1)))]
    },
    .movement(
      "split", [.required("x"), .required("axis"), .optional("num_splits"), .optional("split_sizes")]
    ) { call in
      let x = try call.tensor("x")
      let axis = try call.axis("axis", rank: x.rank)
      return try call.splitSizes(of: x.shape[axis]).map { size in
        var shape = x.shape
        shape[axis] = size
        return .tensor(TensorType(x.scalar, shape))
      }
    },
    .movement("tile", [.required("x"), .required("reps")]) { call in
      let x = try call.tensor("x")
      guard try call.length("reps").agrees(with: Dimension(x.rank)) else {
        throw call.error(.invalidShape, "'reps' is \(try call.tensor("reps")) for \(x)")
      }
      guard let reps = try call.repetitionsIfKnown() else {
        return [.tensor(TensorType(x.scalar, x.shape.map { _ in .unknown }))]
      }
      return [.tensor(TensorType(x.scalar, zip(x.shape, reps).map { $0 * $1 }))]
    },
    .movement("pad", [.required("x"), .required("pad"), .optional("mode"), .optional("constant_val")]) { call in
      let x = try call.tensor("x")
      _ = try call.padMode()
      guard try call.intsIfKnown("pad") != nil else {
        let padded = try call.knownLength("pad") / 2
        guard padded <= x.rank else { throw call.error(.invalidShape, "'pad' is too long for \(x)") }
        return [.tensor(TensorType(x.scalar, x.shape.dropLast(padded) + Array(repeating: .unknown, count: padded)))]
      }
      let (before, after) = try call.padding(of: x.shape)
      return [.tensor(TensorType(x.scalar, x.shape.indices.map { x.shape[$0] + before[$0] + after[$0] }))]
    },
  ]

  /// Tensors of one type, stacked along a new axis.
  private static func stacked(_ call: Invocation, axis: Int) throws -> TensorType {
    var type = try call.tensor("values")
    for index in 1..<max(call.count("values"), 1) {
      let next = try call.tensor("values", index)
      guard next.agrees(with: type) else {
        throw call.error(.invalidType, "'values' \(index) is \(next), the others are \(type)")
      }
      for axis in type.shape.indices where !type.shape[axis].isKnown { type.shape[axis] = next.shape[axis] }
    }
    type.shape.insert(Dimension(call.count("values")), at: axis)
    return type
  }
}

/// The values of padding.
package enum PadMode: String, Sendable, Hashable {
  case constant
  /// Mirrored at the edge, without repeating the edge element.
  case reflect
  /// The edge element, repeated.
  case replicate
}

extension Invocation {
  package func padMode() throws -> PadMode {
    let word = try string("mode", default: "constant")
    guard let mode = PadMode(rawValue: word) else { throw error(.invalidArgument, "'mode' is '\(word)'") }
    return mode
  }

  /// The number of padding elements before and after each axis. `pad` applies to the last axes and must not be
  /// negative. `reflect` and `replicate` need a nonempty axis. Padding that exceeds the axis is mirrored repeatedly.
  package func padding(of shape: [Dimension]) throws -> (before: [Int], after: [Int]) {
    let pad = try ints("pad")
    let mode = try padMode()
    guard pad.count % 2 == 0, pad.count / 2 <= shape.count, pad.allSatisfy({ $0 >= 0 && $0 <= Int(Int32.max) }) else {
      throw error(.invalidArgument, "'pad' is \(pad) for a tensor of rank \(shape.count)")
    }
    var before = Array(repeating: 0, count: shape.count)
    var after = before
    for index in 0..<pad.count / 2 {
      let axis = shape.count - pad.count / 2 + index
      before[axis] = pad[2 * index]
      after[axis] = pad[2 * index + 1]
      let largest = max(before[axis], after[axis])
      guard let size = shape[axis].value, largest > 0 else { continue }
      if mode != .constant && size == 0 {
        throw error(
          .invalidArgument, "axis \(axis) of \(size) elements cannot be padded by \(largest) (\(mode.rawValue))")
      }
    }
    return (before, after)
  }

  /// The sizes of the parts of `split`, which must add up to the axis.
  package func splitSizes(of size: Dimension) throws -> [Dimension] {
    let limit = 1 << 16
    let count = has("num_splits") ? try int("num_splits", atLeast: 1) : nil
    guard has("split_sizes") else {
      guard let count else { throw error(.missingArgument, "one of 'num_splits' and 'split_sizes' must be given") }
      guard count <= limit else { throw error(.unsupported, "\(count) parts are more than \(limit)") }
      return Array(repeating: try exact(size, dividedBy: Dimension(count), "the size of the axis"), count: count)
    }
    guard let sizes = try intsIfKnown("split_sizes") else {
      let parts = try count ?? knownLength("split_sizes")
      guard parts <= limit else { throw error(.unsupported, "\(parts) parts are more than \(limit)") }
      return Array(repeating: .unknown, count: parts)
    }
    let total = sizes.reduce(Dimension(0)) { $0 + $1 }
    guard sizes.allSatisfy({ $0 >= 0 }), total.agrees(with: size), count == nil || count == sizes.count else {
      throw error(.invalidArgument, "'split_sizes' is \(sizes) for an axis of \(size)")
    }
    return sizes.map { Dimension($0) }
  }
}

extension Invocation {
  /// The number of copies of `tile` along each axis; nil if only known at run time.
  ///
  /// A negative number counts as 1: converters write -1 for an axis that PyTorch's `expand(n, 1, -1)` keeps. 0 gives an
  /// empty axis.
  package func repetitionsIfKnown() throws -> [Int]? { try intsIfKnown("reps")?.map { $0 < 0 ? 1 : $0 } }

  package func repetitions() throws -> [Int] { try ints("reps").map { $0 < 0 ? 1 : $0 } }
}
