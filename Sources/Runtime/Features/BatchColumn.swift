import CoreMLBase
import CoreMLExecution
import CoreMLSpec
import MIL

/// The values of one feature for many rows of a batch, in the caller's memory: an array whose first axis is the row.
package struct BatchColumn {
  package let feature: String
  package let type: MLMultiArrayDataType
  let data: UnsafeMutableRawPointer
  /// The shape of a row; empty for a number.
  let shape: [Int]
  /// The distance between rows in bytes.
  let step: Int
  /// Whether the elements of a row are contiguous.
  let isDense: Bool
  /// Whether `data` has one pointer to a string per row.
  let isText: Bool

  /// Creates a column of strings: consecutive pointers to null-terminated UTF-8.
  package init(feature: String, texts: UnsafeRawPointer) {
    (self.feature, type, data) = (feature, .double, UnsafeMutableRawPointer(mutating: texts))
    (shape, step, isDense, isText) = ([], MemoryLayout<UnsafePointer<CChar>?>.stride, true, true)
  }

  /// Creates a column of numbers or arrays.
  ///
  /// - Parameters:
  ///   - strides: the strides of a row's axes, in elements.
  ///   - step: the distance between rows in bytes.
  package init(
    feature: String, type: MLMultiArrayDataType, data: UnsafeMutableRawPointer, shape: [Int], strides: [Int], step: Int
  ) {
    (self.feature, self.type, self.data, self.shape, self.step) = (feature, type, data, shape, step)
    isText = false
    isDense = ShapedLayout.isDense(shape, strides)
  }

  /// The address of a row.
  package func row(_ number: Int) -> UnsafeMutableRawPointer { data + number * step }

  /// The string of a row; nil for a null pointer and for invalid UTF-8.
  package func text(_ row: Int) -> String? {
    self.row(row).load(as: UnsafePointer<CChar>?.self).flatMap { String(validatingCString: $0) }
  }

  /// The first number of a row, as a double.
  package func number(_ row: Int) -> Double {
    var number = 0.0
    doubles(row..<row + 1, &number)
    return number
  }

  /// Writes the first number of each of some rows to `target`, as doubles.
  fileprivate func doubles(_ rows: Range<Int>, _ target: UnsafeMutablePointer<Double>) {
    func each<Number>(_: Number.Type, _ double: (Number) -> Double) {
      for (place, row) in rows.enumerated() {
        target[place] = double(data.loadUnaligned(fromByteOffset: row * step, as: Number.self))
      }
    }
    switch type {
    case .double: each(Double.self) { $0 }
    case .float32: each(Float.self) { Double($0) }
    case .float16: each(Float16.self) { Double(Float($0)) }
    case .int32: each(Int32.self) { Double($0) }
    case .int8: each(Int8.self) { Double($0) }
    }
  }
}

extension TabularReader {
  /// Reads rows of a column into contiguous kernel input memory. Returns false if the column is not supported.
  func read(_ column: BatchColumn, _ rows: Range<Int>, _ target: UnsafeMutableRawPointer) -> Bool {
    if case .category(.strings(let known, _), let ignoresOthers) = input.kind {
      return column.isText && store(known, ignoresOthers, of: column, rows, target)
    }
    guard case .numbers = input.kind, !column.isText else { return false }
    switch type {
    case .double where count == 1 && column.shape.isEmpty:
      switch input.type.scalar {
      case .float64: column.doubles(rows, target.assumingMemoryBound(to: Double.self))
      case .float32:
        let floats = target.assumingMemoryBound(to: Float.self)
        for (place, row) in rows.enumerated() { floats[place] = Float(column.number(row)) }
      default: return false
      }
      return true
    case .multiArray where column.isDense && column.shape == shape:
      // Rows without gaps between them are converted as one array.
      let isWhole = column.step == count * column.type.size
      let (parts, size) = isWhole ? (1, count * rows.count) : (rows.count, count)
      for part in 0..<parts {
        let source = column.data + (rows.lowerBound + part) * column.step
        guard Self.convert(source, column.type, to: input.type.scalar, target + part * byteCount, size) else {
          return false
        }
      }
      return true
    default: return false
    }
  }
}

extension TabularReader {
  /// Writes the one-hot category of each string. Returns false for an unknown category, unless unknown categories are
  /// ignored.
  private func store(
    _ known: [ExactText: Int], _ ignoresOthers: Bool, of column: BatchColumn, _ rows: Range<Int>,
    _ target: UnsafeMutableRawPointer
  ) -> Bool {
    for (place, row) in rows.enumerated() {
      guard let text = column.text(row) else { return false }
      let category = known[ExactText(text)]
      guard category != nil || ignoresOthers else { return false }
      let vector = cleared(target + place * byteCount)
      if let category { vector[category] = 1 }
    }
    return true
  }
}

extension TabularWriter {
  /// Writes rows of results to a column. A label is written as its index among the model's labels; a classifier's
  /// probabilities are written in the order of these labels. Returns false if the column is not supported.
  func write(_ source: UnsafeRawPointer, _ column: BatchColumn, _ rows: Range<Int>) -> Bool {
    switch kind {
    case .number:
      guard column.shape.isEmpty else { return false }
      return each(source, column, rows, 1)
    case .numbers:
      guard binding.description.type == .multiArray, column.shape == arrayShape, column.isDense else { return false }
      return each(source, column, rows, count)
    case .label:
      guard let places, column.shape.isEmpty, column.type == .int32 else { return false }
      for (index, row) in rows.enumerated() {
        let place = places[greatest(source + index * byteCount)]
        (column.data + row * column.step).storeBytes(of: place, as: Int32.self)
      }
      return true
    case .probabilities:
      guard let places, column.shape == [count], column.isDense else { return false }
      return each(source, column, rows, count, places)
    }
  }

  /// Writes `count` numbers of each row, permuted by `places` unless it is nil.
  private func each(
    _ source: UnsafeRawPointer, _ column: BatchColumn, _ rows: Range<Int>, _ count: Int, _ places: [Int32]? = nil
  ) -> Bool {
    func copy<From, To>(_: From.Type, _: To.Type, _ converted: (From) -> To) -> Bool {
      for (index, row) in rows.enumerated() {
        let (from, to) = (source + index * byteCount, column.data + row * column.step)
        for item in 0..<count {
          let place = places.map { Int($0[item]) } ?? item
          let number = from.load(fromByteOffset: item * MemoryLayout<From>.stride, as: From.self)
          to.storeBytes(of: converted(number), toByteOffset: place * MemoryLayout<To>.stride, as: To.self)
        }
      }
      return true
    }
    switch (type.scalar, column.type) {
    case (.float64, .double): return copy(Double.self, Double.self) { $0 }
    case (.float64, .float32): return copy(Double.self, Float.self) { Float($0) }
    case (.float32, .float32): return copy(Float.self, Float.self) { $0 }
    case (.float32, .double): return copy(Float.self, Double.self) { Double($0) }
    default: return false
    }
  }
}
