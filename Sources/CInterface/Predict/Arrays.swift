// swift-format-ignore-file: AlwaysUseLowerCamelCase
import CCoreMLRuntime
import CoreMLRuntime
import Foundation

/// Arrays of the caller's by the names of features, looked at once for all rows of a call.
struct CallerArrays {
  private struct Member {
    let name: String
    let type: MLMultiArrayDataType
    let data: UnsafeMutableRawPointer
    let shape: [NSNumber]
    let strides: [NSNumber]
    /// Bytes from one row to the next.
    let step: Int
  }

  private let members: [Member]

  /// - Parameter rows: How many rows the first axis of each array is; nil where there is no such axis.
  init(
    _ arrays: UnsafePointer<coreml_array>?, _ count: Int, rows: Int? = nil, _ argument: StaticString, _ call: Call
  ) throws {
    var names: Set<String> = []
    members = try call.elements(arrays, count, argument).map { array in
      let name = try call.text(array.name, "name of an array")
      guard names.insert(name).inserted else { throw call.failure(.value, "'\(name)' is given twice") }
      let type = try MLMultiArrayDataType(array.element, call)
      let (layout, data) = try call.memory(array, type)
      guard let rows else {
        return Member(
          name: name, type: type, data: data, shape: layout.shape.map { NSNumber(value: $0) },
          strides: layout.strides.map { NSNumber(value: $0) }, step: 0)
      }
      guard layout.shape.first == rows else {
        throw call.failure(
          .value, "the array of '\(name)' has the shape \(layout.shape), expected \(rows) rows as its first axis")
      }
      return Member(
        name: name, type: type, data: data, shape: layout.shape.dropFirst().map { NSNumber(value: $0) },
        strides: layout.strides.dropFirst().map { NSNumber(value: $0) }, step: layout.strides[0] * type.byteCount)
    }
  }

  var names: [String] { members.map(\.name) }

  /// The features of a row. Memory is the caller's until the call returns.
  func values(_ row: Int = 0) throws -> ArrayRow {
    var values: [String: MLFeatureValue] = [:]
    values.reserveCapacity(members.count)
    for member in members { values[member.name] = MLFeatureValue(multiArray: try array(member, row)) }
    return ArrayRow(values: values)
  }

  /// What a prediction of a row writes to.
  func backings(_ row: Int = 0) throws -> MLPredictionOptions {
    let options = MLPredictionOptions()
    for member in members { options.outputBackings[member.name] = try array(member, row) }
    return options
  }

  private func array(_ member: Member, _ row: Int) throws -> MLMultiArray {
    try MLMultiArray(
      dataPointer: member.data + row * member.step, shape: member.shape, dataType: member.type, strides: member.strides)
  }
}

/// Tensors by name.
final class ArrayRow: MLFeatureProvider {
  private let values: [String: MLFeatureValue]

  init(values: [String: MLFeatureValue]) { self.values = values }

  var featureNames: Set<String> { Set(values.keys) }
  func featureValue(for featureName: String) -> MLFeatureValue? { values[featureName] }
}

extension Call {
  /// What an array's members say of its memory.
  fileprivate func memory(
    _ array: coreml_array, _ type: MLMultiArrayDataType
  ) throws -> (TensorLayout, UnsafeMutableRawPointer) {
    let layout = try TensorLayout(array.rank, array.shape, array.strides, self)
    return (layout, try memory(array.data, array.size, layout, type))
  }

  fileprivate func arrays(
    of model: ModelHandle, _ outputs: CallerArrays, _ options: PredictOptions
  ) throws {
    guard options.backings == nil else { throw failure(.value, "arrays are given for outputs, and backings as well") }
    for name in outputs.names where !model.outputNames.contains(name) {
      throw failure(.missing, "an array is given for '\(name)', and the model has no such output")
    }
  }
}

@c @implementation
public func coreml_predict_arrays(
  _ model: OpaquePointer?, _ inputs: UnsafePointer<coreml_array>?, _ input_count: Int,
  _ outputs: UnsafePointer<coreml_array>?, _ output_count: Int, _ options: UnsafePointer<coreml_predict_options>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> coreml_status {
  Call("coreml_predict_arrays", error).run { call in
    let model: ModelHandle = try call.handle(model, "model")
    let inputs = try CallerArrays(inputs, input_count, "inputs", call)
    let outputs = try CallerArrays(outputs, output_count, "outputs", call)
    let options = try PredictOptions(options, call)
    try call.arrays(of: model, outputs, options)
    _ = try options.predict(model, inputs.values(), outputs.backings(), call)
  }
}

@c @implementation
public func coreml_predict_rows(
  _ model: OpaquePointer?, _ inputs: UnsafePointer<coreml_array>?, _ input_count: Int,
  _ outputs: UnsafePointer<coreml_array>?, _ output_count: Int, _ rows: Int,
  _ options: UnsafePointer<coreml_predict_options>?, _ failed: UnsafeMutablePointer<Int>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> coreml_status {
  failed?.pointee = 0
  return Call("coreml_predict_rows", error).run { call in
    let model: ModelHandle = try call.handle(model, "model")
    guard rows >= 0 else { throw call.failure(.size, "\(UInt(bitPattern: rows)) rows are more than memory can hold") }
    let inputs = try CallerArrays(inputs, input_count, rows: rows, "inputs", call)
    let outputs = try CallerArrays(outputs, output_count, rows: rows, "outputs", call)
    let options = try PredictOptions(options, call)
    try call.arrays(of: model, outputs, options)
    guard options.state == nil else { throw call.failure(.value, "rows do not take a state") }
    for row in 0..<rows {
      failed?.pointee = row
      _ = try options.predict(model, inputs.values(row), outputs.backings(row), call)
    }
    failed?.pointee = 0
  }
}
