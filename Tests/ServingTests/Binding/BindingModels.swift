@testable import CoreMLServing
import CoreMLRuntime
import CoreMLServingInterface
import Foundation
import TestModels
import TestSupport

/// Small Core ML models, and tensors for them.
enum BindingModels {
  static func bound(_ bytes: [UInt8]) throws -> BoundModel {
    let folder = FileManager.default.temporaryDirectory.appending(path: "serving-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "m.mlmodel")
    try Data(bytes).write(to: file)
    return try bound(file)
  }

  static func bound(_ file: URL) throws -> BoundModel {
    let model = try MLModel(opening: file, configuration: MLModelConfiguration())
    let binding = ModelBinding(model.modelDescription)
    return BoundModel(model, binding, try ModelTrial(model, binding))
  }

  /// y = x + 1, of two fp32 numbers.
  static func adder() throws -> BoundModel {
    try bound(
      FeatureModels.model(500, [.floats("x", [2])], [.floats("y", [2])]) { $0.append(1, bytes: Net.add("x", 1, "y")) })
  }

  /// Each kind of feature, unchanged.
  static func kinds() throws -> BoundModel { try bound(Checkout.cases.appending(path: "interface/kinds.mlmodel")) }

  static func tensor<Element: BitwiseCopyable>(
    _ name: String, _ type: TensorType, _ shape: [Int], _ values: [Element]
  ) throws -> ServingTensor { try ServingTensor(name, type, shape: shape, copying: values) }

  static func bytes(_ name: String, _ strings: [[UInt8]], shape: [Int]? = nil) -> ServingTensor {
    ServingTensor(name: name, type: .bytes, shape: shape ?? [strings.count], content: .byteStrings(strings))
  }

  static func values<Element: BitwiseCopyable>(_ tensor: ServingTensor?, as type: Element.Type) -> [Element]? {
    guard case .elements(let memory)? = tensor?.content else { return nil }
    let size = MemoryLayout<Element>.stride
    return (0..<memory.bytes.count / size).map { memory.bytes.loadUnaligned(fromByteOffset: $0 * size, as: type) }
  }

  static func strings(_ tensor: ServingTensor?) -> [String]? {
    guard case .byteStrings(let strings)? = tensor?.content else { return nil }
    return strings.map { String(decoding: $0, as: UTF8.self) }
  }
}

extension BoundModel {
  /// Checks and predicts one request.
  func predict(
    _ inputs: [ServingTensor], _ outputs: [RequestedOutput] = [], sequence: SequenceState? = nil
  ) throws -> [ServingTensor] {
    let request = InferenceRequest(model: "m", inputs: inputs, outputs: outputs)
    _ = try binding.check(request)
    return try run([PreparedRequest(request, sequence: sequence)]).rows[0].get()
  }
}
