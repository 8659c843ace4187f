import CoreMLRuntime
import FeatureFiles

/// The cells of a table record (RFC 4180).
package enum TableCells {
  /// The contents of all cells, without quotes.
  ///
  /// - Parameter failure: The error to throw for a cell that is not UTF-8.
  package static func texts(
    _ record: UnsafeRawBufferPointer, _ separator: UInt8, _ failure: () -> any Error
  ) throws -> [String] {
    var bytes = record[...]
    var cells: [String] = []
    var cell: [UInt8] = []
    var (isQuoted, wasQuoted) = (false, false)
    func add() throws {
      guard let text = String(validating: cell, as: UTF8.self) else { throw failure() }
      cells.append(text)
      (cell, wasQuoted) = ([], false)
    }
    while let byte = bytes.popFirst() {
      if isQuoted {
        if byte != 0x22 {
          cell.append(byte)
        } else if bytes.first == 0x22 {
          cell.append(byte)
          bytes.removeFirst()
        } else {
          isQuoted = false
        }
        continue
      }
      switch byte {
      case 0x22 where cell.isEmpty && !wasQuoted: (isQuoted, wasQuoted) = (true, true)
      case separator: try add()
      // It belongs to the line end.
      case 0x0D where bytes.isEmpty: continue
      default: cell.append(byte)
      }
    }
    try add()
    return cells
  }
}

extension TableCells {
  /// A feature as the contents of a cell, before quoting. Strings and numbers are written as they are, everything else
  /// as JSON.
  package static func cell(_ value: MLFeatureValue, keep: Int? = nil) -> [UInt8] {
    if value.isUndefined { return [] }
    if value.type == .string { return Array(value.stringValue.utf8) }
    // An array with one element is written as a number.
    if value.type == .multiArray, let array = value.multiArrayValue, array.count == 1 {
      var bytes: [UInt8] = []
      switch array.dataType {
      case .int32, .int8: bytes.append(number: Int64(array[0].intValue))
      case .float32, .float16: bytes.append(number: array[0].floatValue, quoted: true)
      case .double: bytes.append(number: array[0].doubleValue, quoted: true)
      }
      return bytes
    }
    var writer = FeatureJSONWriter()
    writer.value(value, keep: keep)
    return writer.bytes
  }

  /// Quotes the cell at the end of the bytes if it contains quotes, separators or line ends.
  package static func quote(from start: Int, _ bytes: inout [UInt8], _ separator: UInt8) {
    guard
      bytes[start...].contains(where: { $0 == 0x22 || $0 == 0x0A || $0 == 0x0D || $0 == separator })
    else { return }
    let cell = Array(bytes[start...])
    bytes.removeSubrange(start...)
    bytes.append(0x22)
    for byte in cell {
      if byte == 0x22 { bytes.append(0x22) }
      bytes.append(byte)
    }
    bytes.append(0x22)
  }
}
