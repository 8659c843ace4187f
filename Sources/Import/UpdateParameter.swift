import CoreMLSpec
import Foundation

/// A number that a training task may set, as the model's update parameters (`NetworkUpdateParameters`) or its nearest-neighbour
/// classifier declare it, with its default and what it may be. Kept in a compiled model's `metadata.json`.
struct UpdateParameter: Codable, Sendable, Equatable {
  var name: String
  /// The sub-model of a pipeline that it belongs to.
  var scope: String?
  var integer: IntegerRule?
  var real: RealRule?
  var flag: Bool?

  struct IntegerRule: Codable, Sendable, Equatable {
    var value: Int64
    var range: [Int64]?
    var set: [Int64]?
  }

  struct RealRule: Codable, Sendable, Equatable {
    var value: Double
    var range: [Double]?
  }

  /// What the API tells of it.
  var description: MLParameterDescription? {
    let key = MLParameterKey(name, scope: scope)
    if let flag { return MLParameterDescription(key: key, defaultValue: NSNumber(value: flag), numericConstraint: nil) }
    if let real {
      return MLParameterDescription(
        key: key, defaultValue: NSNumber(value: real.value),
        numericConstraint: Self.constraint(real.range?.map { NSNumber(value: $0) }, nil))
    }
    guard let integer else { return nil }
    return MLParameterDescription(
      key: key, defaultValue: NSNumber(value: integer.value),
      numericConstraint: Self.constraint(
        integer.range?.map { NSNumber(value: $0) }, integer.set?.sorted().map { NSNumber(value: $0) }))
  }

  private static func constraint(_ range: [NSNumber]?, _ set: [NSNumber]?) -> MLNumericConstraint? {
    guard let least = range?.first ?? set?.first, let most = range?.last ?? set?.last else { return nil }
    return MLNumericConstraint(minNumber: least, maxNumber: most, enumeratedNumbers: set.map(Set.init))
  }
}

extension UpdateParameter {
  /// Those of an updatable model; of a pipeline, those of its updatable models, each with its model's name as scope.
  static func all(of model: Specification.Model, scope: String? = nil) throws -> [UpdateParameter] {
    guard try model.isUpdatable, let type = try model.type else { return [] }
    var reader = Reader(scope: scope)
    switch type {
    case .neuralNetwork(let network): try reader.read(network.updateParams)
    case .neuralNetworkClassifier(let network): try reader.read(network.updateParams)
    case .neuralNetworkRegressor(let network): try reader.read(network.updateParams)
    case .kNearestNeighborsClassifier(let classifier):
      try reader.add(.numberOfNeighbors, classifier.numberOfNeighbors)
    case .pipeline(let pipeline): try reader.read(pipeline)
    case .pipelineClassifier(let pipeline): try reader.read(pipeline.pipeline)
    case .pipelineRegressor(let pipeline): try reader.read(pipeline.pipeline)
    default: break
    }
    return reader.parameters
  }

  private struct Reader {
    let scope: String?
    var parameters: [UpdateParameter] = []

    mutating func read(_ update: Specification.NetworkUpdateParameters?) throws {
      guard let update else { return }
      switch try update.optimizer?.optimizerType {
      case .sgdOptimizer(let sgd):
        try add(.learningRate, sgd.learningRate)
        try add(.miniBatchSize, sgd.miniBatchSize)
        try add(.momentum, sgd.momentum)
      case .adamOptimizer(let adam):
        try add(.learningRate, adam.learningRate)
        try add(.miniBatchSize, adam.miniBatchSize)
        try add(.beta1, adam.beta1)
        try add(.beta2, adam.beta2)
        try add(.eps, adam.eps)
      case nil: break
      }
      try add(.epochs, update.epochs)
      try add(.seed, update.seed)
      if let shuffle = try update.shuffle {
        parameters.append(
          UpdateParameter(name: MLParameterKey.shuffle.name, scope: scope, flag: try shuffle.defaultValue))
      }
    }

    mutating func read(_ pipeline: Specification.Pipeline?) throws {
      guard let pipeline else { return }
      let names = try pipeline.names
      for (index, model) in try pipeline.models.map({ $0 }).enumerated() {
        // A pipeline in a pipeline is no model that Core ML can update, and could be nested without end.
        switch try model.type {
        case .pipeline, .pipelineClassifier, .pipelineRegressor: continue
        default: break
        }
        let name = names.indices.contains(index) ? names[index] : "\(index)"
        parameters += try UpdateParameter.all(of: model, scope: name)
      }
    }

    mutating func add(_ key: MLParameterKey, _ value: Specification.Int64Parameter?) throws {
      guard let value else { return }
      parameters.append(
        UpdateParameter(
          name: key.name, scope: scope,
          integer: IntegerRule(
            value: try value.defaultValue, range: try value.range.map { [try $0.minValue, try $0.maxValue] },
            set: try value.set.map { try $0.values })))
    }

    mutating func add(_ key: MLParameterKey, _ value: Specification.DoubleParameter?) throws {
      guard let value else { return }
      parameters.append(
        UpdateParameter(
          name: key.name, scope: scope,
          real: RealRule(
            value: try value.defaultValue, range: try value.range.map { [try $0.minValue, try $0.maxValue] })))
    }
  }
}
