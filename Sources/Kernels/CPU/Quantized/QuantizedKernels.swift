import CKernels
import MIL

/// Kernels on bytes: quantized convolutions, and the operations between them.
enum QuantizedKernels {
  static let all: [KernelImplementation] = [
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
