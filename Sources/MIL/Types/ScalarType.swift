/// The element type of a tensor, as in MIL's `DataType` (MIL.proto) and in MIL text.
///
/// The raw value is its name in MIL text.
package enum ScalarType: String, Sendable, Hashable, CaseIterable {
  case bool
  case string
  case float16 = "fp16"
  case float32 = "fp32"
  case float64 = "fp64"
  case bfloat16 = "bf16"
  case float8E4M3FN = "fp8e4m3fn"
  case float8E5M2 = "fp8e5m2"
  case int4
  case int8
  case int16
  case int32
  case int64
  case uint1
  case uint2
  case uint3
  case uint4
  case uint6
  case uint8
  case uint16
  case uint32
  case uint64

  /// Bits of one stored element; 0 for strings, which have no fixed size. A bool takes 8 bits.
  package var bitWidth: Int {
    switch self {
    case .string: 0
    case .uint1: 1
    case .uint2: 2
    case .uint3: 3
    case .int4, .uint4: 4
    case .uint6: 6
    case .bool, .int8, .uint8, .float8E4M3FN, .float8E5M2: 8
    case .float16, .bfloat16, .int16, .uint16: 16
    case .float32, .int32, .uint32: 32
    case .float64, .int64, .uint64: 64
    }
  }

  package var isFloat: Bool {
    switch self {
    case .float16, .float32, .float64, .bfloat16, .float8E4M3FN, .float8E5M2: true
    default: false
    }
  }

  package var isInteger: Bool { self != .bool && self != .string && !isFloat }

  package var isSigned: Bool {
    switch self {
    case .int4, .int8, .int16, .int32, .int64: true
    default: isFloat
    }
  }

  /// Whether several elements share a byte, packed from the least significant bit (MIL blob storage v2).
  package var isSubByte: Bool { bitWidth > 0 && bitWidth < 8 }

  /// The smallest and largest value of an integer type (bool counts as 0...1); nil for floats and strings.
  package var integerRange: ClosedRange<Double>? {
    switch self {
    case .bool: return 0...1
    case .int64: return -9_223_372_036_854_775_808...9_223_372_036_854_774_784
    case .uint64: return 0...18_446_744_073_709_549_568
    case _ where isInteger:
      let span = Double(UInt64(1) << UInt64(bitWidth))
      return isSigned ? (-span / 2)...(span / 2 - 1) : 0...(span - 1)
    default: return nil
    }
  }

  /// The bytes of `count` packed elements; nil on overflow, or if the type has no fixed size.
  package func byteCount(for count: Int) -> Int? {
    guard bitWidth > 0, count >= 0 else { return nil }
    let (bits, overflow) = count.multipliedReportingOverflow(by: bitWidth)
    guard !overflow, bits <= Int.max - 7 else { return nil }
    return (bits + 7) / 8
  }
}
