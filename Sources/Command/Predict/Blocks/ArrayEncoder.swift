import CoreML
import CoreMLRuntime
import FeatureFiles

/// Copies the arrays of a block's rows, one output after the other, as the elements of `.npy` files.
struct ArrayEncoder: BlockEncoder {
  struct Column {
    let output: BlockOutput
    let element: NPYArray.Element
    let shape: [Int]
    var byteCount: Int { shape.reduce(element.size, *) }
  }

  /// The outputs that are arrays, in the order of their bytes.
  let columns: [Column]

  /// Nil if an array needs more than a copy.
  init?(_ blocks: TabularBlocks) {
    var columns: [Column] = []
    for output in blocks.outputs.sorted(by: { $0.feature < $1.feature }) {
      switch output.kind {
      case .elements(let shape, .double): columns.append(Column(output: output, element: .float64, shape: shape))
      case .elements(let shape, .float32): columns.append(Column(output: output, element: .float32, shape: shape))
      case .elements(let shape, .int32): columns.append(Column(output: output, element: .int32, shape: shape))
      case .elements, .feature: return nil
      // An `.npz` omits them.
      case .number, .label, .probabilities: continue
      }
    }
    self.columns = columns
  }

  func append(_ block: TabularBlock, slot: Int, to bytes: inout [UInt8]) {
    for column in columns {
      bytes.append(
        contentsOf: UnsafeRawBufferPointer(start: block.output(column.output, slot), count: column.byteCount))
    }
  }
}
