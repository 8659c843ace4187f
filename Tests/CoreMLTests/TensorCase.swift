import CoreML
import Foundation

/// numpy's result of an operation (Tests/Cases/numpy/tensors.json, written by tools/make-tensor-cases.py).
struct TensorCase: Decodable, Sendable {
  struct Numbers: Decodable, Sendable {
    let type: String
    let shape: [Int]
    let values: [Double]

    var tensor: MLTensor {
      switch type {
      case "Float": MLTensor(shape: shape, scalars: values.map { Float($0) })
      case "Float16": MLTensor(shape: shape, scalars: values.map { Float16($0) })
      case "Int32": MLTensor(shape: shape, scalars: values.map { Int32($0) })
      case "Int8": MLTensor(shape: shape, scalars: values.map { Int8($0) })
      case "Int16": MLTensor(shape: shape, scalars: values.map { Int16($0) })
      case "UInt8": MLTensor(shape: shape, scalars: values.map { UInt8($0) })
      case "UInt16": MLTensor(shape: shape, scalars: values.map { UInt16($0) })
      case "UInt32": MLTensor(shape: shape, scalars: values.map { UInt32($0) })
      default: MLTensor(shape: shape, scalars: values.map { $0 != 0 })
      }
    }
  }

  struct Arguments: Decodable, Sendable {
    var axis: Int?
    var axes: [Int]?
    var keep: Bool?
    var k: Int?
    var descending: Bool?
    var shape: [Int]?
    var order: [Int]?
    var multiples: [Int]?
    var sizes: [Int]?
    var size: [Int]?
    var count: Int?
    var lower: Int?
    var upper: Int?
    var low: Int?
    var high: Int?
    var value: Float?
    var method: String?
    var type: String?
    var ranges: String?
    var start: Float?
    var end: Float?
    var stride: Float?
  }

  let operation: String
  let inputs: [Numbers]
  let arguments: Arguments
  let outputs: [Numbers]

  static func all() throws -> [TensorCase] {
    let url = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Cases/numpy/tensors.json")
    return try JSONDecoder().decode([TensorCase].self, from: Data(contentsOf: url))
  }

  /// Describes a difference between the results and numpy's. nil if they agree.
  func difference() async throws -> String? {
    let results = try TensorOperations.run(self, inputs.map(\.tensor))
    guard results.count == outputs.count else { return "\(results.count) outputs, expected \(outputs.count)" }
    for (result, expected) in zip(results, outputs) {
      guard result.shape == expected.shape else { return "the shape \(result.shape), expected \(expected.shape)" }
      guard "\(result.scalarType)" == expected.type else { return "\(result.scalarType), expected \(expected.type)" }
      let found = await Self.numbers(result)
      let tolerance = expected.type == "Float16" ? 4e-3 : expected.type == "Float" ? 2e-5 : 0
      for (place, (one, other)) in zip(found, expected.values).enumerated() {
        guard one == other || other.isFinite && abs(one - other) <= tolerance * max(abs(other), 1) else {
          return "\(one) at \(place), expected \(other)"
        }
      }
    }
    return nil
  }

  static func numbers(_ tensor: MLTensor) async -> [Double] {
    if tensor.scalarType is any BinaryFloatingPoint.Type {
      return await tensor.cast(to: Float.self).shapedArray(of: Float.self).scalars.map { Double($0) }
    }
    return await tensor.cast(to: Int32.self).shapedArray(of: Int32.self).scalars.map { Double($0) }
  }
}

/// The tensor operations by their names in the cases.
enum TensorOperations {
  typealias Run = @Sendable (_ x: [MLTensor], _ a: TensorCase.Arguments) -> [MLTensor]

  struct Unknown: Error { let operation: String }

  static func run(_ test: TensorCase, _ inputs: [MLTensor]) throws -> [MLTensor] {
    guard let run = all[test.operation] else { throw Unknown(operation: test.operation) }
    return run(inputs, test.arguments)
  }

  static let all: [String: Run] = elementwise.merging(reductions) { $1 }.merging(shapes) { $1 }.merging(places) { $1 }

  private static let elementwise: [String: Run] = [
    "add": { x, _ in [x[0] + x[1]] }, "sub": { x, _ in [x[0] - x[1]] }, "mul": { x, _ in [x[0] * x[1]] },
    "div": { x, _ in [x[0] / x[1]] }, "mod": { x, _ in [x[0] % x[1]] }, "pow": { x, _ in [x[0].pow(x[1])] },
    "max": { x, _ in [pointwiseMax(x[0], x[1])] }, "min": { x, _ in [pointwiseMin(x[0], x[1])] },
    "equal": { x, _ in [x[0] .== x[1]] }, "notEqual": { x, _ in [x[0] .!= x[1]] },
    "greater": { x, _ in [x[0] .> x[1]] }, "greaterEqual": { x, _ in [x[0] .>= x[1]] },
    "less": { x, _ in [x[0] .< x[1]] }, "lessEqual": { x, _ in [x[0] .<= x[1]] },
    "and": { x, _ in [x[0] .& x[1]] }, "or": { x, _ in [x[0] .| x[1]] }, "xor": { x, _ in [x[0] .^ x[1]] },
    "not": { x, _ in [.!x[0]] }, "abs": { x, _ in [x[0].abs()] }, "acos": { x, _ in [x[0].acos()] },
    "acosh": { x, _ in [x[0].acosh()] }, "asin": { x, _ in [x[0].asin()] }, "asinh": { x, _ in [x[0].asinh()] },
    "atan": { x, _ in [x[0].atan()] }, "atanh": { x, _ in [x[0].atanh()] }, "ceil": { x, _ in [x[0].ceil()] },
    "cos": { x, _ in [x[0].cos()] }, "cosh": { x, _ in [x[0].cosh()] }, "exp": { x, _ in [x[0].exp()] },
    "exp2": { x, _ in [x[0].exp2()] }, "floor": { x, _ in [x[0].floor()] }, "log": { x, _ in [x[0].log()] },
    "negate": { x, _ in [-x[0]] }, "reciprocal": { x, _ in [x[0].reciprocal()] }, "round": { x, _ in [x[0].round()] },
    "rsqrt": { x, _ in [x[0].rsqrt()] }, "sign": { x, _ in [x[0].sign()] }, "sin": { x, _ in [x[0].sin()] },
    "sinh": { x, _ in [x[0].sinh()] }, "sqrt": { x, _ in [x[0].squareRoot()] }, "square": { x, _ in [x[0].squared()] },
    "tan": { x, _ in [x[0].tan()] }, "tanh": { x, _ in [x[0].tanh()] },
    "clamp": { x, a in
      let (low, high) = (a.low ?? 0, a.high ?? 0)
      if x[0].scalarType == Int32.self { return [x[0].clamped(to: Int32(low)...Int32(high))] }
      return [x[0].clamped(to: Float(low)...Float(high))]
    },
    "clampFrom": { x, a in [x[0].clamped(to: Int32(a.low ?? 0)...)] },
    "clampThrough": { x, a in [x[0].clamped(to: ...Int32(a.high ?? 0))] },
    "softmax": { x, a in [x[0].softmax(alongAxis: a.axis ?? -1)] },
    "replaceWhere": { x, _ in [x[0].replacing(with: x[1], where: x[2])] },
    "replaceNumber": { x, a in
      if x[0].scalarType == Int32.self { return [x[0].replacing(with: Int32(a.value ?? 0), where: x[1])] }
      return [x[0].replacing(with: a.value ?? 0, where: x[1])]
    },
    "cast": { x, a in
      switch a.type {
      case "Float": [x[0].cast(to: Float.self)]
      case "Float16": [x[0].cast(to: Float16.self)]
      case "Int8": [x[0].cast(to: Int8.self)]
      case "UInt8": [x[0].cast(to: UInt8.self)]
      case "Bool": [x[0].cast(to: Bool.self)]
      default: [x[0].cast(like: MLTensor(Int32(0)))]
      }
    },
  ]

  private static let reductions: [String: Run] = [
    "sum": { x, a in [x[0].sum(alongAxes: a.axes ?? [], keepRank: a.keep ?? false)] },
    "mean": { x, a in [x[0].mean(alongAxes: a.axes ?? [], keepRank: a.keep ?? false)] },
    "reduceMin": { x, a in [x[0].min(alongAxes: a.axes ?? [], keepRank: a.keep ?? false)] },
    "reduceMax": { x, a in [x[0].max(alongAxes: a.axes ?? [], keepRank: a.keep ?? false)] },
    "product": { x, a in [x[0].product(alongAxes: a.axes ?? [], keepRank: a.keep ?? false)] },
    "all": { x, a in [x[0].all(alongAxes: a.axes ?? [])] }, "any": { x, a in [x[0].any(alongAxes: a.axes ?? [])] },
    "argmax": { x, a in [x[0].argmax(alongAxis: a.axis ?? 0)] },
    "argmin": { x, a in [x[0].argmin(alongAxis: a.axis ?? 0)] },
    "argmaxOfAll": { x, _ in [x[0].argmax()] }, "argminOfAll": { x, _ in [x[0].argmin()] },
    "argsort": { x, a in [x[0].argsort(alongAxis: a.axis ?? 0, descendingOrder: a.descending ?? false)] },
    "cumulativeSum": { x, a in [a.axis.map { x[0].cumulativeSum(alongAxis: $0) } ?? x[0].cumulativeSum()] },
    "cumulativeProduct": { x, a in
      [a.axis.map { x[0].cumulativeProduct(alongAxis: $0) } ?? x[0].cumulativeProduct()]
    },
    "topK": { x, a in
      let (values, indices) = x[0].topK(a.k ?? 1)
      return [values, indices]
    },
  ]

  private static let shapes: [String: Run] = [
    "reshape": { x, a in [x[0].reshaped(to: a.shape ?? [])] }, "flatten": { x, _ in [x[0].flattened()] },
    "transpose": { x, _ in [x[0].transposed()] }, "permute": { x, a in [x[0].transposed(permutation: a.order ?? [])] },
    "reverse": { x, a in [x[0].reversed(alongAxes: a.axes ?? [])] },
    "expand": { x, a in [x[0].expandingShape(at: a.axes ?? [])] }, "squeeze": { x, _ in [x[0].squeezingShape()] },
    "squeezeAt": { x, a in [x[0].squeezingShape(at: a.axes ?? [])] },
    "tile": { x, a in [x[0].tiled(multiples: a.multiples ?? [])] },
    "concatenate": { x, a in [MLTensor(concatenating: x, alongAxis: a.axis ?? 0)] },
    "stack": { x, a in [MLTensor(stacking: x, alongAxis: a.axis ?? 0)] },
    "unstack": { x, a in x[0].unstacked(alongAxis: a.axis ?? 0) },
    "split": { x, a in x[0].split(count: a.count ?? 1, alongAxis: a.axis ?? 0) },
    "splitSizes": { x, a in x[0].split(sizes: a.sizes ?? [], alongAxis: a.axis ?? 0) },
    "band": { x, a in [x[0].bandPart(lowerBandCount: a.lower ?? 0, upperBandCount: a.upper ?? 0)] },
    "pad": { x, a in
      if x[0].scalarType == Int32.self { return [x[0].padded(forSizes: pairs(a), with: Int32(a.value ?? 0))] }
      return [x[0].padded(forSizes: pairs(a), with: a.value ?? 0)]
    },
    "padReflection": { x, a in [x[0].padded(forSizes: pairs(a), mode: .reflection)] },
    "padSymmetric": { x, a in [x[0].padded(forSizes: pairs(a), mode: .symmetric)] },
    "resize": { x, a in
      let size = (newHeight: a.size?[0] ?? 1, newWidth: a.size?[1] ?? 1)
      switch a.method {
      case "nearest": return [x[0].resized(to: size, method: .nearestNeighbor)]
      case "corners": return [x[0].resized(to: size, method: .bilinear(alignCorners: true))]
      case "centers": return [x[0].resized(to: size, method: .bilinear())]
      default: return [x[0].resized(to: size)]
      }
    },
    "matmul": { x, _ in [x[0].matmul(x[1])] },
    "range": { _, a in [MLTensor(rangeFrom: a.start ?? 0, to: a.end ?? 0, by: a.stride ?? 1)] },
    "linearSpace": { _, a in
      [MLTensor(linearSpaceFrom: a.start ?? 0, through: a.end ?? 0, count: a.count ?? 0)]
    },
    "zeros": { _, a in [MLTensor(zeros: a.shape ?? [], scalarType: Float.self)] },
    "ones": { _, a in [MLTensor(ones: a.shape ?? [], scalarType: Float.self)] },
    "repeating": { _, a in [MLTensor(repeating: a.value ?? 0, shape: a.shape ?? [])] },
  ]

  private static func pairs(_ arguments: TensorCase.Arguments) -> [(before: Int, after: Int)] {
    let sizes = arguments.sizes ?? []
    return stride(from: 0, to: sizes.count, by: 2).map { (sizes[$0], sizes[$0 + 1]) }
  }

  private static let places: [String: Run] = [
    "gather": { x, a in [x[0].gathering(atIndices: x[1], alongAxis: a.axis ?? 0)] },
    "gatherND": { x, _ in [x[0].gathering(atIndices: x[1])] },
    "replaceAt": { x, a in [x[0].replacing(with: x[1], atIndices: x[2], alongAxis: a.axis ?? 0)] },
    "replaceAlong": { x, a in [x[0].replacing(with: x[1], atIndices: x[2], alongAxis: a.axis ?? 0)] },
    "replaceNumberAlong": { x, a in
      let (value, axis) = (a.value ?? 0, a.axis ?? 0)
      if x[0].scalarType == Int32.self {
        return [x[0].replacing(atIndices: x[1], with: Int32(value), alongAxis: axis)]
      }
      return [x[0].replacing(atIndices: x[1], with: value, alongAxis: axis)]
    },
    "subscript": { x, a in [part(x[0], a.ranges ?? "")] },
  ]

  /// Each form of a subscript.
  private static func part(_ x: MLTensor, _ text: String) -> MLTensor {
    switch text {
    case "1": x[1]
    case "-1": x[-1]
    case "1, 2": x[1, 2]
    case "1, 2, 3": x[1, 2, 3]
    case "1..<3": x[1..<3]
    case "1...2": x[1...2]
    case "1...": x[1...]
    case "..<2": x[..<2]
    case "...2": x[...2]
    case "...": x[...]
    case "..., 0": x[..., 0]
    case "..., -1": x[..., -1]
    case "nil, -1, nil": x[nil, -1, nil]
    case "0, ...": x[0, ...]
    case "0, ..., 1": x[0, ..., 1]
    case "newAxis, 0": x[.newAxis, 0]
    case "nil, newAxis": x[nil, .newAxis]
    case "nil, 1...": x[nil, 1...]
    case "fillAll, 0": x[.fillAll, 0]
    case "stride": x[.range(0..<4, stride: 2)]
    case "0..<1 squeezed": x[0..<1][.squeezeAxis]
    default: preconditionFailure("no subscript is written \(text)")
    }
  }
}
