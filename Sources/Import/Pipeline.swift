import CoreMLBase
import CoreMLSpec
import MIL

/// Combines models that run one after the other into one program. The outputs of each model go into a pool of named
/// features, from which later models take their inputs (Pipeline in Model.proto).
struct Pipeline {
  private let description: Specification.ModelDescription
  /// Nil if the models are imported already.
  private let surroundings: ModelSurroundings?
  private var builder = Builder()
  private var pool: [String: PooledFeature] = [:]
  /// The names of the inputs that say whether an optional feature is present.
  private var presences: Set<String> = []
  /// The inputs for which some model has a default value, and the inputs that some model requires.
  private var (defaulted, needed): (Set<String>, Set<String>) = ([], [])
  /// The index of the model that is being appended.
  private var stage = 0

  /// A feature in the pool.
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
    return try program(named: message?.names ?? [], models.count) { number, features in
      var place = surroundings
      place.features = features
      return try ModelImport.model(models[number], place)
    }
  }

  /// Imports models one after the other and combines them. `model` imports a model, given its index and the features
  /// that the pipeline has computed before it.
  func program(
    named names: [String] = [], _ count: Int, _ model: (Int, FeaturePool) throws -> ImportedModel
  ) throws -> Program {
    var features = surroundings?.features ?? [:]
    func add(_ list: Views<Specification.FeatureDescription>) throws {
      for feature in list { features[try feature.name] = feature }
    }
    try add(description.input)
    var stages: [ImportedModel] = []
    for number in 0..<count {
      do { stages.append(try model(number, features)) } catch let error as RuntimeError {
        throw RuntimeError(error.code, "model \(number) of the pipeline: \(error.message)", file: error.file)
      }
      try add(Specification.ModelDescription(Message(stages[number].interface.description)).output)
    }
    return try program(named: names, stages)
  }

  /// Combines imported models, in order.
  func program(named names: [String] = [], _ stages: [ImportedModel]) throws -> Program {
    let descriptions = try stages.flatMap { stage in
      let description = Specification.ModelDescription(Message(stage.interface.description))
      return try (description.input.map { $0 } + description.output.map { $0 }).map { try $0.name }
    }
    if let name = (try description.input.map { try $0.name } + descriptions).firstAmbiguous {
      throw RuntimeError(
        .invalidModel,
        "the pipeline's models write the feature '\(name)' in two ways that differ in Unicode composition alone")
    }
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

  // MARK: feature pool

  /// Inputs have the regular types of their features. If a model's program expects an array of another rank than
  /// declared, `FeatureEdge` converts it when the model is inlined.
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
      try define(feature, isFlagged: flagged.contains(name))
    }
    for feature in try surroundingFeatures(of: stages) {
      try define(feature, isFlagged: flagged.contains(try feature.name))
    }
  }

  private mutating func define(_ feature: Specification.FeatureDescription, isFlagged: Bool) throws {
    let name = try feature.name
    let value = builder.input(name, try FeatureTypes.type(of: feature))
    pool[name] = PooledFeature(value: value, type: try feature.type)
    if isFlagged, try feature.type?.isOptional == true {
      presences.insert(builder.input(FeatureTypes.presence(of: name), .tensor(TensorType(.bool, [Int]()))))
    }
  }

  /// The features of an outer pipeline that the models of a nested pipeline use.
  private func surroundingFeatures(of stages: [ImportedModel]) throws -> [Specification.FeatureDescription] {
    guard let outer = surroundings?.features, !outer.isEmpty else { return [] }
    var known = Set(pool.keys)
    var features: [Specification.FeatureDescription] = []
    for stage in stages {
      for input in stage.program.functions["main"]?.inputs ?? [] {
        if let feature = outer[input.name], known.insert(input.name).inserted { features.append(feature) }
      }
      let description = Specification.ModelDescription(Message(stage.interface.description))
      for output in try description.output { known.insert(try output.name) }
    }
    return features
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
    // An input that is also an output must be given.
    let optional = defaulted.subtracting(needed).subtracting(values).intersection(builder.inputs.map(\.name))
    if !optional.isEmpty { function.defaultedInputs = optional.sorted() }
    return Program(functions: ["main": function])
  }

  // MARK: inlining a model

  private mutating func inline(_ stage: ImportedModel, _ description: Specification.ModelDescription) throws {
    guard let function = stage.program.functions["main"], stage.program.functions.count == 1 else {
      throw RuntimeError(.unsupported, "a program of several functions cannot be part of a pipeline")
    }
    let features = Dictionary(
      try description.input.map { (try $0.name, try $0.type) }, uniquingKeysWith: { first, _ in first })
    let defaults = Set(function.defaultedInputs)
    var names = NestedDictionary<String, String>()
    for input in function.inputs {
      if case .state = input.type {
        throw RuntimeError(.unsupported, "a program with states cannot be part of a pipeline")
      }
      if features[input.name] == nil, let name = FeatureTypes.feature(ofPresence: input.name) {
        names[input.name] = presence(of: name)
        continue
      }
      guard let feature = pool[input.name] else {
        let isOptional = try features[input.name]??.isOptional ?? false
        guard isOptional || defaults.contains(input.name) else {
          throw RuntimeError(.invalidModel, "nothing before it gives the feature '\(input.name)'")
        }
        names[input.name] = try absent(input, features[input.name] ?? nil, defaults.contains(input.name))
        continue
      }
      if defaults.contains(input.name) { defaulted.insert(feature.value) } else { needed.insert(feature.value) }
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

  /// Whether an optional feature is present: an input of the prediction, or a constant if it is known here.
  private mutating func presence(of name: String) -> String {
    let input = FeatureTypes.presence(of: name)
    if presences.contains(input) { return input }
    return builder.constant(.bool(pool[name] != nil), named: input)
  }

  /// The value of an optional feature that nothing provides, like `InputBinding.missing`.
  private mutating func absent(
    _ input: NamedType, _ feature: Specification.FeatureType?, _ isDefaulted: Bool
  ) throws -> String {
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
    let fill =
      try array.flatMap(FeatureShapes.defaultValue)
      ?? (type.scalar.isFloat && (type.rank == 0 || isDefaulted) ? .nan : 0)
    // A description may declare any size, so a large value is created only when a prediction needs it.
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

  /// The maximum number of elements of a constant without data in the file.
  private static let largestConstant = 4096

  /// Appends a function's operations with unique names. `names` maps the names inside the function to those outside.
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
