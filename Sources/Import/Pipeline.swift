import CoreMLSpec
import MIL

/// Models run one after the other, as one program: what each gives goes into a pool of named features, from which the later ones
/// take their inputs (Pipeline in Model.proto).
struct Pipeline {
  private let description: Specification.ModelDescription
  /// Nil where the models are there already.
  private let surroundings: ModelSurroundings?
  private var builder = Builder()
  private var pool: [String: PooledFeature] = [:]
  /// The number of the model that is being appended.
  private var stage = 0

  /// A feature as it flows between models.
  private struct PooledFeature {
    var value: String
    var type: Specification.FeatureType?
  }

  init(_ description: Specification.ModelDescription, _ surroundings: ModelSurroundings?) {
    self.description = description
    self.surroundings = surroundings
  }

  func program(_ message: Specification.Pipeline?) throws -> Program {
    guard let surroundings, let models = try message?.models, !models.isEmpty else {
      throw RuntimeError(.invalidModel, "the pipeline has no models")
    }
    return try program(
      named: message?.names ?? [],
      models.enumerated().map { number, model in
        do { return try ModelImport.model(model, surroundings) } catch let error as RuntimeError {
          throw RuntimeError(error.code, "model \(number) of the pipeline: \(error.message)")
        }
      })
  }

  /// Imported models, one after the other.
  func program(named names: [String] = [], _ stages: [ImportedModel]) throws -> Program {
    var pipeline = self
    let structures = stages.enumerated().map { number, stage in
      var structure =
        stage.program.functions["main"]?.fileStructure ?? FileStructure(modelType: stage.interface.modelType)
      structure.name = names.indices.contains(number) ? names[number] : nil
      return structure
    }
    try pipeline.defineInputs(stages)
    for (number, stage) in stages.enumerated() {
      pipeline.stage = number
      let description = Specification.ModelDescription(Message(stage.interface.description))
      do { try pipeline.inline(stage, description) } catch let error as MILError where !error.isOfBounds {
        throw RuntimeError(.invalidModel, "model \(number) of the pipeline (\(stage.interface.modelType)): \(error)")
      } catch let error as RuntimeError {
        throw RuntimeError(
          error.code, "model \(number) of the pipeline (\(stage.interface.modelType)): \(error.message)")
      }
    }
    return try pipeline.finish(FileStructure(modelType: "pipeline", models: structures))
  }

  // MARK: the pool

  /// Inputs have the types that the features' kinds have anywhere; where a program takes an array of another rank than declared, that
  /// is its business.
  private mutating func defineInputs(_ stages: [ImportedModel]) throws {
    let flagged = Set(
      stages.flatMap {
        $0.program.functions["main"]?.inputs.compactMap { FeatureTypes.feature(ofPresence: $0.name) } ?? []
      })
    for feature in try description.input {
      let name = try feature.name
      guard pool[name] == nil else {
        throw RuntimeError(.invalidModel, "the pipeline's feature '\(name)' is described twice")
      }
      let value = builder.input(name, try FeatureTypes.type(of: feature))
      pool[name] = PooledFeature(value: value, type: try feature.type)
      if flagged.contains(name), try feature.type?.isOptional == true {
        _ = builder.input(FeatureTypes.presence(of: name), .tensor(TensorType(.bool, [Int]())))
      }
    }
  }

  private func finish(_ structure: FileStructure) throws -> Program {
    let names = try description.output.map { try $0.name }
    let values = try names.map { name in
      guard let feature = pool[name] else {
        throw RuntimeError(.invalidModel, "no model of the pipeline gives the output '\(name)'")
      }
      return feature.value
    }
    var body = builder.block(outputs: values)
    body.inputs = []
    var function = Function(inputs: builder.inputs, opset: Opset.iOS18.rawValue, body: body)
    if names != values { function.featureOutputNames = names }
    function.fileStructure = structure
    return Program(functions: ["main": function])
  }

  // MARK: one model

  private mutating func inline(_ stage: ImportedModel, _ description: Specification.ModelDescription) throws {
    guard let function = stage.program.functions["main"], stage.program.functions.count == 1 else {
      throw RuntimeError(.unsupported, "a program of several functions cannot stand in a pipeline")
    }
    let features = Dictionary(
      try description.input.map { (try $0.name, try $0.type) }, uniquingKeysWith: { first, _ in first })
    var names = NestedDictionary<String, String>()
    for input in function.inputs {
      if case .state = input.type {
        throw RuntimeError(.unsupported, "a program with states cannot stand in a pipeline")
      }
      if features[input.name] == nil, let name = FeatureTypes.feature(ofPresence: input.name) {
        names[input.name] = presence(of: name)
        continue
      }
      guard let feature = pool[input.name] else {
        let isOptional = try features[input.name]??.isOptional ?? false
        guard isOptional else {
          throw RuntimeError(.invalidModel, "nothing before it gives the feature '\(input.name)'")
        }
        names[input.name] = try absent(input, features[input.name] ?? nil)
        continue
      }
      let edge = FeatureEdge(name: input.name, given: feature.type, taken: features[input.name] ?? nil)
      names[input.name] = try edge.fitted(feature.value, to: input.type, stage.interface, &builder)
    }
    try inline(function, names: &names)
    let declared = Dictionary(
      try description.output.map { (try $0.name, try $0.type) }, uniquingKeysWith: { first, _ in first })
    for (name, value) in zip(function.featureOutputNames, function.body.outputs) {
      guard let own = names[value] else { throw RuntimeError(.invalidModel, "'\(value)' is not defined") }
      let type = declared[name] ?? nil
      pool[name] = PooledFeature(value: try FeatureEdge.result(own, type, stage.interface, &builder), type: type)
    }
  }

  /// Whether an optional feature is there: as the prediction says, or as it is known here.
  private mutating func presence(of name: String) -> String {
    let input = FeatureTypes.presence(of: name)
    if builder.scope.types[input] != nil { return input }
    return builder.constant(.bool(pool[name] != nil), named: input)
  }

  /// What stands for an optional feature that nothing gives, as `InputBinding.missing` has it.
  private mutating func absent(_ input: NamedType, _ feature: Specification.FeatureType?) throws -> String {
    if case .dictionary(let key, let value) = input.type {
      return builder.constant(.dictionary([], key: key, value: value), named: input.name)
    }
    guard let type = input.type.tensor else {
      throw RuntimeError(.invalidModel, "nothing before it gives the feature '\(input.name)'")
    }
    let array = try feature?.multiArrayType
    let declared = try array?.shape.map { Int(clamping: $0) } ?? []
    let shape = type.concreteShape ?? (declared.count == type.rank ? declared : type.shape.map { $0.value ?? 0 })
    guard let count = TensorType.elementCount(shape), count <= FeatureShapes.maximumDefaultCount else {
      throw RuntimeError(
        .invalidModel,
        "nothing gives the optional feature '\(input.name)', and \(shape) is no shape of which a default value can be made"
      )
    }
    let fill = try array.flatMap(FeatureShapes.defaultValue) ?? (type.scalar.isFloat && type.rank == 0 ? .nan : 0)
    // A description may claim any size: what is large is made when a prediction needs it.
    guard fill != 0 || TensorType.elementCount(shape).map({ $0 > Self.largestConstant }) ?? true else {
      return builder.constant(.tensor(try Tensor.zeros(type.scalar, shape: shape)), named: input.name)
    }
    guard type.scalar != .string else {
      throw RuntimeError(
        .unsupported, "the optional feature '\(input.name)' would be the strings \(shape) where it is absent")
    }
    return try builder.add(
      "fill", ["shape": .ints(shape), "value": .tensor(try Tensor(type.scalar, shape: [], doubles: [fill]))],
      named: input.name)
  }

  /// Elements of a constant that nothing in the file stands for.
  private static let largestConstant = 4096

  /// Appends a function's operations under names of their own. `names` are those of what is defined, inside to outside.
  private mutating func inline(_ function: Function, names: inout NestedDictionary<String, String>) throws {
    for operation in function.body.operations {
      if let value = operation.constant, let output = operation.outputs.first {
        names[output.name] = builder.constant(value, named: output.name)
        continue
      }
      try Cancellation.check()
      let inputs = try operation.inputs.mapValues { try $0.map { try renamed($0, names) } }
      let blocks = try operation.blocks.map { try inline($0, &names) }
      builder.origins = operation.named.map { "\(stage)/\($0)" }
      let outputs = try builder.add(
        operation.type, inputs, blocks: blocks, named: operation.outputs.map(\.name),
        dynamic: operation.outputs.map(\.type))
      for (old, new) in zip(operation.outputs, outputs) { names[old.name] = new }
    }
    builder.origins = []
  }

  private func renamed(_ binding: Binding, _ names: NestedDictionary<String, String>) throws -> Binding {
    guard case .name(let name) = binding else { return binding }
    guard let own = names[name] else { throw RuntimeError(.invalidModel, "'\(name)' is not defined") }
    return .name(own)
  }

  private mutating func inline(_ block: Block, _ names: inout NestedDictionary<String, String>) throws -> Block {
    builder.enter()
    names.enter()
    defer {
      builder.leave()
      names.leave()
    }
    for input in block.inputs { names[input.name] = builder.input(input.name, input.type) }
    let function = Function(inputs: block.inputs, opset: Opset.iOS18.rawValue, body: block)
    try inline(function, names: &names)
    return builder.block(
      outputs: try block.outputs.map { name in
        guard let own = names[name] else { throw RuntimeError(.invalidModel, "'\(name)' is not defined") }
        return own
      })
  }
}
