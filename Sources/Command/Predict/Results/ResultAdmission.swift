import CoreML
import CoreMLBase
import MIL

/// Checks the memory that writing, printing or comparing a result needs, before the work starts.
enum ResultAdmission {
  /// Bytes per element of an array: the array as doubles, plus its text or the expected doubles.
  private static let (arrays, texts, comparisons) = (16, 40, 64)

  private static func suffix(of output: String) -> String {
    output.split(separator: "/").last?.split(separator: ".").dropFirst().last?.lowercased() ?? ""
  }

  /// Checks the memory of an `.npz` for a batch: the arrays of all rows, and the file's copy of them.
  static func admit(held bytes: Int) throws {
    try MemoryBudget.current.admit(bytes, of: 2, for: "keeping the outputs of all rows until their .npz is written")
  }

  /// - Parameter outputs: The files that the result goes to; empty if it is printed.
  /// - Throws: If the result does not fit into the memory limit.
  static func admit(_ result: any MLFeatureProvider, to outputs: [String], isCompared: Bool) throws {
    // A folder stores arrays in separate files.
    let isText = outputs.isEmpty || outputs.contains { !["npz", "png", ""].contains(suffix(of: $0)) || $0 == "-" }
    let size = isCompared ? comparisons : isText ? texts : arrays
    let count = result.featureNames.reduce(0) { $0 + (result.featureValue(for: $1)?.multiArrayValue?.count ?? 0) }
    try MemoryBudget.current.admit(count, of: size, for: "giving the outputs, \(count) numbers")
  }
}
