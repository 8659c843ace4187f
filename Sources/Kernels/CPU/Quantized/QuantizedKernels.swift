import CKernels
import MIL

extension KernelRegistry {
  /// Kernels on bytes: quantized convolutions, and the operations between them.
  static let quantizedKernels: [KernelImplementation] = [
    KernelImplementation("quantized.conv.int8", for: "quantized.conv") {
      try QuantizedConvolution($0, from: .blocked).candidate
    },
    KernelImplementation("quantized.conv.dense.int8", for: "quantized.conv") {
      try QuantizedConvolution($0, from: .dense).candidate
    },
    KernelImplementation("quantized.conv.depthwise.int8", for: "quantized.conv") {
      try QuantizedDepthwise.candidate($0)
    },
    KernelImplementation("quantized.add.nchwc.int8", for: "quantized.add") {
      try QuantizedElements.add($0, inBlocks: true)
    },
    KernelImplementation("quantized.add.int8", for: "quantized.add") { try QuantizedElements.add($0, inBlocks: false) },
    KernelImplementation("quantized.lookup.nchwc.int8", for: "quantized.lookup") {
      try QuantizedElements.lookup($0, inBlocks: true)
    },
    KernelImplementation("quantized.lookup.int8", for: "quantized.lookup") {
      try QuantizedElements.lookup($0, inBlocks: false)
    },
    KernelImplementation("pool.nchwc.int8", for: "max_pool") { try QuantizedElements.maxPool($0) },
    KernelImplementation("quantize.nchwc.int8", for: "quantize") { try QuantizedElements.convert($0) },
    KernelImplementation("dequantize.nchwc.int8", for: "dequantize") { try QuantizedElements.convert($0) },
  ]
}

extension KernelRegistry {
  /// Whether the processor has int8 dot products.
  package static var hasInt8Dot: Bool { ck_int8_supported() }

  /// Whether a CPU kernel besides the reference accepts an operation on bytes.
  package static func acceptsInt8(_ invocation: Invocation, weights: [String: StoredWeight]) throws -> Bool {
    let outputs = try Operations.definition(of: invocation.operation).outputTypes(invocation).compactMap(\.tensor)
    let problem = KernelProblem(invocation: invocation, outputs: outputs, threads: 1, weights: weights)
    return implementations(for: invocation.operation, on: .cpu).contains { kernel in
      kernel.name != "reference" && (try? kernel.match(problem)) != nil
    }
  }
}
