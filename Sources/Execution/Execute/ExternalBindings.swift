import CoreMLBase
import MIL

/// Where a plan's external memory is in the run at hand, and which entries of a session's pointer tables say so.
struct ExternalBindings {
  private let roles: [Plan.External.Role]
  private var pointers: [UnsafeMutableRawPointer?]
  /// What keeps an input's memory alive.
  private var owners: [TensorStorage?]
  /// Entries of the tables of operands and of outputs, by external memory.
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

  /// Lets external memory be at `pointer` from now on, in the tables too.
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

  /// Lets go of inputs and states; they must be bound again before the next run.
  mutating func release() {
    for number in roles.indices {
      if case .output = roles[number] { continue }
      owners[number] = nil
      pointers[number] = nil
    }
  }

  /// The input or state that nobody has bound.
  var missing: Plan.External.Role? {
    for number in pointers.indices where pointers[number] == nil { return roles[number] }
    return nil
  }
}
