/// The element types of a weight file.
package enum BlobDataType: UInt32, Sendable, CaseIterable {
  case float16 = 1
  case float32 = 2
  case uint8 = 3
  case int8 = 4
  case bfloat16 = 5
  case int16 = 6
  case uint16 = 7
  case int4 = 8
  case uint1 = 9
  case uint2 = 10
  case uint4 = 11
  case uint3 = 12
  case uint6 = 13
  case int32 = 14
  case uint32 = 15
  case float8e4m3fn = 16
  case float8e5m2 = 17

  /// The size of an element in bits. Elements smaller than a byte are packed from the least significant bit. Elements
  /// of three and six bits may straddle two bytes.
  package var bits: Int {
    switch self {
    case .uint1: 1
    case .uint2: 2
    case .uint3: 3
    case .int4, .uint4: 4
    case .uint6: 6
    case .uint8, .int8, .float8e4m3fn, .float8e5m2: 8
    case .float16, .bfloat16, .int16, .uint16: 16
    case .float32, .int32, .uint32: 32
    }
  }

  /// The corresponding type of a program's tensors.
  package var tensorType: MILSpec.DataType {
    switch self {
    case .float16: .float16
    case .float32: .float32
    case .uint8: .uint8
    case .int8: .int8
    case .bfloat16: .bfloat16
    case .int16: .int16
    case .uint16: .uint16
    case .int4: .int4
    case .uint1: .uint1
    case .uint2: .uint2
    case .uint4: .uint4
    case .uint3: .uint3
    case .uint6: .uint6
    case .int32: .int32
    case .uint32: .uint32
    case .float8e4m3fn: .float8e4m3fn
    case .float8e5m2: .float8e5m2
    }
  }

  /// The element type for a tensor type; nil if weight files cannot store it.
  package init?(tensorType: MILSpec.DataType) {
    guard let type = Self.allCases.first(where: { $0.tensorType == tensorType }) else { return nil }
    self = type
  }
}
