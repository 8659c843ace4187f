import CoreML
import CoreMLRuntime
import FeatureFiles

extension ArrayRows: BlockSource {
  var features: [String]? { arrays.map(\.name) }
  func endOfGroup(from row: Int) -> Int { row + 512 }
  func keep(groups: Int) {}
  func filler(_ inputs: [BlockInput]) -> (any BlockFiller)? { ArrayFiller(arrays, inputs) }
}

/// Rows of arrays, with the conversions of `FeatureConversion`.
private struct ArrayFiller: BlockFiller {
  private struct Source {
    let array: NPYArray
    let input: BlockInput
    let isCopied: Bool
  }

  private let sources: [Source?]

  /// Nil if the arrays do not match the inputs.
  init?(_ arrays: [(name: String, array: NPYArray)], _ inputs: [BlockInput]) {
    var sources: [Source?] = []
    for input in inputs {
      guard let array = arrays.first(where: { $0.name == input.feature })?.array else {
        sources.append(nil)
        continue
      }
      let shape = Array(array.shape.dropFirst())
      // An array of one element can serve as a number, and a number as an array of one element.
      let isAlike = input.shape.isEmpty ? shape.reduce(1, *) == 1 : (shape.isEmpty ? [1] : shape) == input.shape
      // int64 to double to fp32 would round twice; single predictions round once.
      let isRoundedTwice = array.element == .int64 && input.elementType == .float32
      guard !input.isCategory, isAlike, !isRoundedTwice else { return nil }
      let type: MLMultiArrayDataType? =
        switch array.element {
        case .float64: .double
        case .float32: .float32
        case .int32: .int32
        default: nil
        }
      sources.append(Source(array: array, input: input, isCopied: type != nil && type == input.elementType))
    }
    self.sources = sources
  }

  func fill(_ block: TabularBlock, slot: Int, row: Int) -> Bool {
    for (index, source) in sources.enumerated() {
      guard let source else { continue }
      let target = block.input(index, slot)
      let isFilled =
        source.isCopied
        ? source.array.bytes.withUnsafeBytes {
          source.input.copy(UnsafeRawBufferPointer(rebasing: $0[source.array.bytes(ofRow: row)]), target)
        } : convert(source, row, target)
      guard isFilled else { return false }
    }
    return true
  }

  private func convert(_ source: Source, _ row: Int, _ target: UnsafeMutableRawPointer) -> Bool {
    let elements = source.array.row(row)
    if source.input.takesIntegers {
      guard let integers = elements.int64s else { return false }
      return integers.indices.allSatisfy { source.input.store(integers[$0], at: $0, target) }
    }
    let numbers = elements.doubles
    return numbers.indices.allSatisfy { source.input.store(numbers[$0], at: $0, target) }
  }
}
