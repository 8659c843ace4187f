import CoreMLExecution
import Foundation
import MIL

/// Predicts blocks of rows. The caller's reader writes inputs directly to kernel input memory, and its printer reads
/// outputs directly from kernel output memory.
///
/// Only models with numeric, categorical and label features support blocks (`TabularFeatures`). A row that a block
/// rejects is left to a single prediction, which gives bit-identical results or reports the error.
package final class TabularBlocks: @unchecked Sendable {  // the lock guards the mutable state
  private let features: TabularFeatures
  package let inputs: [BlockInput]
  package let outputs: [BlockOutput]
  /// The possible numbers of rows of a block, without those for which memory was insufficient.
  private var sizes = [512, 32, 1]
  private let lock = NSLock()

  /// Returns nil if the model does not support blocks, or if there is not enough memory for one.
  package init?(_ model: MLModel) {
    guard let loaded = model.blockModel, let features = loaded.rows else { return nil }
    inputs = features.readers.compactMap {
      BlockInput($0, loaded.description.inputDescriptionsByName[$0.input.feature])
    }
    outputs = features.writers.map { BlockOutput($0) }
    guard inputs.count == features.readers.count, let session = features.runner.session(rows: 1) else { return nil }
    features.runner.give(session)
    self.features = features
  }

  /// Returns memory for a block. Its size is the largest supported one of at most `2 * rows`, so it may be smaller or
  /// larger than `rows`. Returns nil if the maximum number of concurrent predictions is running. The caller releases
  /// the block with `end`.
  package func begin(rows: Int) -> TabularBlock? {
    // Planning a large block does not pay off for a small batch.
    for size in lock.withLock({ sizes }) where size <= 2 * rows || size == 1 {
      if let session = features.runner.session(rows: size) { return TabularBlock(session, features) }
      if size > 1 { lock.withLock { sizes.removeAll { $0 == size } } }
    }
    return nil
  }

  /// Stores a feature value that all rows share. Returns false if the value needs a single prediction.
  package func store(_ input: Int, of features: any MLFeatureProvider, _ block: TabularBlock, rows: Int) -> Bool {
    guard rows > 0, self.features.readers[input].read(features, block.input(input, 0)) else { return false }
    for row in 1..<max(rows, 1) {
      block.input(input, row).copyMemory(from: block.input(input, 0), byteCount: self.features.readers[input].byteCount)
    }
    return true
  }

  /// Releases the memory of a block. The memory of a block whose run failed is not reused. Blocks of a size that takes
  /// longer than a prediction may are not used again.
  package func end(_ block: TabularBlock) {
    features.runner.give(block.outcome == .done ? block.session : nil)
    if block.outcome == .overTime, block.size > 1 { lock.withLock { sizes.removeAll { $0 == block.size } } }
  }
}

/// The memory of a block of rows.
package final class TabularBlock {
  fileprivate let session: TabularSession
  fileprivate private(set) var outcome = TabularFeatures.Outcome.done
  private let features: TabularFeatures

  fileprivate init(_ session: TabularSession, _ features: TabularFeatures) {
    (self.session, self.features) = (session, features)
  }

  /// The maximum number of rows.
  package var size: Int { session.rows }

  /// The address of a row of an input.
  package func input(_ input: Int, _ row: Int) -> UnsafeMutableRawPointer {
    session.inputs[input] + row * features.readers[input].byteCount
  }

  /// The address of a row of an output.
  package func output(_ output: BlockOutput, _ row: Int) -> UnsafeRawPointer {
    session.outputs[output.writer.output] + row * output.writer.byteCount
  }

  /// Predicts the first `rows` rows; the remaining rows are padded with copies of the first. Returns false if the run
  /// failed; single predictions then report the error.
  package func run(rows: Int) -> Bool {
    for (input, reader) in features.readers.enumerated() {
      for row in rows..<max(session.rows, rows) {
        self.input(input, row).copyMemory(from: self.input(input, 0), byteCount: reader.byteCount)
      }
    }
    outcome = features.outcome(of: session)
    return outcome == .done
  }
}
