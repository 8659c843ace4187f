/// Matrix products (coremltools: `linear`, `matmul`).
enum LinearOperations {
  static let all: [OperationDefinition] = [
    OperationDefinition(
      "linear", [.required("x"), .required("weight"), .optional("bias")],
      work: { MatrixProduct.work($0, $1, depth: "x") }
    ) { [.tensor(try MatrixProduct.linearType($0))] },
    OperationDefinition(
      "matmul", [.required("x"), .required("y"), .optional("transpose_x"), .optional("transpose_y")],
      work: { call, outputs in
        let depth = (try? MatrixProduct.Matmul(call).depth.value) ?? 1
        return Work(flops: 2 * Double(outputs.first?.tensor?.elementCount ?? 0) * Double(depth))
      }
    ) { call in
      let product = try MatrixProduct.Matmul(call)
      return [.tensor(TensorType(product.scalar, product.output))]
    },
  ]
}

/// The arguments of the matrix products.
package enum MatrixProduct {
  /// x [..., D_in], weight [D_out, D_in], bias [D_out]: x weight^T + bias, of the type of x.
  static func linearType(_ call: Invocation) throws -> TensorType {
    let x = try call.tensor("x")
    let weight = try call.shape("weight")
    guard let depth = x.shape.last, weight.count == 2, weight[1].agrees(with: depth) else {
      throw call.error(
        .invalidShape, "'x' is \(x) and 'weight' has rank \(weight.count): expected [..., D_in] and [D_out, D_in]")
    }
    try Convolution.requireBias(call, channels: weight[0])
    return TensorType(x.scalar, Array(x.shape.dropLast()) + [weight[0]])
  }

  static func work(_ call: Invocation, _ outputs: [ValueType], depth name: String) -> Work {
    let depth = (try? call.shape(name).last?.value) ?? 1
    return Work(flops: 2 * Double(outputs.first?.tensor?.elementCount ?? 0) * Double(depth))
  }

  /// NumPy's `matmul` of x and y, with optional transposes of their last two axes. Batch axes broadcast. An operand of
  /// rank 1 is a row (x) or a column (y), and the result lacks that axis.
  package struct Matmul: Sendable {
    package let transposeX: Bool
    package let transposeY: Bool
    /// Rows (M), columns (N) and inner dimension (K) of the product.
    package let rows: Dimension
    package let columns: Dimension
    package let depth: Dimension
    /// The batch axes of the operands, and their broadcast.
    package let batchX: [Dimension]
    package let batchY: [Dimension]
    package let batch: [Dimension]
    /// The shape of the result.
    package let output: [Dimension]
    package let scalar: ScalarType

    package init(_ call: Invocation) throws {
      let x = try call.tensor("x")
      let y = try call.tensor("y")
      guard x.rank >= 1, y.rank >= 1 else {
        throw call.error(.invalidShape, "'x' is \(x) and 'y' is \(y): both must have at least one axis")
      }
      transposeX = try x.rank > 1 && call.bool("transpose_x", default: false)
      transposeY = try y.rank > 1 && call.bool("transpose_y", default: false)
      let a = x.rank == 1 ? [1] + x.shape : x.shape
      let b = y.rank == 1 ? y.shape + [1] : y.shape
      rows = a[a.count - (transposeX ? 1 : 2)]
      columns = b[b.count - (transposeY ? 2 : 1)]
      let left = a[a.count - (transposeX ? 2 : 1)]
      let right = b[b.count - (transposeY ? 1 : 2)]
      guard left.agrees(with: right) else {
        throw call.error(
          .invalidShape, "'x' is \(x) and 'y' is \(y): sums of \(left) and \(right) products do not agree")
      }
      depth = left.isKnown ? left : right
      batchX = Array(a.dropLast(2))
      batchY = Array(b.dropLast(2))
      batch = try call.broadcast(batchX, batchY)
      output = batch + (x.rank == 1 ? [] : [rows]) + (y.rank == 1 ? [] : [columns])
      // If the types differ, the result has the type of the operand that is not constant (iOS17). At run time all
      // values are known, so the declared type decides.
      let declared = call.operation.outputs.first?.type.tensor?.scalar
      let isConstantX = call.valueIfKnown("x") != nil && call.valueIfKnown("y") == nil
      scalar = declared == x.scalar || declared == y.scalar ? declared ?? x.scalar : isConstantX ? y.scalar : x.scalar
    }
  }
}
