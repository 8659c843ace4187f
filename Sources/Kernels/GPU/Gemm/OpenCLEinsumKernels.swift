import MIL

/// OpenCL kernels for `einsum`.
enum OpenCLEinsumKernels {
  static let all: [KernelImplementation] =
    CLMatrixProduct.Way.allCases.map { way in
      KernelImplementation("einsum.opencl.\(way.rawValue)", for: "einsum", on: .openCL, mixesPrecisions: true) {
        problem in
        try OpenCLEinsumProduct(problem).candidate(problem, by: way)
      }
    } + [
      KernelImplementation("einsum.opencl", for: "einsum", on: .openCL) { problem in
        try problem.requireScalar(.float32, of: ["values"])
        let context = try problem.requireOpenCL()
        let equation = try EinsumEquation(problem.invocation)
        let sizes = try equation.sizes(problem.invocation)
        let summed = Set(equation.inputs.joined()).subtracting(equation.output).sorted()
        let order = equation.output + summed
        guard equation.inputs.count <= CLEinsum.mostOperands, order.count <= CLEinsum.mostLabels else {
          throw Refusal("\(equation.inputs.count) operands and \(order.count) labels")
        }
        let shapes = try equation.inputs.indices.map { try problem.sizes("values", $0) }
        let labels = CLEinsum.Labels(
          kept: equation.output.map { sizes[$0]?.value ?? 0 }, summed: summed.map { sizes[$0]?.value ?? 0 },
          strides: zip(equation.inputs, shapes).map { EinsumEquation.strides($0, $1, order) },
          counts: shapes.map { $0.reduce(1, *) })
        guard let products = TensorType.elementCount(labels.kept + labels.summed), products <= 1 << 36 else {
          throw Refusal("there are too many products to sum")
        }
        let slots = problem.slots("values")
        // Elements are read again for each product.
        return Candidate(efficiency: 0.02) {
          let launch = try CLEinsum(context, labels)
          return .openCL { frame in try launch.enqueue(on: frame.queue, frame.inputs, slots, y: frame.outputs[0]) }
        }
      }
    ]
}
