import CoreMLExecution
import CoreMLSpec
import MIL

/// An input of a block of rows: converts numbers and strings of a data file to kernel input.
///
/// Every conversion gives the same result as a single prediction with a feature made from the same text. If a method
/// returns false, it has not stored the value, and the caller must predict the row with a single prediction.
package final class BlockInput {
  package let feature: String
  /// The shape of a row's array; empty for a number or a string.
  package let shape: [Int]
  /// The number of elements of a row.
  package let count: Int
  package let byteCount: Int
  package let isCategory: Bool
  /// Whether the feature is a number, or an array with one element.
  package var isNumber: Bool { !isCategory && (shape.isEmpty || shape == [1]) }
  /// The element type of the feature's array; nil for other feature types.
  package let elementType: MLMultiArrayDataType?
  /// Whether the feature is a 64-bit integer.
  package var takesIntegers: Bool { storing == .int64 || storing == .int64ToDouble }

  private let scalar: ScalarType
  package let storing: Storing
  private let categories: ByteKeys?
  private let ignoresOthers: Bool

  /// How a number is converted: to the type of the feature's elements, and then to the kernel's.
  package enum Storing: Sendable {
    case double, single, singleToDouble, int32, int32ToDouble, int64, int64ToDouble, none
  }

  init?(_ reader: TabularReader, _ description: MLFeatureDescription?) {
    guard let description else { return nil }
    (feature, scalar) = (reader.input.feature, reader.input.type.scalar)
    (count, byteCount) = (reader.count, reader.byteCount)
    elementType = description.type == .multiArray ? description.multiArrayConstraint?.dataType : nil
    switch (reader.input.kind, description.type) {
    case (.category(.strings(let places, _), let ignoresOthers), .string):
      (isCategory, shape, storing, self.ignoresOthers) = (true, [], .none, ignoresOthers)
      categories = ByteKeys(places.map { (Array($0.key.text.utf8), $0.value) })
    case (.numbers, .multiArray), (.numbers, .double), (.numbers, .int64):
      guard let storing = Self.storing(reader, description) else { return nil }
      (isCategory, self.storing, categories, ignoresOthers) = (false, storing, nil, false)
      shape = description.type == .multiArray ? reader.shape : []
      guard description.type == .multiArray ? !shape.isEmpty : count == 1 else { return nil }
    default: return nil
    }
  }

  private static func storing(_ reader: TabularReader, _ description: MLFeatureDescription) -> Storing? {
    let scalar = reader.input.type.scalar
    switch (description.type, description.multiArrayConstraint?.dataType, scalar) {
    case (.double, _, .float64), (.multiArray, .double, .float64): return .double
    case (.double, _, .float32), (.multiArray, .double, .float32), (.multiArray, .float32, .float32): return .single
    case (.multiArray, .float32, .float64): return .singleToDouble
    case (.multiArray, .int32, .int32): return .int32
    case (.multiArray, .int32, .float64): return .int32ToDouble
    case (.int64, _, .int64): return .int64
    case (.int64, _, .float64): return .int64ToDouble
    default: return nil
    }
  }

  /// Stores an element that the file gives as an integer.
  package func store(_ integer: Int64, at element: Int, _ row: UnsafeMutableRawPointer) -> Bool {
    switch storing {
    case .int64: row.storeBytes(of: integer, toByteOffset: element * 8, as: Int64.self)
    case .int64ToDouble: row.storeBytes(of: Double(integer), toByteOffset: element * 8, as: Double.self)
    default: return store(Double(integer), at: element, row)
    }
    return true
  }

  /// Stores an element that the file gives with a fraction or an exponent.
  package func store(_ number: Double, at element: Int, _ row: UnsafeMutableRawPointer) -> Bool {
    switch storing {
    case .double: row.storeBytes(of: number, toByteOffset: element * 8, as: Double.self)
    case .single: row.storeBytes(of: Float(number), toByteOffset: element * 4, as: Float.self)
    case .singleToDouble: row.storeBytes(of: Double(Float(number)), toByteOffset: element * 8, as: Double.self)
    case .int32:
      guard let integer = Int32(exactly: number) else { return false }
      row.storeBytes(of: integer, toByteOffset: element * 4, as: Int32.self)
    case .int32ToDouble:
      guard let integer = Int32(exactly: number) else { return false }
      row.storeBytes(of: Double(integer), toByteOffset: element * 8, as: Double.self)
    case .int64, .int64ToDouble, .none: return false
    }
    return true
  }

  /// Stores all elements of a row from memory that holds them in the feature's type.
  package func copy(_ elements: UnsafeRawBufferPointer, _ row: UnsafeMutableRawPointer) -> Bool {
    guard let elementType, let base = elements.baseAddress, elements.count == count * elementType.size else {
      return false
    }
    return TabularReader.convert(base, elementType, to: scalar, row, count)
  }

  /// Stores the category of a UTF-8 string as a one-hot vector.
  package func store(_ text: UnsafeRawBufferPointer, _ row: UnsafeMutableRawPointer) -> Bool {
    guard let categories else { return false }
    let place = categories[text]
    // An unknown category must be valid text. Only ASCII bytes are known to be valid without a check.
    guard place != nil || ignoresOthers && text.allSatisfy({ $0 < 0x80 }) else { return false }
    let vector = row.assumingMemoryBound(to: Double.self)
    vector.update(repeating: 0, count: count)
    if let place { vector[place] = 1 }
    return true
  }
}

/// Maps byte strings to indices: a hash table with open addressing. A lookup does not create a `String`.
struct ByteKeys {
  private var slots: [Int32]
  private let keys: [(bytes: [UInt8], place: Int)]

  init(_ keys: [(bytes: [UInt8], place: Int)]) {
    self.keys = keys
    var size = 16
    while size < 2 * keys.count { size *= 2 }
    slots = [Int32](repeating: -1, count: size)
    for (index, key) in keys.enumerated() {
      var slot = key.bytes.withUnsafeBytes { Self.hash($0) } & (size - 1)
      while slots[slot] >= 0 { slot = (slot + 1) & (size - 1) }
      slots[slot] = Int32(index)
    }
  }

  subscript(_ bytes: UnsafeRawBufferPointer) -> Int? {
    var slot = Self.hash(bytes) & (slots.count - 1)
    while slots[slot] >= 0 {
      let key = keys[Int(slots[slot])]
      if key.bytes.count == bytes.count, key.bytes.elementsEqual(bytes) { return key.place }
      slot = (slot + 1) & (slots.count - 1)
    }
    return nil
  }

  /// Seeded per process, so that no model can choose keys that collide.
  private static func hash(_ bytes: UnsafeRawBufferPointer) -> Int {
    var hasher = Hasher()
    hasher.combine(bytes: bytes)
    return hasher.finalize() & Int.max
  }
}
