import CoreMLBase
import CoreMLSpec
import MIL

/// The loss layers of an updatable network. The program marks the values that they compare with `train.loss`, which
/// only training reads.
struct LossLayers {
  private var losses: [Loss] = []

  private struct Loss {
    let name: String
    let kind: LossKind
    let input: String
    let target: String
    let optimizer: OptimizerKind
  }

  init(_ updates: Specification.NetworkUpdateParameters?) throws {
    guard let updates else { return }
    for layer in try updates.lossLayers {
      let name = try layer.name
      let optimizer: OptimizerKind
      switch try updates.optimizer?.optimizerType {
      case .sgdOptimizer: optimizer = .sgd
      case .adamOptimizer: optimizer = .adam
      case nil: throw RuntimeError(.invalidModel, "the loss '\(name)' has no optimizer")
      }
      switch try layer.lossLayerType {
      case .categoricalCrossEntropyLossLayer(let loss):
        losses.append(
          Loss(
            name: name, kind: .categoricalCrossEntropy, input: try loss.input, target: try loss.target,
            optimizer: optimizer))
      case .meanSquaredErrorLossLayer(let loss):
        losses.append(
          Loss(
            name: name, kind: .meanSquaredError, input: try loss.input, target: try loss.target, optimizer: optimizer))
      case nil: throw RuntimeError(.invalidModel, "the loss '\(name)' is of a kind that is not known")
      }
    }
  }

  /// The blobs to which the losses apply.
  var inputs: [String] { losses.map(\.input) }

  func mark(_ graph: NetworkGraph) throws {
    for loss in losses {
      guard let blob = graph.blobs[loss.input] else {
        throw RuntimeError(.invalidModel, "the loss '\(loss.name)' is taken of '\(loss.input)', which no layer gives")
      }
      let value = try graph.full(blob, named: loss.input)
      _ = try graph.builder.add(
        "train.loss",
        [
          "x": .name(value), "kind": .string(loss.kind.rawValue), "target": .string(loss.target),
          "optimizer": .string(loss.optimizer.rawValue),
        ], named: loss.name.isEmpty ? "loss" : loss.name)
    }
  }
}
