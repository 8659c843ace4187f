import CoreMLBase
import MIL

enum LinearReference {
  static let all: [Reference] = [
    Reference.numeric("linear") { call in
      let weight = try call.sizes("weight")
      return try product(
        call.doubles("x"), call.doubles("weight"), columns: weight[0], depth: weight[1],
        bias: call.has("bias") ? call.doubles("bias") : nil, isTransposed: true)
    },
    Reference.numeric("matmul") { call in
      let product = try MatrixProduct.Matmul(call.invocation)
      guard let rows = product.rows.value, let columns = product.columns.value, let depth = product.depth.value else {
        throw call.invocation.error(.unknownValue, "the shapes are not known")
      }
      let x = try call.doubles("x")
      let y = try call.doubles("y")
      let batch = product.batch.map { $0.value ?? 0 }
      let a = Broadcast(from: product.batchX.map { $0.value ?? 0 }, to: batch)
      let b = Broadcast(from: product.batchY.map { $0.value ?? 0 }, to: batch)
      var result: [Double] = []
      var point = CancellationPoint()
      for index in Indices(batch) {
        let left = a.offset(index) * rows * depth
        let right = b.offset(index) * depth * columns
        for row in 0..<rows {
          for column in 0..<columns {
            try point.pass(depth)
            var sum = 0.0
            for k in 0..<depth {
              sum +=
                x[left + (product.transposeX ? k * rows + row : row * depth + k)]
                * y[right + (product.transposeY ? column * depth + k : k * columns + column)]
            }
            result.append(sum)
          }
        }
      }
      return result
    },
    Reference.numeric("einsum") { call in
      let equation = try EinsumEquation(call.invocation)
      let sizes = try equation.sizes(call.invocation)
      let labels = equation.output + Set(equation.inputs.joined()).subtracting(equation.output).sorted()
      let space = labels.map { sizes[$0]?.value ?? 0 }
      let operands = try equation.inputs.indices.map { index in
        (
          try call.doubles("values", index),
          EinsumEquation.strides(equation.inputs[index], try call.sizes("values", index), labels)
        )
      }
      guard TensorType.elementCount(space) != nil else {
        throw call.invocation.error(.invalidShape, "there are too many products to sum")
      }
      let outer = space[..<equation.output.count].reduce(1, *)
      var result = Array(repeating: 0.0, count: outer)
      let inner = space[equation.output.count...].reduce(1, *)
      var point = CancellationPoint()
      for (position, index) in Indices(space).enumerated() {
        try point.pass()
        var term = 1.0
        for (elements, strides) in operands {
          term *= elements[zip(index, strides).reduce(0) { $0 + $1.0 * $1.1 }]
        }
        result[position / inner] += term
      }
      return result
    },
  ]

  /// Rows of `x` times a weight matrix, [columns, depth] if transposed, plus a bias for each column.
  static func product(
    _ x: [Double], _ weight: [Double], columns: Int, depth: Int, bias: [Double]?, isTransposed: Bool
  ) throws -> [Double] {
    guard depth > 0 else { return [] }
    var result: [Double] = []
    var point = CancellationPoint()
    for row in 0..<x.count / depth {
      for column in 0..<columns {
        try point.pass(depth)
        var sum = bias?[column] ?? 0
        for k in 0..<depth {
          sum += x[row * depth + k] * weight[isTransposed ? column * depth + k : k * columns + column]
        }
        result.append(sum)
      }
    }
    return result
  }
}

extension EinsumEquation {
  /// The strides of an operand of `sizes` for each of `labels`. 0 if it lacks the label or the axis has one element.
  static func strides(_ own: [Character], _ sizes: [Int], _ labels: [Character]) -> [Int] {
    let strides = rowMajorStrides(sizes)
    return labels.map { label in
      own.indices.reduce(0) { $0 + (own[$1] == label && sizes[$1] != 1 ? strides[$1] : 0) }
    }
  }
}
