import CoreMLBase

extension Tensor {
  /// All elements as Double (bools as 0 and 1). Exact for all types except 64-bit integers beyond 2^53.
  package func doubles() throws -> [Double] { try array("numbers") { $0 } }

  /// Applies `make` to each element. The result is the only allocation, and is admitted first since an array allocation
  /// cannot fail.
  private func array<Element>(_ kind: String, _ make: (Double) throws -> Element) throws -> [Element] {
    guard scalar != .string else { throw MILError(.invalidType, "a tensor of strings has no \(kind)") }
    try admit(MemoryLayout<Element>.stride)
    return try withExtendedLifetime(storage) {
      try ScalarCoding.decode(count, of: scalar, from: storage.pointer, make)
    }
  }

  /// Checks that there is memory for an array of the elements.
  private func admit(_ size: Int) throws {
    try MemoryBudget.current.admit(count, of: size, for: "an array of the numbers of \(type)")
  }

  package func floats() throws -> [Float] {
    guard scalar == .float32 else { return try array("numbers") { Float($0) } }
    try admit(MemoryLayout<Float>.stride)
    return withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
  }

  /// All elements as integers. Floats must be integral.
  package func ints() throws -> [Int] {
    if scalar == .int64 { return try integers(Int64.self) }
    if scalar == .int32 { return try integers(Int32.self) }
    return try array("integers") { value in
      guard let integer = Int(exactly: value) else {
        throw MILError(.invalidType, "expected an integer, found \(value)")
      }
      return integer
    }
  }

  private func integers<Stored: FixedWidthInteger>(_ type: Stored.Type) throws -> [Int] {
    try admit(MemoryLayout<Int>.stride)
    return withUnsafeBytes { bytes in
      let numbers = bytes.bindMemory(to: type)
      return Array(unsafeUninitializedCapacity: numbers.count) { integers, count in
        for index in 0..<numbers.count { integers.initializeElement(at: index, to: Int(numbers[index])) }
        count = numbers.count
      }
    }
  }

  package func bools() throws -> [Bool] { try array("truth values") { $0 != 0 } }

  package func strings() throws -> [String] {
    guard let strings = storage.strings else {
      throw MILError(.invalidType, "expected strings, found a tensor of \(scalar.rawValue)")
    }
    return strings
  }

  /// The tensor converted to another element type (see `init(_:shape:doubles:)` for the rules), or the tensor itself if
  /// the type is the same.
  package func converted(to scalar: ScalarType) throws -> Tensor {
    if scalar == self.scalar { return self }
    if self.scalar == .float16, scalar == .float32 { return try widened() }
    return try Tensor(scalar, shape: shape, doubles: doubles())
  }

  private func widened() throws -> Tensor {
    let result = try Tensor.zeros(.float32, shape: shape)
    guard let target = result.storage.mutablePointer?.assumingMemoryBound(to: Float.self) else { return result }
    withExtendedLifetime(storage) {
      for index in 0..<count {
        target[index] = Float(storage.pointer.loadUnaligned(fromByteOffset: index * 2, as: Float16.self))
      }
    }
    return result
  }
}
