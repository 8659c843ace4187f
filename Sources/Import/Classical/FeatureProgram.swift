import CoreMLBase
import CoreMLSpec
import MIL

/// Builds the program of a model that is not a network. The features are its inputs; a type per model type in this
/// folder adds the operations.
///
/// Numbers are computed in double precision, the type in which these models store their parameters.
final class FeatureProgram {
  let description: Specification.ModelDescription
  /// The name of the model type in the specification, for error messages.
  let kind: String
  var builder = Builder()
  private var results: [String: String] = [:]
  private let outputs: [String]
  private let outputNames: Set<String>
  /// The inputs for which the model has a default value.
  private var defaulted: [String] = []

  /// - Parameters:
  ///   - undeclared: the axes of arrays whose shape the model does not declare.
  ///   - flagged: optional features whose absence cannot be represented by a value.
  ///   - named: features that the model's parameters name. Features that its description omits are taken from
  ///     `surrounding`.
  ///   - surrounding: the features that a pipeline has computed before the model.
  init(
    _ description: Specification.ModelDescription, _ kind: String, undeclared: [Dimension] = [.unknown],
    flagged: [String] = [], named: [String] = [], surrounding: FeaturePool = [:]
  ) throws {
    self.description = description
    self.kind = kind
    outputs = try description.output.map { try $0.name }
    outputNames = Set(outputs)
    let flagged = Set(flagged)
    func define(_ feature: Specification.FeatureDescription) throws {
      let name = try feature.name
      _ = try self.define(name, FeatureTypes.type(of: feature, undeclared: undeclared))
      if flagged.contains(name), try feature.type?.isOptional == true {
        _ = try self.define(FeatureTypes.presence(of: name), .tensor(TensorType(.bool, [Int]())))
      }
    }
    for feature in try description.input { try define(feature) }
    for name in named where builder.scope.types[name] == nil {
      if let feature = surrounding[name] { try define(feature) }
    }
  }

  private func define(_ name: String, _ type: ValueType) throws -> String {
    guard builder.scope.types[name] == nil else { throw error("the feature '\(name)' is described twice") }
    return builder.input(name, type)
  }

  func error(_ message: String) -> RuntimeError { error(.invalidModel, message) }

  func error(_ code: RuntimeError.Code, _ message: String) -> RuntimeError {
    RuntimeError(code, "the \(kind): \(message)")
  }

  // MARK: inputs

  /// The value of an input feature.
  func input(_ name: String) throws -> String {
    guard builder.scope.types[name] != nil else { throw error("there is no input feature '\(name)'") }
    return name
  }

  /// The value of a feature that the model does not require. Returns nil if the file leaves the name empty, or if no
  /// feature has the name.
  func optionalInput(_ name: String) -> String? {
    name.isEmpty || builder.scope.types[name] == nil ? nil : name
  }

  /// A parameter that an optional feature may override. A caller may omit the feature even if its description does not
  /// say so.
  func number(_ feature: String, default own: Double) throws -> Binding {
    guard let input = optionalInput(feature) else { return .double(own) }
    if !defaulted.contains(input) { defaulted.append(input) }
    var value = try double(input)
    // Exporters may describe the number as an array with one element.
    if try builder.tensorType(of: value).rank > 0 {
      value = try emit("reshape", ["x": .name(value), "shape": .ints([])])
    }
    // A missing number is NaN, which is not equal to itself.
    let isGiven = try emit("equal", ["x": .name(value), "y": .name(value)])
    return .name(try emit("select", ["cond": .name(isGiven), "a": .name(value), "b": .double(own)]))
  }

  /// The value of the only input.
  func onlyInput() throws -> String {
    let inputs = try description.input
    guard inputs.count == 1 else { throw error("it has \(inputs.count) inputs, expected one") }
    return try inputs[0].name
  }

  /// All inputs, in order, as one vector of doubles.
  func vector() throws -> String {
    try concat(description.input.map { try vector(of: $0.name) })
  }

  /// The elements of a number or array as a vector of doubles.
  func vector(of name: String) throws -> String {
    guard let type = builder.scope.types[name]?.tensor, type.scalar != .string else {
      throw error("the feature '\(name)' holds no numbers, which it must")
    }
    let wide = try double(name)
    return type.rank == 1 ? wide : try emit("reshape", ["x": .name(wide), "shape": .ints([-1])])
  }

  func double(_ name: String) throws -> String {
    try builder.tensorType(of: name).scalar == .float64
      ? name : emit("cast", ["x": .name(name), "dtype": .string("fp64")])
  }

  func concat(_ parts: [String]) throws -> String {
    guard let first = parts.first else { throw error("it has no inputs") }
    if parts.count == 1 { return first }
    return try emit(all: "concat", ["values": parts.map { .name($0) }, "axis": [.int(0)]])[0]
  }

  /// The number of elements of a vector; nil if the model does not declare it.
  func length(_ name: String) throws -> Int? { try builder.tensorType(of: name).elementCount }

  // MARK: operations

  func emit(_ type: String, _ inputs: [String: Binding]) throws -> String {
    try emit(all: type, inputs.mapValues { [$0] })[0]
  }

  /// Emits an operation with several outputs or variadic arguments, and returns its outputs.
  func emit(all type: String, _ inputs: [String: [Binding]]) throws -> [String] {
    try Cancellation.check()
    do {
      return try builder.add(type, inputs, named: [type.hasPrefix("ml.") ? String(type.dropFirst(3)) : type])
    } catch let error as MILError where !error.isOfBounds {
      throw self.error("\(error)")
    }
  }

  // MARK: outputs

  /// Sets the value of an output feature.
  func set(_ name: String, _ value: String) throws {
    guard outputNames.contains(name) else { throw error("there is no output feature '\(name)'") }
    results[name] = value
  }

  /// Sets the value of the only output.
  func setOnly(_ value: String) throws {
    guard outputs.count == 1 else { throw error("it has \(outputs.count) outputs, expected one") }
    results[outputs[0]] = value
  }

  /// Sets the predicted feature of a regressor to a vector.
  func setPrediction(_ value: String) throws {
    let name = try description.predictedFeatureName
    if name.isEmpty { try setOnly(value) } else { try set(name, value) }
  }

  /// Sets the label of the most probable class, and the probabilities of all classes if the model has an output for
  /// them.
  func setClasses(_ probabilities: String, labels: Tensor) throws {
    let count = try length(probabilities)
    guard labels.count > 0, count == nil || count == labels.count else {
      throw error("it has \(labels.count) class labels and gives \(count ?? 0) probabilities")
    }
    let classified = try emit(
      all: "classify", ["probabilities": [.name(probabilities)], "classes": [.tensor(labels)]])
    try setLabel(classified[0], classified[1])
  }

  /// Sets the predicted label, and the dictionary of probabilities if the model has an output for it.
  func setLabel(_ label: String, _ probabilities: String) throws {
    let features = try description.output
    let named = try description.predictedFeatureName
    let other = try description.predictedProbabilitiesName
    for feature in features {
      let name = try feature.name
      switch try feature.type?.type {
      case .dictionaryType where other.isEmpty || other == name: try set(name, probabilities)
      case .stringType where named.isEmpty || named == name: try set(name, label)
      case .int64Type where named.isEmpty || named == name: try set(name, label)
      default: throw error("the output '\(name)' is neither the predicted label nor the classes' probabilities")
      }
    }
  }

  /// Returns the program after every output has been set.
  func finish() throws -> Program {
    var values: [String] = []
    for feature in try description.output {
      let name = try feature.name
      guard let value = results[name] else { throw error("nothing gives the output '\(name)'") }
      values.append(try shaped(value, feature))
    }
    var body = builder.block(outputs: values)
    body.inputs = []
    var function = Function(inputs: builder.inputs, opset: Opset.iOS18.rawValue, body: body)
    if outputs != values { function.featureOutputNames = outputs }
    if !defaulted.isEmpty { function.defaultedInputs = defaulted }
    return Program(functions: ["main": function])
  }

  /// Reshapes a vector with one element to a scalar if the feature is declared as a number.
  private func shaped(_ value: String, _ feature: Specification.FeatureDescription) throws -> String {
    guard let type = builder.scope.types[value]?.tensor, type.rank > 0 else { return value }
    switch try feature.type?.type {
    case .doubleType, .int64Type:
      guard (type.elementCount ?? 1) == 1 else {
        throw error("the output '\(try feature.name)' is one number, the model gives \(type)")
      }
      return try emit("reshape", ["x": .name(value), "shape": .ints([])])
    default: return value
    }
  }
}
