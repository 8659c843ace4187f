import CoreMLBase
import CoreMLSpec
import MIL

/// The places of keys in a vector: strings, integers, or integers that are places themselves.
package enum FeaturePositions: Sendable {
  case strings([ExactText: Int], count: Int)
  case integers([Int64: Int], count: Int)
  case positions(count: Int)

  package var count: Int {
    switch self {
    case .strings(_, let count), .integers(_, let count), .positions(let count): count
    }
  }

  /// Nil where a key stands twice.
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

/// A classifier's labels.
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

/// An input of numbers, and how a feature becomes them.
package struct TabularInput: Sendable {
  package enum Kind: Sendable {
    /// The feature's own numbers.
    case numbers
    /// One at the place of a string; others are errors, or `ignored`.
    case category(FeaturePositions, ignoresOthers: Bool)
    /// A dictionary's values at the places of their keys.
    case entries(FeaturePositions)
  }

  let name: String
  package let feature: String
  package let kind: Kind
  /// Of one row.
  package let type: TensorType
}

/// A feature that is made of an output of numbers.
package struct TabularOutput: Sendable {
  package enum Kind: Sendable {
    case numbers
    /// The label of the greatest number.
    case label(TabularLabels)
    /// Every label with its number.
    case shares(TabularLabels)
  }

  package let feature: String
  package let kind: Kind
  /// Which output of the function.
  package let output: Int
}

/// A function that takes and gives numbers alone: what becomes of strings, dictionaries and labels is done where features are. Most models of
/// rows have such a form, and what runs of it is kernels on memory that is there.
struct TabularSignature: Sendable {
  private(set) var function: Function
  private(set) var inputs: [TabularInput] = []
  private(set) var outputs: [TabularOutput] = []

  /// Nil where something stays that is no number, or whose size is only known at run time.
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
        // A feature that is no number has become some, or nobody asks for it.
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

  /// Whether a prediction works in so little memory that what is around it counts. No plan is made of others to find that out.
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

  /// A vector of what a dictionary has that an encoder makes of an integer: the encoder can give it itself.
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

  /// The input that takes the place of an operation on a string or a dictionary that the function is given, or on what `maker` makes of it.
  private static func input(
    _ operation: Operation, _ maker: Operation?, _ declared: [String: ValueType], _ constants: [String: Value]
  ) -> TabularInput? {
    let first = maker ?? operation
    guard case .name(let feature)? = first.inputs["x"]?.first, let given = declared[feature],
      let output = operation.outputs.first, case .tensor(let type) = output.type, type.isConcrete,
      type.scalar == .float64, let count = type.elementCount
    else { return nil }
    // Behind an encoder, places are all that is left.
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
