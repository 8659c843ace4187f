import MIL

/// The reads of each search for a pattern, apart from those of the pass that searches.
final class PatternReads {
  /// By the operation at which the pass looked.
  private(set) var searches: [(index: Int, reads: SizeReads)] = []

  // TaskLocal: passes run on the thread of their caller.
  @TaskLocal private static var current: Box?

  private struct Box: @unchecked Sendable { let reads: PatternReads }

  /// Collects the searches of `body`.
  func during<Result>(_ body: () throws -> Result) rethrows -> Result {
    try Self.$current.withValue(Box(reads: self), operation: body)
  }

  /// Runs `body`, which looks for a pattern at an operation of the function that the pass was given. What it finds
  /// depends on nothing else that the pass found.
  static func search<Result>(at index: Int, _ body: () throws -> Result) rethrows -> Result {
    guard let patterns = current?.reads else { return try body() }
    let reads = SizeReads()
    patterns.searches.append((index, reads))
    return try reads.during(body)
  }
}
