import Foundation
import MIL

extension MLModel {
  /// Predicts from tensors. What they are made of is computed first; the outputs are where the model wrote them, and are copied by nobody.
  ///
  /// - Throws: `MLModelError`, `featureType` where an input is missing or does not fit, or an output is no multi-array.
  public func prediction(from inputs: [String: MLTensor]) async throws -> [String: MLTensor] {
    try await predicted(inputs) { try self.prediction(from: $0) }
  }

  /// Predicts from tensors with a state, which it changes.
  ///
  /// - Throws: `MLModelError`, `featureType` where an input is missing or does not fit, or an output is no multi-array.
  public func prediction(from inputs: [String: MLTensor], using state: MLState) async throws -> [String: MLTensor] {
    try await predicted(inputs) { try self.prediction(from: $0, using: state) }
  }

  private func predicted(
    _ inputs: [String: MLTensor], _ predict: @escaping @Sendable (any MLFeatureProvider) throws -> any MLFeatureProvider
  ) async throws -> [String: MLTensor] {
    try await offCaller {
      // What is under way becomes one program, as far as it is of one policy.
      try MLModelError.wrapping(.generic) { try TensorGraph.compute(inputs.values.map(\.value)) }
      let features = try inputs.mapValues { tensor -> MLFeatureValue in
        guard let numbers = tensor.value.tensor else { throw MLModelError(.generic, "a tensor was not computed") }
        return MLFeatureValue(multiArray: try MLMultiArray(sharing: numbers))
      }
      let output = try predict(MLDictionaryFeatureProvider(values: features))
      var tensors: [String: MLTensor] = [:]
      for name in output.featureNames {
        guard let array = output.featureValue(for: name)?.multiArrayValue else {
          throw MLModelError(
            .featureType, "the output '\(name)' is no multi-array, and tensors are all that is asked for")
        }
        tensors[name] = MLTensor(try MLModelError.wrapping(.generic) { try array.shared() })
      }
      return tensors
    }
  }
}

extension MLMultiArray {
  /// An array over a tensor's memory where the types are the same, which nobody may write to; else over a converted copy.
  convenience init(sharing tensor: Tensor) throws {
    let type: MLMultiArrayDataType
    switch tensor.scalar {
    case .float16: type = .float16
    case .float32: type = .float32
    case .int8: type = .int8
    default: type = .int32
    }
    let numbers = try MLModelError.wrapping(.generic) { try Casting.converted(tensor, to: type.scalar) }
    let storage = numbers.storage
    self.init(
      UnsafeMutableRawPointer(mutating: storage.pointer), ShapedLayout(firstMajor: numbers.shape), type
    ) { _ in withExtendedLifetime(storage) {} }
  }

  /// The elements as a tensor over the array's memory where they lie in a row, of a type that tensors are made of; double precision
  /// becomes single.
  func shared() throws -> Tensor { try borrowed(as: dataType == .double ? .float32 : dataType.scalar) }
}
