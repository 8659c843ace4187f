import CoreMLBase
import CoreML
import MIL

/// What it takes to write, print or compare a result, asked for before it is done.
enum ResultMemory {
  /// Bytes for each element of an array: the array as doubles, and its text or the doubles that are expected.
  private static let (arrays, texts, comparisons) = (16, 40, 64)

  private static func suffix(of output: String) -> String {
    output.split(separator: "/").last?.split(separator: ".").dropFirst().last?.lowercased() ?? ""
  }

  /// Asks for what an `.npz` of a batch holds until it is written: arrays of all rows, and the file's copy of them.
  static func admit(held bytes: Int) throws {
    try MemoryBudget.current.admit(bytes, of: 2, for: "keeping the outputs of all rows until their .npz is written")
  }

  /// - Parameter outputs: the files that the result goes to; none where it is printed.
  /// - Throws: where the memory limit has no room for it.
  static func admit(_ result: any MLFeatureProvider, to outputs: [String], isCompared: Bool) throws {
    // A folder of results has arrays in files of their own.
    let isText = outputs.isEmpty || outputs.contains { !["npz", "png", ""].contains(suffix(of: $0)) || $0 == "-" }
    let size = isCompared ? comparisons : isText ? texts : arrays
    let count = result.featureNames.reduce(0) { $0 + (result.featureValue(for: $1)?.multiArrayValue?.count ?? 0) }
    try MemoryBudget.current.admit(count, of: size, for: "giving the outputs, \(count) numbers")
  }
}
