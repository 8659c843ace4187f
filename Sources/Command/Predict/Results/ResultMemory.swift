import CoreML
import MIL

/// What it takes to write, print or compare a result, asked for before it is done.
enum ResultMemory {
  /// Bytes for each element of an array: the array as doubles, and its text or the doubles that are expected.
  private static let (arrays, texts, comparisons) = (16, 40, 64)

  /// - Parameter outputs: the files that the result goes to; none where it is printed.
  /// - Throws: where the memory limit has no room for it.
  static func admit(_ result: any MLFeatureProvider, to outputs: [String], isCompared: Bool) throws {
    let isText =
      outputs.isEmpty || outputs.contains { !$0.lowercased().hasSuffix(".npz") && !$0.lowercased().hasSuffix(".png") }
    let size = isCompared ? comparisons : isText ? texts : arrays
    let count = result.featureNames.reduce(0) { $0 + (result.featureValue(for: $1)?.multiArrayValue?.count ?? 0) }
    try MemoryBudget.current.admit(count, of: size, for: "giving the outputs, \(count) numbers")
  }
}
