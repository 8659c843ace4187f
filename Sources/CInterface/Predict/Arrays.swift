// swift-format-ignore-file: AlwaysUseLowerCamelCase
import CCoreMLRuntime
import CoreMLRuntime
import Foundation

/// The caller's arrays by feature name. They are checked once for all rows of a call.
struct CallerArrays {
  private struct Member {
    let column: BatchColumn
    let shape: [NSNumber]
    let strides: [NSNumber]
    let role: Role

    /// `sizes` and `steps` are the shape and strides of one row; `step` is the distance in bytes between rows.
    init(
      _ name: String, _ type: MLMultiArrayDataType, _ data: UnsafeMutableRawPointer, _ sizes: [Int], _ steps: [Int],
      step: Int, _ role: Role
    ) {
      column = BatchColumn(feature: name, type: type, data: data, shape: sizes, strides: steps, step: step)
      (shape, strides, self.role) = (sizes.map { NSNumber(value: $0) }, steps.map { NSNumber(value: $0) }, role)
    }

    /// One string per row.
    init(_ name: String, texts: UnsafeRawPointer) {
      column = BatchColumn(feature: name, texts: texts)
      (shape, strides, role) = ([], [], .text)
    }

    var name: String { column.feature }
    var type: MLMultiArrayDataType { column.type }
  }

  /// What a row of an array holds.
  enum Role {
    case tensor
    case number
    case text
    /// The index of a class label in the model's labels.
    case label
    /// One number for each of the model's labels.
    case shares
  }

  private let members: [Member]
  private let places: [String: Int]
  /// The model's labels with their indices.
  private let labels: [AnyHashable: Int32]

  /// - Parameters:
  ///   - rows: Number of rows, which is the first axis of each array; nil if the arrays have no such axis.
  ///   - roles: Roles by feature; other features are tensors.
  ///   - labels: The index of each of the model's labels.
  init(
    _ arrays: UnsafePointer<coreml_array>?, _ count: Int, rows: Int? = nil, roles: [String: Role] = [:],
    labels: [AnyHashable: Int32] = [:], _ argument: StaticString, _ call: Call
  ) throws {
    self.labels = labels
    var names: Set<String> = []
    members = try call.elements(arrays, count, argument).map { array in
      let name = try call.text(array.name, "name of an array")
      guard names.insert(name).inserted else { throw call.failure(.value, "'\(name)' is given twice") }
      if let rows, roles[name] == .text {
        return Member(name, texts: try call.texts(array, rows, name))
      }
      let type = try MLMultiArrayDataType(array.element, call)
      let (layout, data) = try call.memory(array, type)
      guard let rows else {
        return Member(name, type, data, layout.shape, layout.strides, step: 0, .tensor)
      }
      guard layout.shape.first == rows else {
        throw call.failure(
          .value, "the array of '\(name)' has the shape \(layout.shape), expected \(rows) rows as its first axis")
      }
      let role = roles[name] ?? .tensor
      switch role {
      case .number, .label:
        guard layout.shape.count == 1 else {
          throw call.failure(.value, "the array of '\(name)' has the shape \(layout.shape), expected a number a row")
        }
      case .shares:
        guard Array(layout.shape.dropFirst()) == [labels.count] else {
          throw call.failure(
            .value,
            "the array of '\(name)' has the shape \(layout.shape), expected a number for each of \(labels.count) labels a row"
          )
        }
      case .tensor, .text: break
      }
      return Member(
        name, type, data, Array(layout.shape.dropFirst()), Array(layout.strides.dropFirst()),
        step: layout.strides[0] * type.byteCount, role)
    }
    places = Dictionary(uniqueKeysWithValues: members.enumerated().map { ($1.name, $0) })
  }

  var names: [String] { members.map(\.name) }

  /// The features of a row. They borrow the caller's memory until the call returns.
  func values(_ row: Int = 0, _ call: Call) throws -> ArrayRow {
    ArrayRow(
      places,
      try members.map { member in
        switch member.role {
        case .number: return MLFeatureValue(double: member.column.number(row))
        case .text:
          guard let text = member.column.text(row) else {
            throw call.failure(.value, "the text of '\(member.name)' in row \(row) is null or not UTF-8")
          }
          return MLFeatureValue(string: text)
        case .tensor, .label, .shares: return MLFeatureValue(multiArray: try array(member, row))
        }
      })
  }

  /// The memory that a prediction of a row writes to.
  func backings(_ row: Int = 0) throws -> MLPredictionOptions {
    let options = MLPredictionOptions()
    for member in members where member.role == .tensor { options.outputBackings[member.name] = try array(member, row) }
    return options
  }

  /// Checks that the element types of arrays for outputs other than tensors can hold the results.
  func requireWritable(_ call: Call) throws {
    for member in members {
      let (allowed, words): ([MLMultiArrayDataType], String)
      switch member.role {
      case .tensor, .text: continue
      case .label: (allowed, words) = ([.int32], "COREML_INT32: a label's place among the model's labels")
      case .number, .shares: (allowed, words) = ([.double, .float32], "COREML_FLOAT64 or COREML_FLOAT32")
      }
      guard allowed.contains(member.type) else {
        throw call.failure(.value, "the array of '\(member.name)' is of \(member.type.word), expected \(words)")
      }
    }
  }

  /// Columns that the model reads and writes in place.
  var columns: [BatchColumn] { members.map(\.column) }

  /// Writes the results of a row that are not tensors.
  func write(_ results: any MLFeatureProvider, _ row: Int, _ call: Call) throws {
    for member in members where member.role != .tensor {
      let place = member.column.row(row)
      switch (member.role, results.featureValue(for: member.name)) {
      case (.number, let value?) where value.type == .double: store(value.doubleValue, member, place)
      case (.label, let value?):
        let label: AnyHashable = value.type == .string ? value.stringValue : value.int64Value
        place.storeBytes(of: try self.place(of: label, call), as: Int32.self)
      case (.shares, let value?) where value.type == .dictionary:
        let step = (member.strides.first?.intValue ?? 0) * member.type.byteCount
        let numbers = value.dictionaryValue
        guard numbers.count == labels.count else {
          throw call.failure(
            .value, "\(numbers.count) labels came out as '\(member.name)', the model has \(labels.count)")
        }
        for (label, number) in numbers {
          store(number.doubleValue, member, place + Int(try self.place(of: label, call)) * step)
        }
      default: throw call.failure(.value, "nothing came out as '\(member.name)' that its array can hold")
      }
    }
  }

  private func place(of label: AnyHashable, _ call: Call) throws -> Int32 {
    guard let place = labels[label] else {
      throw call.failure(.value, "the label '\(label)' came out, which is none of the model's")
    }
    return place
  }

  private func store(_ number: Double, _ member: Member, _ place: UnsafeMutableRawPointer) {
    if member.type == .double {
      place.storeBytes(of: number, as: Double.self)
    } else {
      place.storeBytes(of: Float(number), as: Float.self)
    }
  }

  private func array(_ member: Member, _ row: Int) throws -> MLMultiArray {
    try MLMultiArray(
      dataPointer: member.column.row(row), shape: member.shape, dataType: member.type, strides: member.strides)
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

extension Call {
  /// The layout and the memory of an array, checked.
  fileprivate func memory(
    _ array: coreml_array, _ type: MLMultiArrayDataType
  ) throws -> (TensorLayout, UnsafeMutableRawPointer) {
    let layout = try TensorLayout(array.rank, array.shape, array.strides, self)
    return (layout, try memory(array.data, array.size, layout, type))
  }

  /// The pointers to the strings of all rows.
  fileprivate func texts(_ array: coreml_array, _ rows: Int, _ name: String) throws -> UnsafeRawPointer {
    guard Int(array.element) == COREML_TEXT else {
      throw failure(.value, "the array of '\(name)' has numbers, expected COREML_TEXT: the input is a text")
    }
    // Pointers have the size of doubles.
    let (layout, data) = try memory(array, .double)
    guard layout.shape == [rows], rows < 2 || layout.strides == [1] else {
      throw failure(
        .value, "the array of '\(name)' has the shape \(layout.shape), expected \(rows) texts, one behind the other")
    }
    return UnsafeRawPointer(data)
  }

  fileprivate func arrays(
    of model: ModelHandle, _ outputs: CallerArrays, _ options: PredictOptions
  ) throws {
    guard options.backings == nil else { throw failure(.value, "arrays are given for outputs, and backings as well") }
    for name in outputs.names where !model.outputNames.contains(name) {
      throw failure(.missing, "an array is given for '\(name)', and the model has no such output")
    }
    try outputs.requireWritable(self)
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
    _ = try options.predict(model, inputs.values(0, call), outputs.backings(), call)
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
    let view = model.view
    let inputs = try CallerArrays(inputs, input_count, rows: rows, roles: view.inputRoles, "inputs", call)
    let outputs = try CallerArrays(
      outputs, output_count, rows: rows, roles: view.outputRoles, labels: view.labelPlaces, "outputs", call)
    let options = try PredictOptions(options, call)
    try call.arrays(of: model, outputs, options)
    guard options.state == nil else { throw call.failure(.value, "rows do not take a state") }
    // The model predicts as many leading rows as it can in one batch. The others run one by one, so that a failure
    // names its row.
    let done = try options.rows(model, 0..<rows, inputs.columns, outputs.columns, call)
    for row in done..<rows {
      failed?.pointee = row
      try outputs.write(options.predict(model, inputs.values(row, call), outputs.backings(row), call), row, call)
    }
    failed?.pointee = 0
  }
}

extension [MLFeatureDescription] {
  /// The roles of inputs other than tensors.
  func roles() -> [String: CallerArrays.Role] {
    let texts = filter { $0.type == .string }.map { ($0.name, CallerArrays.Role.text) }
    return roles(label: nil, shares: nil).merging(texts) { $1 }
  }

  /// The roles of outputs other than tensors.
  func roles(label: String?, shares: String?) -> [String: CallerArrays.Role] {
    var roles: [String: CallerArrays.Role] = [:]
    for feature in self {
      switch feature.type {
      case .double: roles[feature.name] = .number
      case .string where feature.name == label, .int64 where feature.name == label: roles[feature.name] = .label
      case .dictionary where feature.name == shares: roles[feature.name] = .shares
      default: continue
      }
    }
    return roles
  }
}
