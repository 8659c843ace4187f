import CoreMLSpec
import MIL

struct NearestNeighborsImport {
  let program: FeatureProgram

  /// A k-d tree finds the same neighbors as a linear search, so both index types become one operation.
  func add(_ message: Specification.KNearestNeighborsClassifier) throws {
    guard let index = try message.nearestNeighborsIndex else { throw program.error("it has no index of samples") }
    let width = Int(try index.numberOfDimensions)
    let rows = try index.floatSamples.map { try $0.vector }
    let labels = try ClassLabels.tensor(strings: message.stringClassLabels, int64s: message.int64ClassLabels)
    let x = try program.vector()
    guard width > 0, rows.allSatisfy({ $0.count == width }), try program.length(x) ?? width == width else {
      throw program.error("its samples have not the \(width) dimensions that it states, or its input has not")
    }
    guard rows.count == labels.count else {
      throw program.error("it has \(rows.count) samples and \(labels.count) labels of samples")
    }
    let neighbors = try message.numberOfNeighbors?.defaultValue ?? 0
    guard neighbors > 0 else { throw program.error("it asks for \(neighbors) neighbors") }
    let isInverse: Bool
    switch try message.weightingScheme {
    case .inverseDistanceWeighting: isInverse = true
    case .uniformWeighting, nil: isInverse = false
    }
    let outputs = try program.emit(
      all: "ml.nearest_neighbors",
      [
        "x": [.name(x)], "labels": [.tensor(labels)], "default": [.literal(defaultLabel(message, labels))],
        "samples": [.tensor(Tensor(float32: rows.flatMap { $0 }, shape: [rows.count, width]))],
        "k": [.int(Int(clamping: min(neighbors, Int64(Int32.max))))], "inverse_distance": [.bool(isInverse)],
      ])
    try program.setLabel(outputs[0], outputs[1])
  }

  /// The label that a classifier without samples predicts.
  private func defaultLabel(_ message: Specification.KNearestNeighborsClassifier, _ labels: Tensor) throws -> Value {
    switch try message.defaultClassLabel {
    case .defaultStringLabel(let label) where labels.scalar == .string: return .string(label)
    case .defaultInt64Label(let label) where labels.scalar == .int64:
      return .tensor(Tensor(int64: [label], shape: []))
    case nil where labels.scalar == .string: return .string("")
    case nil: return .tensor(Tensor(int64: [0], shape: []))
    default: throw program.error("its default label and its labels are of different types")
    }
  }
}
