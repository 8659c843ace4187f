import CoreML
import CoreMLDelivery
import Foundation

/// An operation that threads perform.
struct Action: Sendable {
  let name: String
  /// The relative frequency of the action.
  let weight: Int
  let body: @Sendable (WorkBench, inout Chance) throws -> Void

  static let all: [Action] = predicting + loading + changing

  // MARK: predicting

  private static let predicting: [Action] = [
    Action(name: "predict", weight: 40) { bench, chance in
      let (name, number) = bench.question(&chance)
      try bench.channel.model(name).withModel { model, version in
        let output = try model.prediction(from: bench.questions.input(number, for: model))
        try bench.compare(output, number, digest: bench.digest(of: version, name))
      }
    },
    Action(name: "predict asynchronously", weight: 10) { bench, chance in
      let (name, number) = bench.question(&chance)
      try waiting {
        let managed = try bench.channel.model(name)
        let input = try managed.withModel { model, _ in try bench.questions.input(number, for: model) }
        let output = try await managed.prediction(from: input)
        try bench.compareWithAny(output, number)
      }
    },
    Action(name: "batch", weight: 6) { bench, chance in
      let name = bench.question(&chance).name
      try bench.channel.model(name).withModel { model, version in
        let inputs = try (0..<Questions.count).map { try bench.questions.input($0, for: model) }
        let outputs = try model.predictions(fromBatch: MLArrayBatchProvider(array: inputs))
        for number in 0..<outputs.count {
          try bench.compare(outputs.features(at: number), number, digest: bench.digest(of: version, name))
        }
      }
    },
    Action(name: "cancel", weight: 3) { bench, chance in
      let (name, number) = bench.question(&chance)
      try waiting {
        let managed = try bench.channel.model(name)
        let task = Task {
          let input = try managed.withModel { model, _ in try bench.questions.input(number, for: model) }
          try bench.compareWithAny(try await managed.prediction(from: input), number)
        }
        task.cancel()
        do { try await task.value } catch let error as MLModelError where error.code == .predictionCancelled {}
      }
    },
  ]

  // MARK: loading

  private static let loading: [Action] = [
    Action(name: "load and unload", weight: 8) { bench, chance in
      let (name, number) = bench.question(&chance)
      let held = try bench.installing.store.open(name: "soak:stable:\(name)")
      let (model, lease) = try bench.installing.load(held.model)
      let output = try model.prediction(from: bench.questions.input(number, for: model))
      try bench.compare(output, number, digest: held.model.digest)
      withExtendedLifetime((held.lease, lease)) {}
    },
    Action(name: "open the channel", weight: 4) { bench, chance in
      let (name, number) = bench.question(&chance)
      let managed = try bench.source().model(name)
      try managed.withModel { model, version in
        let output = try model.prediction(from: bench.questions.input(number, for: model))
        try bench.compare(output, number, digest: bench.digest(of: version, name))
      }
    },
  ]

  // MARK: changing

  private static let changing: [Action] = [
    Action(name: "update", weight: 4) { bench, _ in
      let update = try waiting { try await bench.channel.update() }
      for error in update.failures.values { throw error }
    },
    Action(name: "refresh", weight: 2) { bench, _ in try waiting { await bench.channel.refresh() } },
    Action(name: "roll back", weight: 1) { bench, chance in
      let name = bench.question(&chance).name
      try waiting { try await bench.channel.rollBack(name) }
    },
    Action(name: "allow", weight: 2) { bench, chance in
      let name = bench.question(&chance).name
      _ = try waiting { try await bench.channel.allow(name) }
    },
    Action(name: "install", weight: 2) { bench, chance in
      let source = bench.sources.randomElement(using: &chance) ?? bench.sources[0]
      try bench.installing.installer.install(source, as: "mine-\(UInt8.random(in: 0..<4, using: &chance))")
    },
    Action(name: "activate the version before", weight: 1) { bench, chance in
      try bench.installing.store.rollBack(name: "mine-\(UInt8.random(in: 0..<4, using: &chance))")
    },
    Action(name: "predict with what was installed", weight: 4) { bench, chance in
      let number = Int.random(in: 0..<Questions.count, using: &chance)
      let held = try bench.installing.store.open(name: "mine-\(UInt8.random(in: 0..<4, using: &chance))")
      let (model, lease) = try bench.installing.load(held.model)
      let output = try model.prediction(from: bench.questions.input(number, for: model))
      try bench.compare(output, number, digest: held.model.digest)
      withExtendedLifetime((held.lease, lease)) {}
    },
    Action(name: "prune", weight: 1) { bench, chance in
      var policy = PrunePolicy()
      policy.grace = .zero
      policy.keepsPrevious = Int.random(in: 0...1, using: &chance)
      policy.maximumAge = .seconds(Int.random(in: 0...20, using: &chance))
      _ = try bench.installing.store.prune(policy, bench.installing.cache)
    },
    Action(name: "verify and repair", weight: 1) { bench, _ in
      let (store, cache) = (bench.installing.store, bench.installing.cache)
      _ = try store.repair(store.verify(cache), cache)
    },
  ]
}

extension WorkBench {
  func question(_ chance: inout Chance) -> (name: String, number: Int) {
    (models[Int.random(in: models.indices, using: &chance)], Int.random(in: 0..<Questions.count, using: &chance))
  }

  /// The first source of a name is its baseline.
  func digest(of version: ModelVersion, _ name: String) throws -> String {
    switch version {
    case .release(let release): return release.tree
    case .personal(let model): return model.tree
    case .baseline: return "\(name)-0"
    }
  }
}
