import Foundation

/// Memory sizes as text.
package enum MemorySize {
  /// The environment variable that limits the process's memory.
  package static let variable = "COREML_MEMORY_LIMIT"

  /// Parses a size: an integer with an optional unit K, M, G or T (powers of 1024, optionally followed by `B` or `iB`).
  /// Returns nil for any other text.
  package static func bytes(_ text: String) -> Int? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    guard !digits.isEmpty, let number = Int(digits) else { return nil }
    let units = ["": 0, "B": 0, "K": 10, "M": 20, "G": 30, "T": 40]
    var unit = text.dropFirst(digits.count).uppercased()
    for suffix in ["IB", "B"] where unit.count > 1 && unit.hasSuffix(suffix) { unit.removeLast(suffix.count) }
    guard let shift = units[unit] else { return nil }
    let (bytes, overflow) = number.multipliedReportingOverflow(by: 1 << shift)
    return overflow ? nil : bytes
  }

  /// Formats a number of bytes for messages: `1.5 GB`.
  package static func text(_ bytes: Int) -> String {
    let units = [("TB", 40), ("GB", 30), ("MB", 20), ("KB", 10)]
    for (name, shift) in units where bytes >= 1 << shift {
      return String(format: "%.1f %@", Double(bytes) / Double(1 << shift), name)
    }
    return "\(bytes) bytes"
  }
}
