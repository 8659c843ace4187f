import Foundation
import MIL
import TestSupport

@testable import CoreMLKernels

/// One case of the differential driver, read from `Tests/Cases/<family>.json`: an array of
///
///     {"op": "clip", "name": "optional words",
///      "inputs": {"x": {"type": "fp32", "shape": [2, 3], "fill": "normal", "seed": 1}, "alpha": {"fp32": 0.5}},
///      "rtol": 1e-5, "atol": 1e-6,
///      "expected": [{"fp32": [..], "shape": [2, 3]}]}
///
/// An input is one of these values:
/// - `{"<type>": number or array, "shape": [...]}`. The default shape is that of the array.
/// - A bare integer, bool or string, scalar or array. Numbers may be `"nan"`, `"inf"` and `"-inf"`.
/// - `{"type", "shape", "fill": "normal" | "uniform" | "positive" | "range" | "ones" | "steps", "seed", "low",
///   "high"}`: generated data. With `steps`, values are integer multiples of "step", by default 1.
/// - `{"values": [...]}` for variadic parameters.
/// - `{"list": [values], "element": <type>, "shape": [...]}`: a list of tensors.
/// - `{"dictionary": [[key, number], ...], "key": "int64" | "string"}`: a dictionary to fp64.
///
/// Further keys of an input:
/// - `"const": true`: the value is known when kernels are matched. Scalars, strings, bools and bare values are always
///   constants.
/// - `"stored": "fp16"`, with `fill`: a constant that is stored in fp16.
/// - `"stored": "int8"` or `"int4"`, with `fill`: a constant of such integers with one scale per entry of the first axis.
///
/// Further keys of a case:
/// - `expected`: results recorded from an independent source.
/// - `"rows": ["..."]`: kernels that must match the case.
/// - `rtol` and `atol`, by default 1e-5 and 1e-6: the tolerance is `atol + rtol |expected|`. It limits the difference of
///   a kernel from the reference implementation, and of the reference implementation from `expected`.
/// - `"refused": "words"` instead of `expected`: the type rule or the reference implementation must throw an error that
///   contains these words.
struct Case {
  let operation: String
  let name: String
  let inputs: [String: [CaseInput]]
  let rtol: Double
  let atol: Double
  let expected: [Value]?
  let rows: [String]
  let refused: String?

  struct CaseInput {
    let value: Value
    let isConstant: Bool
    /// The value in the encoding of a model file.
    var stored: StoredWeight?
  }

  /// All cases of all files, in file order.
  static func all() throws -> [Case] {
    let files = try FileManager.default.contentsOfDirectory(at: Checkout.cases, includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == "json" }.sorted { $0.path < $1.path }
    return try files.flatMap { file in
      guard let list = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [[String: Any]] else {
        throw CaseError("\(file.lastPathComponent) is not an array of cases")
      }
      return try list.enumerated().map { try Case($0.element, "\(file.lastPathComponent)#\($0.offset)") }
    }
  }

  init(_ json: [String: Any], _ place: String) throws {
    guard let operation = json["op"] as? String else { throw CaseError("\(place): no op") }
    self.operation = operation
    name = "\(place) \(operation) \(json["name"] as? String ?? "")"
    rtol = (json["rtol"] as? NSNumber)?.doubleValue ?? 1e-5
    atol = (json["atol"] as? NSNumber)?.doubleValue ?? 1e-6
    rows = json["rows"] as? [String] ?? []
    refused = json["refused"] as? String
    var inputs: [String: [CaseInput]] = [:]
    for (parameter, input) in json["inputs"] as? [String: Any] ?? [:] {
      if let variadic = (input as? [String: Any])?["values"] as? [Any] {
        inputs[parameter] = try variadic.map { try Case.input($0, place) }
      } else {
        inputs[parameter] = [try Case.input(input, place)]
      }
    }
    self.inputs = inputs
    expected = try (json["expected"] as? [Any])?.map { try Case.input($0, place).value }
  }

  private static func input(_ json: Any, _ place: String) throws -> CaseInput {
    guard let object = json as? [String: Any] else {
      return CaseInput(value: .tensor(try bare(json, place)), isConstant: true)
    }
    let constant = object["const"] as? Bool
    if let fill = object["fill"] as? String {
      if let scalar = (object["stored"] as? String).flatMap(ScalarType.init(rawValue:)) {
        let (weight, dense) = try stored(made(object, fill, place).converted(to: scalar), place)
        return CaseInput(value: .tensor(dense), isConstant: false, stored: weight)
      }
      return CaseInput(value: .tensor(try made(object, fill, place)), isConstant: constant ?? false)
    }
    if let items = object["list"] as? [Any] {
      guard let scalar = (object["element"] as? String).flatMap(ScalarType.init(rawValue:)) else {
        throw CaseError("\(place): a list needs the type of its elements")
      }
      let type = TensorType(scalar, object["shape"] as? [Int] ?? [])
      return CaseInput(
        value: .list(try items.map { try input($0, place).value }, element: .tensor(type)), isConstant: false)
    }
    if let pairs = object["dictionary"] as? [[Any]] {
      return CaseInput(value: try dictionary(pairs, object["key"] as? String, place), isConstant: false)
    }
    for (key, content) in object {
      guard let scalar = ScalarType(rawValue: key) else { continue }
      let flat = flatten(content)
      let shape = (object["shape"] as? [Int]) ?? (content is [Any] ? [flat.count] : [])
      if scalar == .string {
        return CaseInput(value: .tensor(Tensor(strings: flat.map { "\($0)" }, shape: shape)), isConstant: true)
      }
      let tensor = try Tensor(scalar, shape: shape, doubles: flat.map { try number($0, place) })
      return CaseInput(value: .tensor(tensor), isConstant: constant ?? shape.isEmpty)
    }
    throw CaseError("\(place): an input without a type")
  }

  /// An fp32 constant that is stored as `tensor`, and its elements.
  static func stored(_ tensor: Tensor, _ place: String) throws -> (weight: StoredWeight, dense: Tensor) {
    if [.int8, .int4].contains(tensor.scalar) { return try scaled(tensor, place) }
    let call = Invocation(
      operation: Operation(
        "constexpr_cast", inputs: ["source_val": [.tensor(tensor)], "output_dtype": [.string("fp32")]],
        outputs: [NamedType("w", .tensor(tensor.type.with(scalar: .float32)))]),
      inputTypes: ["source_val": [.tensor(tensor.type)], "output_dtype": [Value.string("fp32").type]],
      values: ["source_val": [.tensor(tensor)], "output_dtype": [.string("fp32")]])
    guard let source = StoredWeight(tensor),
      let weight = try StoredWeight.results(of: call, ["source_val": source])?.first
    else { throw CaseError("\(place): no stored form of \(tensor.type)") }
    return (weight, try tensor.converted(to: .float32))
  }

  private static func scaled(_ tensor: Tensor, _ place: String) throws -> (weight: StoredWeight, dense: Tensor) {
    let (rows, whole) = (tensor.shape.first ?? 1, try tensor.doubles())
    let scales = (0..<rows).map { 0.002 * Double(1 + $0 % 3) }
    let scale = try Tensor(.float32, shape: [rows] + tensor.shape.dropFirst().map { _ in 1 }, doubles: scales)
    let call = Invocation(
      operation: Operation(
        "constexpr_blockwise_shift_scale", inputs: ["data": [.tensor(tensor)], "scale": [.tensor(scale)]],
        outputs: [NamedType("w", .tensor(tensor.type.with(scalar: .float32)))]),
      inputTypes: ["data": [.tensor(tensor.type)], "scale": [.tensor(scale.type)]],
      values: ["data": [.tensor(tensor)], "scale": [.tensor(scale)]])
    guard let data = StoredWeight(tensor), let factors = StoredWeight(scale),
      let weight = try StoredWeight.results(of: call, ["data": data, "scale": factors])?.first
    else { throw CaseError("\(place): no stored form of \(tensor.type)") }
    let numbers = whole.indices.map { Double(Float(whole[$0]) * Float(scales[$0 / (whole.count / rows)])) }
    return (weight, try Tensor(.float32, shape: tensor.shape, doubles: numbers))
  }

  private static func dictionary(_ pairs: [[Any]], _ key: String?, _ place: String) throws -> Value {
    guard let scalar = key.flatMap(ScalarType.init(rawValue:)) else {
      throw CaseError("\(place): a dictionary needs the type of its keys")
    }
    let entries = try pairs.map { pair in
      let key =
        scalar == .string
        ? Value.string("\(pair[0])") : .tensor(try Tensor(scalar, shape: [], doubles: [number(pair[0], place)]))
      return (key: key, value: Value.tensor(Tensor(float64: [try number(pair[1], place)], shape: [])))
    }
    return .dictionary(
      entries, key: .tensor(TensorType(scalar, [Int]())), value: .tensor(TensorType(.float64, [Int]())))
  }

  private static func bare(_ json: Any, _ place: String) throws -> Tensor {
    let flat = flatten(json)
    let shape = json is [Any] ? [flat.count] : []
    if let strings = flat as? [String] { return Tensor(strings: strings, shape: shape) }
    let isBool = flat.allSatisfy { isBoolean($0) } && !flat.isEmpty
    return try Tensor(isBool ? .bool : .int32, shape: shape, doubles: flat.map { try number($0, place) })
  }

  private static func isBoolean(_ value: Any) -> Bool {
    (value as? NSNumber).map { String(cString: $0.objCType) == "c" } ?? false
  }

  private static func number(_ value: Any, _ place: String) throws -> Double {
    switch value {
    case let number as NSNumber: return number.doubleValue
    case "nan" as String: return .nan
    case "inf" as String: return .infinity
    case "-inf" as String: return -.infinity
    default: throw CaseError("\(place): \(value) is not a number")
    }
  }

  private static func flatten(_ json: Any) -> [Any] { (json as? [Any])?.flatMap(flatten) ?? [json] }

  private static func made(_ object: [String: Any], _ fill: String, _ place: String) throws -> Tensor {
    guard let type = (object["type"] as? String).flatMap(ScalarType.init(rawValue:)),
      let shape = object["shape"] as? [Int]
    else { throw CaseError("\(place): made-up data needs a type and a shape") }
    var random = SplitMix(state: UInt64((object["seed"] as? Int) ?? 1))
    let low = (object["low"] as? NSNumber)?.doubleValue ?? (fill == "positive" ? 0.1 : -1)
    let high = (object["high"] as? NSNumber)?.doubleValue ?? 2
    let values = (0..<shape.reduce(1, *)).map { index -> Double in
      switch fill {
      case "normal": return random.normal()
      case "range": return Double(index)
      case "ones": return 1
      case "steps":
        let step = Double(Float((object["step"] as? NSNumber)?.doubleValue ?? 1))
        return step * (low + (high + 1 - low) * random.unit()).rounded(.down)
      default: return low + (high - low) * random.unit()
      }
    }
    return try Tensor(type, shape: shape, doubles: values)
  }
}

struct CaseError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// A small seeded generator with the same values on every platform.
struct SplitMix {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  mutating func unit() -> Double { Double(next() >> 11) / 9_007_199_254_740_992 }
  mutating func normal() -> Double { (-2 * log(1 - unit())).squareRoot() * cos(2 * .pi * unit()) }
}
