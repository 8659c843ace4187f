import CoreMLBase
import CoreMLSpec
import MIL

/// The positions of keys in a vector. Keys are strings, integers, or integers that are positions themselves.
package enum FeaturePositions: Sendable {
  case strings([ExactText: Int], count: Int)
  case integers([Int64: Int], count: Int)
  case positions(count: Int)

  package var count: Int {
    switch self {
    case .strings(_, let count), .integers(_, let count), .positions(let count): count
    }
  }

  /// Nil if a key occurs twice.
  fileprivate init?(_ keys: Tensor) {
    if keys.scalar == .string {
      guard let names = try? keys.strings() else { return nil }
      self = .strings(
        Dictionary(names.enumerated().map { (ExactText($1), $0) }, uniquingKeysWith: { first, _ in first }),
        count: names.count)
      guard case .strings(let places, _) = self, places.count == names.count else { return nil }
    } else {
      guard let numbers = try? keys.ints().map({ Int64($0) }) else { return nil }
      self = .integers(
        Dictionary(numbers.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first }),
        count: numbers.count)
      guard case .integers(let places, _) = self, places.count == numbers.count else { return nil }
    }
  }
}

/// The labels of a classifier.
package enum TabularLabels: Sendable {
  case strings([String])
  case integers([Int64])

  package var count: Int {
    switch self {
    case .strings(let labels): labels.count
    case .integers(let labels): labels.count
    }
  }

  fileprivate init?(_ value: Value?) {
    switch value {
    case .tensor(let tensor)? where tensor.scalar == .string:
      guard let labels = try? tensor.strings() else { return nil }
      self = .strings(labels)
    case .tensor(let tensor)?:
      guard let labels = try? tensor.ints() else { return nil }
      self = .integers(labels.map { Int64($0) })
    case .list(let items, _)?:
      let tensors = items.compactMap(\.tensor)
      guard tensors.count == items.count, let first = tensors.first else { return nil }
      if first.scalar == .string {
        self = .strings(tensors.compactMap { try? $0.strings().first })
      } else {
        self = .integers(tensors.compactMap { try? $0.ints().first.map { Int64($0) } })
      }
      guard count == items.count else { return nil }
    default: return nil
    }
  }
}

/// A numeric input, and how a feature is converted to it.
package struct TabularInput: Sendable {
  package enum Kind: Sendable {
    /// The feature's elements.
    case numbers
    /// One-hot encoding of a string. Unknown strings are errors, or ignored.
    case category(FeaturePositions, ignoresOthers: Bool)
    /// The values of a dictionary at the positions of their keys.
    case entries(FeaturePositions)
  }

  let name: String
  package let feature: String
  package let kind: Kind
  /// The type of one row.
  package let type: TensorType
}

/// A feature that is computed from a numeric output.
package struct TabularOutput: Sendable {
  package enum Kind: Sendable {
    case numbers
    /// The label with the largest value.
    case label(TabularLabels)
    /// All labels with their values.
    case shares(TabularLabels)
  }

  package let feature: String
  package let kind: Kind
  /// The index of the function's output.
  package let output: Int
}

/// The numeric core of a function: strings, dictionaries and labels are converted outside of it, together with the
/// features. Most models for tabular data have this form. The core runs as kernels on preallocated memory.
struct TabularSignature: Sendable {
  private(set) var function: Function
  private(set) var inputs: [TabularInput] = []
  private(set) var outputs: [TabularOutput] = []

  /// Nil if a value is not numeric, or if its size is only known at run time.
  init?(_ source: Function) {
    let constants = source.constants
    let declared = Dictionary(source.inputs.map { ($0.name, $0.type) }, uniquingKeysWith: { first, _ in first })
    guard source.body.operations.allSatisfy({ $0.blocks.isEmpty && $0.code == nil }), Self.isSmall(source) else {
      return nil
    }
    function = source
    var (kept, made): ([Operation], [TabularInput]) = ([], [])
    var classes: [String: (probabilities: String, kind: TabularOutput.Kind)] = [:]
    var sparse: [String: Operation] = [:]
    for operation in source.body.operations {
      switch operation.type {
      case "ml.one_hot_encoder" where Self.flag(operation, "sparse", constants) == true, "ml.key_positions":
        for output in operation.outputs { sparse[output.name] = operation }
      case "ml.one_hot_encoder", "ml.vectorize":
        let maker = operation.inputs["x"]?.first?.name.flatMap { sparse[$0] }
        if let input = Self.input(operation, maker, declared, constants) {
          made.append(input)
        } else if let dense = Self.dense(operation, maker, constants) {
          kept.append(dense)
        } else {
          kept.append(operation)
        }
      case "classify":
        guard case .name(let probabilities)? = operation.inputs["probabilities"]?.first,
          let labels = TabularLabels(operation.value("classes", constants)), operation.outputs.count == 2
        else { return nil }
        classes[operation.outputs[0].name] = (probabilities, .label(labels))
        classes[operation.outputs[1].name] = (probabilities, .shares(labels))
      default: kept.append(operation)
      }
    }
    let names = source.featureOutputNames
    var (values, places): ([String], [String: Int]) = ([], [:])
    for (feature, value) in zip(names, source.body.outputs) {
      let own = classes[value]?.probabilities ?? value
      let place = places[own] ?? values.count
      if place == values.count {
        places[own] = place
        values.append(own)
      }
      outputs.append(TabularOutput(feature: feature, kind: classes[value]?.kind ?? .numbers, output: place))
    }
    let read = Set(kept.flatMap(\.inputNames)).union(values)
    guard classes.keys.allSatisfy({ !read.contains($0) }), sparse.keys.allSatisfy({ !read.contains($0) }) else {
      return nil
    }
    for input in source.inputs {
      guard case .tensor(let type) = input.type, type.scalar != .string else {
        // A feature that is not numeric must have been converted, or be unused.
        if case .dictionary = input.type, !read.contains(input.name) { continue }
        if case .tensor = input.type, !read.contains(input.name) { continue }
        return nil
      }
      guard type.isConcrete else { return nil }
      inputs.append(TabularInput(name: input.name, feature: input.name, kind: .numbers, type: type))
    }
    inputs += made
    function.inputs = inputs.map { NamedType($0.name, .tensor($0.type)) }
    function.body.operations = kept
    function.body.outputs = values
    function.featureOutputNames = values
  }

  /// Whether a prediction uses so little memory that the overhead around it matters. Other functions are rejected
  /// without making a plan.
  private static func isSmall(_ function: Function) -> Bool {
    guard function.body.operations.count <= mostOperations else { return false }
    var bytes = 0
    for operation in function.body.operations where operation.constant == nil {
      for output in operation.outputs {
        bytes = min(bytes, mostBytes) + min(output.type.tensor?.byteCount ?? 0, mostBytes)
      }
    }
    return bytes < mostBytes
  }

  private static let mostOperations = 1024
  private static let mostBytes = 1 << 20

  private static func flag(_ operation: Operation, _ name: String, _ constants: [String: Value]) -> Bool? {
    guard operation.inputs[name] != nil else { return false }
    return try? operation.value(name, constants)?.tensor?.bools().first
  }

  /// An `ml.vectorize` of a sparse one-hot encoding of an integer, as a dense encoder.
  private static func dense(
    _ operation: Operation, _ maker: Operation?, _ constants: [String: Value]
  ) -> Operation? {
    guard let maker, maker.type == "ml.one_hot_encoder", operation.inputs["keys"] == nil,
      let size = operation.outputs.first?.type.tensor?.elementCount,
      maker.value("categories", constants)?.tensor?.count == size
    else { return nil }
    var result = maker
    result.inputs["sparse"] = [.bool(false)]
    result.outputs = operation.outputs
    return result
  }

  /// The input that replaces an operation on a string or dictionary feature, or on the result of `maker`.
  private static func input(
    _ operation: Operation, _ maker: Operation?, _ declared: [String: ValueType], _ constants: [String: Value]
  ) -> TabularInput? {
    let first = maker ?? operation
    guard case .name(let feature)? = first.inputs["x"]?.first, let given = declared[feature],
      let output = operation.outputs.first, case .tensor(let type) = output.type, type.isConcrete,
      type.scalar == .float64, let count = type.elementCount
    else { return nil }
    // After an encoder, keys have been replaced by positions.
    guard maker == nil || operation.inputs["keys"] == nil else { return nil }
    func places(_ name: String) -> FeaturePositions? {
      guard let places = first.value(name, constants)?.tensor.flatMap({ FeaturePositions($0) }), places.count <= count
      else { return nil }
      return places
    }
    let kind: TabularInput.Kind
    switch given {
    case .tensor(let string) where string.scalar == .string && string.rank == 0 && first.type == "ml.one_hot_encoder":
      guard let ignores = flag(first, "ignores_unknown", constants), let places = places("categories") else {
        return nil
      }
      kind = .category(places, ignoresOthers: ignores)
    case .dictionary where first.type == "ml.vectorize" && first.inputs["keys"] == nil:
      kind = .entries(.positions(count: count))
    case .dictionary where first.type == "ml.vectorize" || first.type == "ml.key_positions":
      guard let places = places("keys") else { return nil }
      kind = .entries(places)
    default: return nil
    }
    return TabularInput(name: output.name, feature: feature, kind: kind, type: type)
  }
}
