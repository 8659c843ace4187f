import Foundation
import MIL

extension MLModel {
  /// Predicts from tensors. The pending operations of the inputs run first. The outputs use the memory that the model
  /// wrote, without a copy.
  ///
  /// - Throws: `MLModelError` with the code `featureType` if an input is missing or does not match, or if an output is
  ///   not a multi-array.
  public func prediction(from inputs: [String: MLTensor]) async throws -> [String: MLTensor] {
    try await predicted(inputs) { try self.prediction(from: $0) }
  }

  /// Predicts from tensors with a state and updates the state.
  ///
  /// - Throws: `MLModelError` with the code `featureType` if an input is missing or does not match, or if an output is
  ///   not a multi-array.
  public func prediction(from inputs: [String: MLTensor], using state: MLState) async throws -> [String: MLTensor] {
    try await predicted(inputs) { try self.prediction(from: $0, using: state) }
  }

  private func predicted(
    _ inputs: [String: MLTensor], _ predict: @escaping @Sendable (any MLFeatureProvider) throws -> any MLFeatureProvider
  ) async throws -> [String: MLTensor] {
    try await offCaller {
      // The pending operations of all inputs become one program for each compute policy.
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
            .featureType, "the output '\(name)' is not a multi-array and cannot be returned as a tensor")
        }
        tensors[name] = MLTensor(try MLModelError.wrapping(.generic) { try array.shared() })
      }
      return tensors
    }
  }
}

extension MLMultiArray {
  /// Creates an array that uses the tensor's memory if the types are equal; nothing may write to it. Otherwise the
  /// array holds a converted copy.
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

  /// Returns the elements as a tensor that uses the array's memory, if they are contiguous and of a type that tensors
  /// support. Otherwise the tensor holds a copy. `double` elements are converted to fp32.
  func shared() throws -> Tensor { try borrowed(as: dataType == .double ? .float32 : dataType.scalar) }
}
