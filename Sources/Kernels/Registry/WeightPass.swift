/// A kernel that is bound by reading its weights, cut into chunks of columns. A caller with several frames runs each
/// chunk for all frames before the next chunk, so that weights are read from memory once. The result of each frame is
/// bit for bit that of the kernel on that frame alone.
package struct WeightPass: Sendable {
  /// Bytes of weights that all chunks read.
  package let byteCount: Int
  private let pieces: Chunks
  private let run: @Sendable (Range<Int>, CPUFrame) -> Void

  /// Approximate weight elements of a chunk: they stay in a core's L2 cache.
  private static let size = 1 << 15

  /// - Parameter run: computes a range of the columns.
  init(columns: Int, depth: Int, byteCount: Int, _ run: @escaping @Sendable (Range<Int>, CPUFrame) -> Void) {
    self.byteCount = byteCount
    // Chunks are multiples of 16 columns, as in the kernel for one frame. So each column uses the same order of
    // additions.
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
