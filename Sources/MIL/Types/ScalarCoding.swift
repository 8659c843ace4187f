import CoreMLBase

/// Converts elements of all stored types to and from Double. The code favors simplicity; kernels have their own fast
/// paths. Throws if the work is cancelled.
enum ScalarCoding {
  static func encode(_ values: [Double], as scalar: ScalarType, to target: UnsafeMutableRawPointer) throws {
    var point = CancellationPoint()
    switch scalar {
    case .float64: try store(values) { $0 }
    case .float32: try store(values) { Float($0) }
    case .float16: try store(values) { Float16($0) }
    case .bfloat16: try store(values) { SmallFloat.bfloat16.encode($0).low16 }
    case .float8E4M3FN: try store(values) { SmallFloat.e4m3fn.encode($0).low8 }
    case .float8E5M2: try store(values) { SmallFloat.e5m2.encode($0).low8 }
    case .bool: try store(values) { $0 != 0 ? UInt8(1) : 0 }
    case .int8: try store(values) { integer($0, Int8.self) }
    case .int16: try store(values) { integer($0, Int16.self) }
    case .int32: try store(values) { integer($0, Int32.self) }
    case .int64: try store(values) { integer($0, Int64.self) }
    case .uint8: try store(values) { integer($0, UInt8.self) }
    case .uint16: try store(values) { integer($0, UInt16.self) }
    case .uint32: try store(values) { integer($0, UInt32.self) }
    case .uint64: try store(values) { integer($0, UInt64.self) }
    case .int4, .uint1, .uint2, .uint3, .uint4, .uint6:
      let range = scalar.integerRange ?? 0...0
      for (index, value) in values.enumerated() {
        try point.pass()
        let clamped =
          value.isNaN ? 0 : Swift.min(Swift.max(value.rounded(.towardZero), range.lowerBound), range.upperBound)
        packBits(UInt8(truncatingIfNeeded: Int(clamped)), scalar.bitWidth, at: index, in: target)
      }
    case .string: break
    }

    func store<T: BitwiseCopyable>(_ values: [Double], _ convert: (Double) -> T) throws {
      for (index, value) in values.enumerated() {
        try point.pass()
        target.storeBytes(of: convert(value), toByteOffset: index * MemoryLayout<T>.stride, as: T.self)
      }
    }
  }

  /// Applies `make` to each element, and allocates only the resulting array.
  static func decode<Result>(
    _ count: Int, of scalar: ScalarType, from source: UnsafeRawPointer, _ make: (Double) throws -> Result
  ) throws -> [Result] {
    var point = CancellationPoint()
    switch scalar {
    case .float64: return try load { (x: Double) in x }
    case .float32: return try load { (x: Float) in Double(x) }
    case .float16: return try load { (x: Float16) in Double(x) }
    case .bfloat16: return try load { (x: UInt16) in Double(Float(bitPattern: UInt32(x) << 16)) }
    case .float8E4M3FN: return try load { (x: UInt8) in SmallFloat.e4m3fn.decode(UInt32(x)) }
    case .float8E5M2: return try load { (x: UInt8) in SmallFloat.e5m2.decode(UInt32(x)) }
    case .bool: return try load { (x: UInt8) in x != 0 ? 1 : 0 }
    case .int8: return try load { (x: Int8) in Double(x) }
    case .int16: return try load { (x: Int16) in Double(x) }
    case .int32: return try load { (x: Int32) in Double(x) }
    case .int64: return try load { (x: Int64) in Double(x) }
    case .uint8: return try load { (x: UInt8) in Double(x) }
    case .uint16: return try load { (x: UInt16) in Double(x) }
    case .uint32: return try load { (x: UInt32) in Double(x) }
    case .uint64: return try load { (x: UInt64) in Double(x) }
    case .int4:
      return try (0..<count).map {
        try point.pass()
        return try make(Double(Int8(bitPattern: unpackBits(4, at: $0, from: source) << 4) >> 4))
      }
    case .uint1, .uint2, .uint3, .uint4, .uint6:
      return try (0..<count).map {
        try point.pass()
        return try make(Double(unpackBits(scalar.bitWidth, at: $0, from: source)))
      }
    case .string: return []
    }

    func load<T: BitwiseCopyable>(_ convert: (T) -> Double) throws -> [Result] {
      try (0..<count).map {
        try point.pass()
        return try make(convert(source.loadUnaligned(fromByteOffset: $0 * MemoryLayout<T>.stride, as: T.self)))
      }
    }
  }

  private static func integer<T: FixedWidthInteger>(_ value: Double, _ type: T.Type) -> T {
    if value.isNaN { return 0 }
    if value <= Double(T.min) { return T.min }
    if value >= Double(T.max) { return T.max }
    return T(value)
  }

  /// Element `index` of a sequence of `width`-bit elements, packed from the least significant bit. An element may
  /// straddle two bytes.
  private static func unpackBits(_ width: Int, at index: Int, from source: UnsafeRawPointer) -> UInt8 {
    let bit = index * width
    var value = UInt16(source.load(fromByteOffset: bit / 8, as: UInt8.self)) >> UInt16(bit % 8)
    if bit % 8 + width > 8 {
      value |= UInt16(source.load(fromByteOffset: bit / 8 + 1, as: UInt8.self)) << UInt16(8 - bit % 8)
    }
    return UInt8(truncatingIfNeeded: value) & UInt8((1 << width) - 1)
  }

  private static func packBits(_ value: UInt8, _ width: Int, at index: Int, in target: UnsafeMutableRawPointer) {
    let mask = UInt16((1 << width) - 1)
    let bit = index * width
    let shifted = (UInt16(value) & mask) << UInt16(bit % 8)
    let low = target.load(fromByteOffset: bit / 8, as: UInt8.self)
    target.storeBytes(of: low | UInt8(truncatingIfNeeded: shifted), toByteOffset: bit / 8, as: UInt8.self)
    if bit % 8 + width > 8 {
      let high = target.load(fromByteOffset: bit / 8 + 1, as: UInt8.self)
      target.storeBytes(of: high | UInt8(shifted >> 8), toByteOffset: bit / 8 + 1, as: UInt8.self)
    }
  }
}

extension UInt32 {
  fileprivate var low16: UInt16 { UInt16(truncatingIfNeeded: self) }
  fileprivate var low8: UInt8 { UInt8(truncatingIfNeeded: self) }
}
