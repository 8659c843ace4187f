import CoreMLBase
import Foundation
import MIL

/// Runs a custom layer as the operation `nn.custom`. It has one object of the application's class, which one thread at
/// a time calls.
final class CustomLayerCode: OperationCode, @unchecked Sendable {  // the lock guards the object
  private let layer: any MLCustomLayer
  /// Recursive, because a method may predict with the model that contains this object.
  private let lock = NSRecursiveLock()
  private let name: String

  /// Creates the object and passes it its weights.
  init(_ arguments: CustomArguments) throws {
    let className = try arguments.string("class_name")
    let name = "the layer '\(try arguments.string("layer"))' of the class '\(className)'"
    guard let type = MLCustomLayerRegistry.type(className) else {
      throw RuntimeError(
        .customLayer,
        "\(name) cannot be made: no such class is registered (MLCustomLayerRegistry.register(_:forClassName:))")
    }
    self.name = name
    let parameters = try arguments.parameters()
    let weights = try arguments.data("weights")
    layer = try Self.asking("init(parameters:)", of: name) { try type.init(parameters: parameters) }
    try Self.asking("setWeightData(_:)", of: name) { [layer] in try layer.setWeightData(weights) }
  }

  /// Calls a method of the application. An error is reported with the name of the method.
  private static func asking<R>(_ method: String, of name: String, _ body: () throws -> R) throws -> R {
    do { return try body() } catch {
      throw RuntimeError(.customLayer, "\(name): \(method) threw: \(error.sentence)", cause: error)
    }
  }

  private func error(_ message: String) -> RuntimeError { RuntimeError(.customLayer, "\(name): \(message)") }

  func outputTypes(_ call: Invocation) throws -> [ValueType] {
    let inputs = try (0..<call.count("values")).map { try call.sizes("values", $0).map { NSNumber(value: $0) } }
    let shapes = try lock.withLock {
      try Self.asking("outputShapes(forInputShapes:)", of: name) { try layer.outputShapes(forInputShapes: inputs) }
    }
    let declared = call.operation.outputs
    guard shapes.count == declared.count else {
      throw error("outputShapes(forInputShapes:) gave \(shapes.count) shapes, the layer has \(declared.count) outputs")
    }
    return try zip(shapes, declared).enumerated().map { index, pair in
      let sizes = pair.0.map(\.intValue)
      let rank = pair.1.type.tensor?.rank ?? 0
      guard rank == sizes.count else {
        throw error(
          "outputShapes(forInputShapes:) gave \(sizes) for output \(index), which has \(rank) axes in the model: the "
            + "layer's 'outputTensor' says how many there are")
      }
      guard sizes.allSatisfy({ $0 >= 0 }), let type = try? TensorType(.float32, sizes).validated("an output") else {
        throw error("outputShapes(forInputShapes:) gave \(sizes), which is not the shape of an array")
      }
      return .tensor(type)
    }
  }

  func evaluate(_ call: Invocation, outputs: [ValueType]) throws -> [Value] {
    let inputs = try (0..<call.count("values")).map { index in
      let tensor = try call.constant("values", index)
      // The protocol forbids writing to inputs.
      return try array(UnsafeMutableRawPointer(mutating: tensor.storage.pointer), tensor)
    }
    let results = try outputs.map { type in
      guard let type = type.tensor, let shape = type.concreteShape else { throw error("an output is \(type)") }
      return try Tensor.zeros(.float32, shape: shape)
    }
    let targets = try results.map { tensor in
      guard let pointer = tensor.storage.mutablePointer else { throw error("there is no memory for \(tensor.type)") }
      return try array(pointer, tensor)
    }
    try lock.withLock {
      try Self.asking("evaluate(inputs:outputs:)", of: name) { try layer.evaluate(inputs: inputs, outputs: targets) }
    }
    return results.map { .tensor($0) }
  }

  /// Creates an array that uses and retains a tensor's memory.
  private func array(_ pointer: UnsafeMutableRawPointer, _ tensor: Tensor) throws -> MLMultiArray {
    guard tensor.scalar == .float32 else { throw error("an input is \(tensor.type), expected fp32") }
    return MLMultiArray(pointer, ShapedLayout(firstMajor: tensor.shape), .float32) { _ in
      withExtendedLifetime(tensor) {}
    }
  }
}

extension Error {
  /// The error's own description.
  var sentence: String { (self as? any LocalizedError)?.errorDescription ?? "\(self)" }
}
