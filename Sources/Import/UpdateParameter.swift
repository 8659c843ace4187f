import CoreMLSpec

/// A parameter that a training task may set, with its default value and allowed values. It is declared by the model's
/// update parameters (`NetworkUpdateParameters`) or its nearest-neighbor classifier. A compiled model stores it in
/// `metadata.json`.
package struct UpdateParameter: Codable, Sendable, Equatable {
  package var name: String
  /// The sub-model of a pipeline to which the parameter belongs.
  package var scope: String?
  package var integer: IntegerRule?
  package var real: RealRule?
  package var flag: Bool?

  package init(
    name: String, scope: String? = nil, integer: IntegerRule? = nil, real: RealRule? = nil, flag: Bool? = nil
  ) {
    self.name = name
    self.scope = scope
    self.integer = integer
    self.real = real
    self.flag = flag
  }

  package struct IntegerRule: Codable, Sendable, Equatable {
    package var value: Int64
    package var range: [Int64]?
    package var set: [Int64]?

    package init(value: Int64, range: [Int64]? = nil, set: [Int64]? = nil) {
      self.value = value
      self.range = range
      self.set = set
    }
  }

  package struct RealRule: Codable, Sendable, Equatable {
    package var value: Double
    package var range: [Double]?

    package init(value: Double, range: [Double]? = nil) {
      self.value = value
      self.range = range
    }
  }

  /// The parameter names of Core ML.
  package enum Name: String, Sendable {
    case learningRate, momentum, miniBatchSize, beta1, beta2, eps, epochs, shuffle, seed, numberOfNeighbors
  }
}

extension UpdateParameter {
  /// The parameters of an updatable model. For a pipeline, those of its updatable models, with the model's name as
  /// scope.
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
          UpdateParameter(name: Name.shuffle.rawValue, scope: scope, flag: try shuffle.defaultValue))
      }
    }

    mutating func read(_ pipeline: Specification.Pipeline?) throws {
      guard let pipeline else { return }
      let names = try pipeline.names
      for (index, model) in try pipeline.models.map({ $0 }).enumerated() {
        // Core ML cannot update a pipeline inside a pipeline, and the nesting would be unbounded.
        switch try model.type {
        case .pipeline, .pipelineClassifier, .pipelineRegressor: continue
        default: break
        }
        let name = names.indices.contains(index) ? names[index] : "\(index)"
        parameters += try UpdateParameter.all(of: model, scope: name)
      }
    }

    mutating func add(_ key: Name, _ value: Specification.Int64Parameter?) throws {
      guard let value else { return }
      parameters.append(
        UpdateParameter(
          name: key.rawValue, scope: scope,
          integer: IntegerRule(
            value: try value.defaultValue, range: try value.range.map { [try $0.minValue, try $0.maxValue] },
            set: try value.set.map { try $0.values })))
    }

    mutating func add(_ key: Name, _ value: Specification.DoubleParameter?) throws {
      guard let value else { return }
      parameters.append(
        UpdateParameter(
          name: key.rawValue, scope: scope,
          real: RealRule(
            value: try value.defaultValue, range: try value.range.map { [try $0.minValue, try $0.maxValue] })))
    }
  }
}
