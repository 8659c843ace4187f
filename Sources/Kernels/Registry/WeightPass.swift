/// A kernel that waits for its weights, piece by piece. Whoever has several frames for it runs a piece for all of them before the next, so that
/// weights come from memory once; each frame's numbers are those of the kernel by itself, bit by bit.
package struct WeightPass: Sendable {
  /// Bytes of weights that all pieces read.
  package let byteCount: Int
  private let pieces: Chunks
  private let run: @Sendable (Range<Int>, CPUFrame) -> Void

  /// Numbers of a piece, about: they stay in a core's second-level cache.
  private static let size = 1 << 15

  /// - Parameter run: computes a range of the columns.
  init(columns: Int, depth: Int, byteCount: Int, _ run: @escaping @Sendable (Range<Int>, CPUFrame) -> Void) {
    self.byteCount = byteCount
    // Columns by sixteen, as the kernel by itself has them: a column's sum is the same then.
    pieces = Chunks(columns, of: max(Self.size / max(depth, 1), 1).roundedUp(to: 16))
    self.run = run
  }

  /// Runs the kernel for every frame.
  package func callAsFunction(_ frames: [CPUFrame]) {
    guard let pool = frames.first?.pool else { return }
    pool.run(pieces.count) { items in
      for item in items {
        for frame in frames { run(pieces[item], frame) }
      }
    }
  }
}

extension Int {
  fileprivate func roundedUp(to multiple: Int) -> Int { (self + multiple - 1) / multiple * multiple }
}
