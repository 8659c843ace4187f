import CoreMLBase
import MIL

/// The addresses of a plan's external memory in the current run, and the entries of a session's pointer tables that
/// hold them.
struct ExternalBindings {
  private let roles: [Plan.External.Role]
  private var pointers: [UnsafeMutableRawPointer?]
  /// Objects that keep the memory of inputs alive.
  private var owners: [TensorStorage?]
  /// Entries of the operand table and of the output table, by external memory.
  private var sources: [[Int]]
  private var targets: [[Int]]

  init(_ plan: Plan) {
    roles = plan.externals.map(\.role)
    pointers = roles.map { _ in nil }
    owners = roles.map { _ in nil }
    sources = roles.map { _ in [] }
    targets = roles.map { _ in [] }
  }

  func pointer(_ number: Int) -> UnsafeMutableRawPointer? { pointers[number] }
  func owner(_ number: Int) -> TensorStorage? { owners[number] }

  mutating func note(_ place: Plan.Storage, source entry: Int) {
    if case .external(let number) = place { sources[number].append(entry) }
  }

  mutating func note(_ place: Plan.Storage, target entry: Int) {
    if case .external(let number) = place { targets[number].append(entry) }
  }

  /// Binds external memory to `pointer`, and updates the tables.
  mutating func bind(
    _ number: Int, to pointer: UnsafeMutableRawPointer, owner: TensorStorage?,
    _ operands: inout [UnsafeRawPointer], _ results: inout [UnsafeMutableRawPointer]
  ) {
    owners[number] = owner
    guard pointers[number] != pointer else { return }
    pointers[number] = pointer
    for place in sources[number].indices { operands[sources[number][place]] = UnsafeRawPointer(pointer) }
    for place in targets[number].indices { results[targets[number][place]] = pointer }
  }

  /// Releases inputs and states. They must be bound again before the next run.
  mutating func release() {
    for number in roles.indices {
      if case .output = roles[number] { continue }
      owners[number] = nil
      pointers[number] = nil
    }
  }

  /// An input or state that has not been bound.
  var missing: Plan.External.Role? {
    for number in pointers.indices where pointers[number] == nil { return roles[number] }
    return nil
  }
}
