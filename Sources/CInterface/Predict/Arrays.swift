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
    /// Each row is a number, and not a tensor.
    let isNumber: Bool
  }

  private let members: [Member]
  private let places: [String: Int]

  /// - Parameters:
  ///   - rows: How many rows the first axis of each array is; nil where there is no such axis.
  ///   - numbers: The features of which each row is a number.
  init(
    _ arrays: UnsafePointer<coreml_array>?, _ count: Int, rows: Int? = nil, numbers: Set<String> = [],
    _ argument: StaticString, _ call: Call
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
          strides: layout.strides.map { NSNumber(value: $0) }, step: 0, isNumber: false)
      }
      guard layout.shape.first == rows else {
        throw call.failure(
          .value, "the array of '\(name)' has the shape \(layout.shape), expected \(rows) rows as its first axis")
      }
      guard !numbers.contains(name) || layout.shape.count == 1 else {
        throw call.failure(.value, "the array of '\(name)' has the shape \(layout.shape), expected a number a row")
      }
      return Member(
        name: name, type: type, data: data, shape: layout.shape.dropFirst().map { NSNumber(value: $0) },
        strides: layout.strides.dropFirst().map { NSNumber(value: $0) }, step: layout.strides[0] * type.byteCount,
        isNumber: numbers.contains(name))
    }
    places = Dictionary(uniqueKeysWithValues: members.enumerated().map { ($1.name, $0) })
  }

  var names: [String] { members.map(\.name) }

  /// The features of a row. Memory is the caller's until the call returns.
  func values(_ row: Int = 0) throws -> ArrayRow {
    ArrayRow(
      places,
      try members.map { member in
        member.isNumber
          ? MLFeatureValue(double: number(member, row)) : MLFeatureValue(multiArray: try array(member, row))
      })
  }

  /// What a prediction of a row writes to.
  func backings(_ row: Int = 0) throws -> MLPredictionOptions {
    let options = MLPredictionOptions()
    for member in members where !member.isNumber { options.outputBackings[member.name] = try array(member, row) }
    return options
  }

  /// Whether numbers that come out can be written.
  func requireNumbers(_ call: Call) throws {
    for member in members where member.isNumber && member.type != .double && member.type != .float32 {
      throw call.failure(
        .value, "the array of '\(member.name)' is of \(member.type.word), expected COREML_FLOAT64 or COREML_FLOAT32")
    }
  }

  /// Writes the numbers among a row's results.
  func write(_ results: any MLFeatureProvider, _ row: Int, _ call: Call) throws {
    for member in members where member.isNumber {
      guard let value = results.featureValue(for: member.name), value.type == .double else {
        throw call.failure(.value, "no number came out as '\(member.name)'")
      }
      let place = member.data + row * member.step
      if member.type == .double {
        place.storeBytes(of: value.doubleValue, as: Double.self)
      } else {
        place.storeBytes(of: Float(value.doubleValue), as: Float.self)
      }
    }
  }

  private func number(_ member: Member, _ row: Int) -> Double {
    let place = UnsafeRawPointer(member.data + row * member.step)
    return switch member.type {
    case .double: place.load(as: Double.self)
    case .float32: Double(place.load(as: Float.self))
    case .float16: Double(Float(place.load(as: Float16.self)))
    case .int32: Double(place.load(as: Int32.self))
    case .int8: Double(place.load(as: Int8.self))
    }
  }

  private func array(_ member: Member, _ row: Int) throws -> MLMultiArray {
    try MLMultiArray(
      dataPointer: member.data + row * member.step, shape: member.shape, dataType: member.type, strides: member.strides)
  }
}

/// Values by the names of the caller's arrays.
final class ArrayRow: MLFeatureProvider {
  private let places: [String: Int]
  private let values: [MLFeatureValue]

  fileprivate init(_ places: [String: Int], _ values: [MLFeatureValue]) {
    (self.places, self.values) = (places, values)
  }

  var featureNames: Set<String> { Set(places.keys) }
  func featureValue(for featureName: String) -> MLFeatureValue? { places[featureName].map { values[$0] } }
}

/// Several rows of the caller's arrays.
private final class ArrayRows: MLBatchProvider {
  private let arrays: CallerArrays
  private let rows: Range<Int>

  init(_ arrays: CallerArrays, _ rows: Range<Int>) throws {
    (self.arrays, self.rows) = (arrays, rows)
    // What a row's arrays cannot be, no row's can: the layout is one.
    _ = try arrays.values(rows.lowerBound)
  }

  var count: Int { rows.count }
  func features(at index: Int) -> any MLFeatureProvider {
    (try? arrays.values(rows.lowerBound + index)) ?? ArrayRow([:], [])
  }
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
    try outputs.requireNumbers(self)
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
    let description = model.model.modelDescription
    let inputs = try CallerArrays(
      inputs, input_count, rows: rows, numbers: description.inputs.numbers, "inputs", call)
    let outputs = try CallerArrays(
      outputs, output_count, rows: rows, numbers: description.outputs.numbers, "outputs", call)
    let options = try PredictOptions(options, call)
    try call.arrays(of: model, outputs, options)
    guard options.state == nil else { throw call.failure(.value, "rows do not take a state") }
    // Where nothing but numbers comes out many rows are predicted together; tensors are written in place, one by one.
    let isOfNumbers = !outputs.names.isEmpty && description.outputs.allSatisfy { $0.type == .double }
    let most = isOfNumbers ? 4096 : 1
    for first in stride(from: 0, to: rows, by: most) {
      failed?.pointee = first
      let group = first..<min(first + most, rows)
      if group.count > 1, let results = try? options.predictions(model, ArrayRows(inputs, group), call) {
        for row in group { try outputs.write(results.features(at: row - first), row, call) }
        continue
      }
      // One by one it is told which row fails.
      for row in group {
        failed?.pointee = row
        try outputs.write(options.predict(model, inputs.values(row), outputs.backings(row), call), row, call)
      }
    }
    failed?.pointee = 0
  }
}

extension [MLFeatureDescription] {
  /// The names of those that are numbers.
  fileprivate var numbers: Set<String> { Set(filter { $0.type == .double }.map(\.name)) }
}
