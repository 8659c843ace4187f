import CoreMLExecution
import Foundation
import MIL

/// Predicts blocks of rows: a reader stores inputs where kernels read them, and a printer reads outputs where kernels wrote them.
///
/// Only models whose inputs and outputs are numbers, categories and labels have such blocks (`TabularFeatures`). A row that a block refuses is left
/// to a single prediction, which gives the same bits or tells what is wrong.
package final class RowBlocks: @unchecked Sendable {  // what changes is behind the lock
  private let features: TabularFeatures
  package let inputs: [BlockInput]
  package let outputs: [BlockOutput]
  /// Rows that a block may have, as far as that is known.
  private var sizes = [512, 32, 1]
  private let lock = NSLock()

  /// Nil for a model that has no blocks, and where memory has no room for one.
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

  /// Memory for a block of so many rows and more, or of as many as go together; nil where as many predictions run as may. Give it back with
  /// `end`.
  package func begin(rows: Int) -> TabularBlock? {
    // A small batch is not worth the plan of a large block.
    for size in lock.withLock({ sizes }) where size <= 2 * rows || size == 1 {
      if let session = features.runner.session(rows: size) { return TabularBlock(session, features.readers) }
      if size > 1 { lock.withLock { sizes.removeAll { $0 == size } } }
    }
    return nil
  }

  /// Stores a feature that is the same in all rows. False where it is unusual.
  package func store(_ input: Int, of features: any MLFeatureProvider, _ block: TabularBlock, rows: Int) -> Bool {
    guard rows > 0, self.features.readers[input].read(features, block.input(input, 0)) else { return false }
    for row in 1..<max(rows, 1) {
      block.input(input, row).copyMemory(from: block.input(input, 0), byteCount: self.features.readers[input].byteCount)
    }
    return true
  }

  /// Takes the memory of a block back. That of a block whose run failed is not used again.
  package func end(_ block: TabularBlock) { features.runner.give(block.isSound ? block.session : nil) }
}

/// Memory of a block of rows.
package final class TabularBlock {
  fileprivate let session: TabularSession
  fileprivate private(set) var isSound = true
  private let readers: [TabularReader]

  fileprivate init(_ session: TabularSession, _ readers: [TabularReader]) {
    (self.session, self.readers) = (session, readers)
  }

  /// The most rows.
  package var size: Int { session.rows }

  /// Where a row of an input lies.
  package func input(_ input: Int, _ row: Int) -> UnsafeMutableRawPointer {
    session.inputs[input] + row * readers[input].byteCount
  }

  /// Where a row of an output lies.
  package func output(_ output: BlockOutput, _ row: Int) -> UnsafeRawPointer {
    session.outputs[output.writer.output] + row * output.writer.byteCount
  }

  /// Predicts the first rows; the others become copies of the first. False where the run failed: single predictions then say why.
  package func run(rows: Int) -> Bool {
    for (input, reader) in readers.enumerated() {
      for row in rows..<max(session.rows, rows) {
        self.input(input, row).copyMemory(from: self.input(input, 0), byteCount: reader.byteCount)
      }
    }
    isSound = (try? session.run()) != nil
    return isSound
  }
}
