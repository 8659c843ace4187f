/// Which sizes and small values a pass looked at, by the numbers that the tracked function gave them.
///
/// A pass that reads nothing that changed gives the same result again. So a plan for other shapes can leave it out.
package final class SizeReads {
  /// A comparison of two sizes, with its result. The number 0 stands for a constant.
  package struct Comparison: Hashable {
    package let first: UInt32
    package let second: UInt32
    /// The other side, where one number is 0.
    package let constant: Int?
    package let areEqual: Bool
  }

  package private(set) var numbers: Set<UInt32> = []
  package private(set) var comparisons: Set<Comparison> = []

  package init() {}

  // TaskLocal: passes run on the thread of their caller. Only tracked sizes look it up.
  @TaskLocal private static var current: Box?

  private struct Box: @unchecked Sendable { let reads: SizeReads }

  /// Notes the reads of `body`.
  package func during<Result>(_ body: () throws -> Result) rethrows -> Result {
    try Self.$current.withValue(Box(reads: self), operation: body)
  }

  @usableFromInline static func note(_ id: UInt32) { current?.reads.numbers.insert(id) }

  @usableFromInline static func compare(_ a: Dimension, _ b: Dimension) {
    guard let reads = current?.reads, a.id != b.id else { return }
    reads.comparisons.insert(
      Comparison(
        first: a.id, second: b.id, constant: a.id == 0 ? a.known : b.id == 0 ? b.known : nil,
        areEqual: a.known == b.known))
  }
}
