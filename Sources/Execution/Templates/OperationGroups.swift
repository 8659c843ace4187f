import MIL

/// Groups the operations of a function that compute the same if they are given the same: those of repeated layers. They
/// have one type, equal literals, and operands of equal types and values.
struct OperationGroups {
  private struct Signature: Hashable {
    let type: String
    let parts: [Int]
  }

  private struct Operand: Hashable {
    let type: ValueType
    var elements: Elements?
    var isStored = false
  }

  private enum Elements: Hashable {
    /// Those of a large constant, which are compared by their memory.
    case shared(ObjectIdentifier)
    case bytes([UInt8])
    case strings([String])
  }

  private static let mostBytes = 256

  private var groups: [Signature: Int] = [:]
  private var operands: [Operand: Int] = [:]
  private var words: [String: Int] = [:]

  /// The number of groups.
  var count: Int { groups.count }

  /// The number of an operation's group. Nil if more than its operands could decide what it computes.
  ///
  /// - Parameters:
  ///   - scope: The types and values of the operands. It must keep the values alive as long as the groups are used.
  ///   - stored: The operands that are weights in the encoding of the file.
  mutating func group(of operation: Operation, _ scope: Scope, _ stored: StoredConstants) -> Int? {
    guard operation.blocks.isEmpty, operation.code == nil, !operation.isConst, !operation.isConstexpr,
      operation.type != "train.parameter"
    else { return nil }
    var parts: [Int] = []
    var (readsStored, readsVariable) = (false, false)
    for (parameter, bindings) in operation.inputs.sorted(by: { $0.key < $1.key }) {
      parts += [Self.number(of: parameter, in: &words), bindings.count]
      for binding in bindings {
        switch binding {
        case .literal(let value):
          guard let operand = Self.operand(value.type, value) else { return nil }
          parts.append(Self.number(of: operand, in: &operands))
        case .name(let name):
          guard let type = scope.types[name], var operand = Self.operand(type, scope.values[name]) else { return nil }
          operand.isStored = stored.weights[name] != nil
          readsStored = readsStored || operand.isStored
          readsVariable = readsVariable || !operand.isStored && operand.elements == nil
          parts.append(-1 - Self.number(of: operand, in: &operands))
        }
      }
    }
    // Results of stored weights alone depend on their elements.
    guard readsVariable || !readsStored else { return nil }
    for output in operation.outputs { parts.append(Self.number(of: Operand(type: output.type), in: &operands)) }
    return Self.number(of: Signature(type: operation.type, parts: parts), in: &groups)
  }

  private static func number<Key: Hashable>(of key: Key, in numbers: inout [Key: Int]) -> Int {
    if let known = numbers[key] { return known }
    numbers[key] = numbers.count
    return numbers.count - 1
  }

  private static func operand(_ type: ValueType, _ value: Value?) -> Operand? {
    guard let value else { return Operand(type: type) }
    guard let tensor = value.tensor else { return nil }
    if let strings = tensor.storage.strings { return Operand(type: type, elements: .strings(strings)) }
    guard tensor.byteCount <= mostBytes else {
      return Operand(type: type, elements: .shared(ObjectIdentifier(tensor.storage)))
    }
    return Operand(type: type, elements: .bytes(tensor.withUnsafeBytes { Array($0) }))
  }
}
