import CoreMLRuntime

/// Fills rows of a block from the records of a text.
package protocol RecordFiller {
  /// False for a record that is unusual: it is left to a single prediction, which takes it or says what is wrong.
  ///
  /// - Parameter slot: which row of the block to fill.
  mutating func fill(_ record: UnsafeRawBufferPointer, _ block: TabularBlock, slot: Int) -> Bool
}
