import Synchronization

/// What the kernels of a family derive from a problem, by its type. A refusal is kept, too.
final class DerivedProblem: Sendable {
  private let known = Mutex<[ObjectIdentifier: Result<any Sendable, any Error>]>([:])

  func value<Problem: Sendable>(_ make: () throws -> Problem) throws -> Problem {
    let key = ObjectIdentifier(Problem.self)
    if let result = known.withLock({ $0[key] }), let value = try result.get() as? Problem { return value }
    let result = Result<any Sendable, any Error> { try make() }
    known.withLock { $0[key] = result }
    guard let value = try result.get() as? Problem else { return try make() }
    return value
  }
}
