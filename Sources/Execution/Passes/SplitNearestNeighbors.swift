import CoreMLBase
import CoreMLKernels
import CoreMLSpec
import MIL

/// Splits a nearest-neighbor classifier into a kernel that finds the neighbors, and a small run-time operation that
/// counts their votes:
///
///     ml.nearest_neighbors(x, samples, labels)   =>   rows, distances = ml.nearest_samples(x, samples)
///                                                     ml.neighbor_votes(distances, gather(places, rows), labels')
///
/// The labels (one per sample) are replaced by the distinct labels, and by the index of each sample's label among them.
struct SplitNearestNeighbors: Pass {
  private let applies: Bool

  init(on device: DeviceKind) { applies = device == .cpu }

  func callAsFunction(_ function: Function) throws -> Function {
    guard applies, function.body.operations.contains(where: { $0.type == "ml.nearest_neighbors" }) else {
      return function
    }
    var result = function
    let (constants, types, stored) = (function.constants, function.types, function.constantNames)
    var names = FreshNames(function)
    result.body.operations = try function.body.operations.flatMap { operation in
      guard operation.type == "ml.nearest_neighbors",
        let labels = operation.value("labels", constants)?.tensor, labels.count > 0,
        let k = try operation.value("k", constants)?.tensor?.ints().first, k > 0,
        let samples = operation.binding("samples"), let x = operation.binding("x"),
        samples.constantType(types, stored)?.concreteShape?.first == labels.count
      else { return [operation] }
      let (different, places) = try Self.different(labels)
      let output = operation.outputs.first?.name ?? operation.type
      let (rows, distances, near) = (
        names.name(output + "__rows"), names.name(output + "__distances"), names.name(output + "__places")
      )
      let count = min(k, labels.count)
      var votes = operation
      votes.type = "ml.neighbor_votes"
      votes.inputs = [
        "distances": [.name(distances)], "places": [.name(near)], "labels": [.tensor(different)],
        "inverse_distance": operation.inputs["inverse_distance"] ?? [.bool(false)],
      ]
      votes.origins = operation.named
      return [
        Operation(
          "ml.nearest_samples", inputs: ["x": [x], "samples": [samples], "k": [.int(count)]],
          outputs: [
            NamedType(rows, .tensor(TensorType(.int32, [count]))),
            NamedType(distances, .tensor(TensorType(.float64, [count]))),
          ], origins: operation.named),
        Operation(
          "gather",
          inputs: [
            "x": [.tensor(Tensor(int32: places, shape: [labels.count]))], "indices": [.name(rows)], "axis": [.int(0)],
            "batch_dims": [.int(0)], "validate_indices": [.bool(false)],
          ],
          outputs: [NamedType(near, .tensor(TensorType(.int32, [count])))], origins: operation.named),
        votes,
      ]
    }
    return result
  }

  /// The distinct labels in the order of their first samples, and the index of each sample's label.
  private static func different(_ labels: Tensor) throws -> (labels: Tensor, places: [Int]) {
    if labels.scalar == .string {
      let (all, places) = unique(try labels.strings().map(ExactText.init))
      return (Tensor(strings: all.map(\.text), shape: [all.count]), places)
    }
    let (all, places) = unique(try labels.ints())
    return (try Tensor(int64: all.map { Int64($0) }, shape: [all.count]).converted(to: labels.scalar), places)
  }

  private static func unique<Label: Hashable>(_ labels: [Label]) -> (all: [Label], places: [Int]) {
    var (all, known) = ([Label](), [Label: Int]())
    let places = labels.map { label in
      if let place = known[label] { return place }
      known[label] = all.count
      all.append(label)
      return all.count - 1
    }
    return (all, places)
  }
}
