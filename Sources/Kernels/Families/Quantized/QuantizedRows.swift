import CKernels
import MIL

extension KernelTable {
  /// Rows of bytes between products.
  static let quantizedRows: [Row] = [
    Row("quantized.conv.int8", for: "quantized.conv") { try QuantizedConvolution($0, from: .blocked).offer },
    Row("quantized.conv.dense.int8", for: "quantized.conv") { try QuantizedConvolution($0, from: .dense).offer },
    Row("quantized.conv.depthwise.int8", for: "quantized.conv") { try QuantizedDepthwise.offer($0) },
    Row("quantized.add.blocked.int8", for: "quantized.add") { try QuantizedElements.add($0, inBlocks: true) },
    Row("quantized.add.int8", for: "quantized.add") { try QuantizedElements.add($0, inBlocks: false) },
    Row("quantized.lookup.blocked.int8", for: "quantized.lookup") { try QuantizedElements.lookup($0, inBlocks: true) },
    Row("quantized.lookup.int8", for: "quantized.lookup") { try QuantizedElements.lookup($0, inBlocks: false) },
    Row("pool.blocked.int8", for: "max_pool") { try QuantizedElements.maxPool($0) },
    Row("quantize.blocked.int8", for: "quantize") { try QuantizedElements.convert($0) },
    Row("dequantize.blocked.int8", for: "dequantize") { try QuantizedElements.convert($0) },
  ]
}

extension KernelTable {
  /// Whether the processor has products of bytes.
  package static var multipliesBytes: Bool { ck_bytes_supported() }

  /// Whether a row of the CPU takes an operation on bytes, besides the reference.
  package static func takesBytes(_ invocation: Invocation, weights: [String: StoredWeight]) throws -> Bool {
    let outputs = try Operations.definition(of: invocation.operation).outputTypes(invocation).compactMap(\.tensor)
    let site = Site(invocation: invocation, outputs: outputs, threads: 1, weights: weights)
    return rows(for: invocation.operation, on: .cpu).contains { row in
      row.name != "reference" && (try? row.offer(site)) != nil
    }
  }
}
