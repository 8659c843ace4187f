/// Pooling over the spatial axes (coremltools: `avg_pool`, `l2_pool`, `max_pool`).
enum PoolingOperations {
  static let all: [OperationDefinition] = [
    OperationDefinition(
      "avg_pool", Pooling.parameters + [.optional("exclude_padding_from_average")], work: { Pooling.work($0, $1) }
    ) { [.tensor(try Pooling.outputType($0))] },
    OperationDefinition("l2_pool", Pooling.parameters, work: { Pooling.work($0, $1) }) {
      [.tensor(try Pooling.outputType($0))]
    },
    OperationDefinition("max_pool", Pooling.parameters, work: { Pooling.work($0, $1) }) {
      [.tensor(try Pooling.outputType($0))]
    },
  ]
}

/// The arguments of the pooling operations, for their type rule, their references and their kernels.
package enum Pooling {
  static let parameters: [Parameter] = [
    .required("x"), .required("kernel_sizes"), .optional("strides"), .optional("pad_type"), .optional("pad"),
    .optional("ceil_mode"),
  ]

  /// x [n, C, ...] with one to three spatial axes, and one entry of `kernel_sizes` per axis.
  static func outputType(_ call: Invocation) throws -> TensorType {
    let x = try call.tensor("x")
    let window = try window(call, rank: x.rank)
    let spatial = try x.shape[2...].enumerated().map { axis, size in
      let output = window.output(axis, input: size)
      if let value = output.value, value < 1, size.value != 0 {
        throw call.error(.invalidShape, "spatial axis \(axis) of \(size) elements is shorter than the window")
      }
      return output
    }
    return TensorType(x.scalar, Array(x.shape[..<2]) + spatial)
  }

  private static func window(_ call: Invocation, rank: Int) throws -> Window {
    let kernel = try call.ints("kernel_sizes")
    guard (3...5).contains(rank), kernel.count == rank - 2, kernel.allSatisfy({ $0 >= 1 }),
      kernel.reduce(Dimension(1), { $0 * $1 }).value.map({ $0 <= 1 << 40 }) ?? false
    else {
      throw call.error(
        .invalidShape,
        "'x' of rank \(rank) needs 1 to 3 spatial axes, and as many 'kernel_sizes' as it has; they are \(kernel)")
    }
    return try Window(call, kernel: kernel.map { Dimension($0) })
  }

  /// The concrete geometry. Each channel is its own group.
  package static func geometry(_ call: Invocation) throws -> WindowGeometry {
    let output = try outputType(call)
    let x = try call.sizes("x")
    let window = try window(call, rank: x.count)
    let pads = x[2...].enumerated().map { window.pads($0.offset, input: Dimension($0.element)) }
    return try WindowGeometry(
      call, batch: x[0], inChannels: x[1], outChannels: x[1], groups: x[1], input: Array(x[2...]),
      output: Array(output.shape[2...]), window: window, pads: pads)
  }

  static func work(_ call: Invocation, _ outputs: [ValueType]) -> Work {
    let kernel = ((try? call.ints("kernel_sizes")) ?? []).reduce(1.0) { $0 * Double($1) }
    return Work(flops: Double(outputs.first?.tensor?.elementCount ?? 0) * kernel)
  }
}
