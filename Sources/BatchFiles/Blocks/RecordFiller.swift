import CoreMLRuntime

/// Fills rows of a block from text records.
package protocol RecordFiller {
  /// Returns false for an unusual record. A separate prediction then handles the record or reports the error.
  ///
  /// - Parameter slot: The row of the block to fill.
  mutating func fill(_ record: UnsafeRawBufferPointer, _ block: TabularBlock, slot: Int) -> Bool
}
