import CoreMLSpec
import Foundation
import MIL
import Testing

@testable import CoreMLExecution
@testable import CoreMLImport
@testable import CoreMLRuntime

/// Update tasks of small networks: what they learn, and which models they refuse.
@Suite struct GradientUpdateTests {
  @Test func aClassifierLearnsFromItsLabels() throws {
    let model = try UpdatableNetwork(labels: ["left", "right"])
    let record = UpdateRecord()
    let configuration = MLModelConfiguration()
    configuration.parameters = [.epochs: 60, .learningRate: 0.5]
    let task = try MLUpdateTask(
      forModelAt: model.url, trainingData: UpdatableNetwork.examples(),
      configuration: configuration, progressHandlers: record.handlers([.epochEnd]))
    task.resume()
    let end = record.wait()
    try #require(task.error == nil, "\(String(describing: task.error))")
    let losses = record.metrics.compactMap { $0[.lossValue] as? Double }
    #expect(losses.count == 60 && losses[59] < 0.2 && losses[59] < losses[0])
    for (x, label) in UpdatableNetwork.points {
      let result = try end.model.prediction(from: UpdatableNetwork.input(x))
      #expect(result.featureValue(for: "label")?.stringValue == label)
    }
    let before = try #require(
      try MLModel(contentsOf: model.url).parameterValue(for: .weights.scoped(to: "dense")) as? MLMultiArray)
    let after = try #require(try end.model.parameterValue(for: .weights.scoped(to: "dense")) as? MLMultiArray)
    #expect(before.shape == after.shape && before != after)
    #expect(throws: MLModelError.self) { try end.model.parameterValue(for: .weights.scoped(to: "nothing")) }
  }

  /// Layers that are not trained are packed once per model, for one example and for several.
  @Test func whatIsNotTrainedIsPackedOnceAModel() throws {
    let network = try UpdatableNetwork(labels: ["left", "right"], isInPipeline: true)
    let loaded = try MLModel(contentsOf: network.url)
    let source = try CompiledModelLoader.load(network.url.path)
    let function = try #require(source.program.functions["main"])
    let prefix = try ExamplePrefix(#require(try TrainingGraph(function)), function, loaded)
    #expect(prefix.wide.weights === loaded.engine.weights)
    #expect(prefix.narrow.weights === loaded.engine.weights)
  }

  /// 2^60 paths from the input to the trained layer, through 60 sums of a shape with itself that have no effect. Every
  /// stage from loading to the trained model visits each sum once.
  @Test func sumsOfSumsBeforeALayerThatLearnsAreNoWork() throws {
    let network = try UpdatableNetwork(labels: ["left", "right"])
    var model = try CompiledModelLoader.load(network.url.path)
    var function = try #require(model.program.functions["main"])
    let input = try #require(function.inputs.first { $0.name == "x" })
    let rank = try #require(input.type.tensor?.rank)
    var chain: [MIL.Operation] = []
    func append(_ type: String, _ inputs: [String: Binding], _ name: String, _ output: ValueType? = nil) {
      let vector = ValueType.tensor(TensorType(.int32, [rank]))
      chain.append(
        MIL.Operation(type, inputs: inputs.mapValues { [$0] }, outputs: [NamedType(name, output ?? vector)]))
    }
    append("shape", ["x": .name("x")], "sum0")
    for index in 1...60 {
      append("add", ["x": .name("sum\(index - 1)"), "y": .name("sum\(index - 1)")], "sum\(index)")
    }
    append("mul", ["x": .name("sum60"), "y": .int(0)], "nothing")
    append("add", ["x": .name("nothing"), "y": .name("sum0")], "sizes")
    append("reshape", ["x": .name("x"), "shape": .name("sizes")], "same", input.type)
    let operations = function.body.operations.map { operation in
      var operation = operation
      operation.inputs = operation.inputs.mapValues { $0.map { $0.name == "x" ? .name("same") : $0 } }
      return operation
    }
    function.body.operations = chain + operations
    model.program.functions["main"] = function
    let url = network.folder.appending(path: "Chain.mlmodelc")
    try CompiledBundle.write(model, to: url.path)
    func losses(_ url: URL) throws -> [Double] {
      let record = UpdateRecord()
      let task = try MLUpdateTask(
        forModelAt: url, trainingData: UpdatableNetwork.examples(), progressHandlers: record.handlers([.epochEnd]))
      task.resume()
      _ = record.wait()
      if let error = task.error { throw error }
      return record.metrics.compactMap { $0[.lossValue] as? Double }
    }
    // There are 2^60 paths through the sums, so a walk of all paths never ends.
    #expect(try losses(url) == losses(network.url))
  }

  @Test func whatWasLearntIsWrittenWhole() throws {
    let model = try UpdatableNetwork(labels: ["left", "right"])
    let record = UpdateRecord()
    try MLUpdateTask(
      forModelAt: model.url, trainingData: UpdatableNetwork.examples(), progressHandlers: record.handlers([])
    ).resume()
    let end = record.wait()
    let saved = model.folder.appending(path: "Saved.mlmodelc")
    try end.model.write(to: saved)
    let loaded = try MLModel(contentsOf: saved)
    let key = MLParameterKey.biases.scoped(to: "dense")
    #expect(try loaded.parameterValue(for: key) as? MLMultiArray == end.model.parameterValue(for: key) as? MLMultiArray)
    #expect(loaded.modelDescription.isUpdatable)
    // Writing replaces a model and an empty folder, and nothing else.
    try end.model.write(to: saved)
    let folder = model.folder.appending(path: "photos")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    try Data("precious".utf8).write(to: folder.appending(path: "one"))
    for place in [folder, folder.appending(path: "one")] {
      let error = #expect(throws: MLModelError.self) { try end.model.write(to: place) }
      #expect(error?.code == .io && error?.message.contains("expected nothing or a compiled model") == true)
    }
    #expect(try Data(contentsOf: folder.appending(path: "one")) == Data("precious".utf8))
    try FileManager.default.removeItem(at: folder.appending(path: "one"))
    try end.model.write(to: folder)
  }

  @Test func aNetworkAtTheEndOfAPipelineLearns() throws {
    let model = try UpdatableNetwork(labels: ["left", "right"], isInPipeline: true)
    let alone = try UpdatableNetwork(labels: ["left", "right"])
    let configuration = MLModelConfiguration()
    configuration.parameters = [.epochs: 60, .learningRate: 0.5]
    func trained(_ url: URL, _ data: MLArrayBatchProvider) throws -> (model: any MLModel & MLWritable, losses: [Double])
    {
      let record = UpdateRecord()
      let task = try MLUpdateTask(
        forModelAt: url, trainingData: data, configuration: configuration,
        progressHandlers: record.handlers([.epochEnd]))
      task.resume()
      let end = record.wait()
      if let error = task.error { throw error }
      return (end.model, record.metrics.compactMap { $0[.lossValue] as? Double })
    }
    let (learnt, losses) = try trained(model.url, UpdatableNetwork.examples())
    let saved = model.folder.appending(path: "Saved.mlmodelc")
    try learnt.write(to: saved)
    let loaded = try MLModel(contentsOf: saved)
    #expect(loaded.modelDescription.isUpdatable)
    for (x, label) in UpdatableNetwork.points {
      for model in [learnt, loaded] {
        let result = try model.prediction(from: UpdatableNetwork.input(x))
        #expect(result.featureValue(for: "label")?.stringValue == label)
      }
    }
    // The scaler before the network is part of the training and stays unchanged. The network alone learns the same from
    // doubled points.
    let doubled = try UpdatableNetwork.points.map { x, label in
      try MLDictionaryFeatureProvider(dictionary: ["x": MLMultiArray(x.map { 2 * $0 }), "label": label])
    }
    let (same, sameLosses) = try trained(alone.url, MLArrayBatchProvider(array: doubled))
    #expect(losses == sameLosses && losses.count == 60, "\(losses) \(sameLosses)")
    for name in [MLParameterKey.weights, .biases] {
      let key = name.scoped(to: "dense")
      let value = try loaded.parameterValue(for: key) as? MLMultiArray
      #expect(try value != nil && value == same.parameterValue(for: key) as? MLMultiArray)
      #expect(try value != MLModel(contentsOf: model.url).parameterValue(for: key) as? MLMultiArray)
    }
    // A trained model can be trained further.
    #expect(try trained(saved, UpdatableNetwork.examples()).losses[0] < losses[0])
  }

  @Test(arguments: [
    ("an unknown label", "up", [1.0, 2.0], "which the model does not know"),
    ("a wrong shape", "left", [1.0, 2.0, 3.0], "has the shape"),
    ("a number that is none", "left", [Double.nan, 1.0], "the loss is nan"),
  ])
  func whatCannotBeLearntIsAnError(name: String, label: String, x: [Double], words: String) throws {
    let model = try UpdatableNetwork(labels: ["left", "right"])
    let record = UpdateRecord()
    let example = try MLDictionaryFeatureProvider(dictionary: [
      "x": MLMultiArray(x), "label": label,
    ])
    let task = try MLUpdateTask(
      forModelAt: model.url, trainingData: MLArrayBatchProvider(array: [example]), progressHandlers: record.handlers())
    task.resume()
    let end = record.wait()
    let error = try #require(task.error as? MLModelError)
    #expect(error.code == .update && error.message.contains(words), "\(name): \(error.message)")
    let key = MLParameterKey.weights.scoped(to: "dense")
    let before = try MLModel(contentsOf: model.url).parameterValue(for: key) as? MLMultiArray
    #expect(try end.model.parameterValue(for: key) as? MLMultiArray == before)
  }

  /// Networks with the default array mapping have a reshape after their softmax. Here the probability of the label is
  /// 0.
  @Test func crossEntropyIsOfTheLogits() throws {
    let model = try UpdatableNetwork(labels: ["left", "right"])
    let record = UpdateRecord()
    let example = try MLDictionaryFeatureProvider(dictionary: ["x": MLMultiArray([1000.0, 0.0]), "label": "left"])
    let task = try MLUpdateTask(
      forModelAt: model.url, trainingData: MLArrayBatchProvider(array: [example]),
      progressHandlers: record.handlers([.miniBatchEnd]))
    task.resume()
    _ = record.wait()
    // The logits are 0 and 200.
    let loss = record.metrics.first?[.lossValue] as? Double
    #expect(loss.map { abs($0 - 200) < 1e-3 } == true, "\(loss ?? .nan)")
  }

  /// No example is evaluated after the last step. The range of the learning rate is unbounded here, and the compiled
  /// model keeps it.
  @Test func weightsThatAreNotFiniteAreNotGiven() throws {
    let model = try UpdatableNetwork(labels: ["left", "right"], highestRate: .infinity)
    let configuration = MLModelConfiguration()
    configuration.parameters = [.epochs: 1, .learningRate: 1e39]
    let record = UpdateRecord()
    let example = try MLDictionaryFeatureProvider(dictionary: ["x": MLMultiArray([1.0, 2.0]), "label": "left"])
    let task = try MLUpdateTask(
      forModelAt: model.url, trainingData: MLArrayBatchProvider(array: [example]), configuration: configuration,
      progressHandlers: record.handlers())
    task.resume()
    let end = record.wait()
    let error = try #require(task.error as? MLModelError)
    #expect(error.code == .update && error.message.contains("is not finite after the last step"), "\(error.message)")
    let key = MLParameterKey.weights.scoped(to: "dense")
    let before = try MLModel(contentsOf: model.url).parameterValue(for: key) as? MLMultiArray
    #expect(try end.model.parameterValue(for: key) as? MLMultiArray == before)
  }

  /// Every reader would refuse a compiled model with more values.
  @Test func tooManyAllowedValuesAreRefusedByTheCompiler() throws {
    _ = try UpdatableNetwork(labels: ["left", "right"], epochs: Array(1...1000))
    let error = #expect(throws: (any Error).self) {
      try UpdatableNetwork(labels: ["left", "right"], epochs: Array(1...200_000))
    }
    #expect("\(error.map { "\($0)" } ?? "")".contains("the allowed values of the update parameters take"))
  }

  @Test func anOperationWithoutAGradientIsNamed() throws {
    let model = try UpdatableNetwork(labels: ["left", "right"], isSorted: true)
    let record = UpdateRecord()
    let task = try MLUpdateTask(
      forModelAt: model.url, trainingData: UpdatableNetwork.examples(), progressHandlers: record.handlers([]))
    task.resume()
    _ = record.wait()
    let error = try #require(task.error as? MLModelError)
    #expect(error.message.contains("'argsort' has no gradient"), "\(error.message)")
  }
}
