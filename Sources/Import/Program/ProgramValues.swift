import CoreMLBase
import CoreMLSpec
import MIL

/// Converts types and literals of `MIL.proto` to those of the `MIL` module.
package struct ProgramValues {
  /// Resolves a reference to a weight file.
  let weights: @Sendable (BlobReference, MIL.TensorType) throws -> Tensor

  private static let maximumDepth = 32

  // MARK: types

  func type(_ message: MILSpec.ValueType?, _ what: String, depth: Int = 0) throws -> ValueType {
    guard depth < Self.maximumDepth, let member = try message?.type else {
      throw MILError(.invalidProgram, "\(what) has no type that can be read")
    }
    switch member {
    case .tensorType(let tensor): return .tensor(try self.tensor(tensor, what))
    case .listType(let list):
      return .list(
        try type(list.type, what, depth: depth + 1), length: try list.length.map { try dimension($0, what) } ?? .unknown
      )
    case .tupleType(let tuple): return .tuple(try tuple.types.map { try type($0, what, depth: depth + 1) })
    case .dictionaryType(let dictionary):
      return .dictionary(
        key: try type(dictionary.keyType, what, depth: depth + 1),
        value: try type(dictionary.valueType, what, depth: depth + 1))
    case .stateType(let state):
      guard case .tensor(let tensor) = try type(state.wrappedType, what, depth: depth + 1) else {
        throw MILError(.unsupported, "\(what) is a state of something that is not a tensor")
      }
      return .state(tensor)
    }
  }

  private func tensor(_ message: MILSpec.TensorType, _ what: String) throws -> MIL.TensorType {
    let dimensions = try message.dimensions.map { try dimension($0, what) }
    guard try message.rank == Int64(dimensions.count) else {
      throw MILError(
        .unsupported, "\(what) has rank \(try message.rank) and \(dimensions.count) dimensions: the rank must be known")
    }
    return try MIL.TensorType(scalar(message.dataType, what), dimensions).validated(what)
  }

  private func dimension(_ message: MILSpec.Dimension, _ what: String) throws -> MIL.Dimension {
    switch try message.dimension {
    case .constant(let constant):
      guard let size = Int(exactly: try constant.size) else {
        throw MILError(.invalidShape, "\(what) has a dimension of \(try constant.size)")
      }
      return MIL.Dimension(size)
    case .unknown(let unknown):
      guard try !unknown.variadic else { throw MILError(.unsupported, "\(what) has a variadic dimension") }
      return .unknown
    case nil: return .unknown
    }
  }

  private func scalar(_ type: MILSpec.DataType, _ what: String) throws -> ScalarType {
    guard let scalar = Self.scalar(type) else {
      throw MILError(.unsupported, "\(what) has an element type that is not supported (\(type))")
    }
    return scalar
  }

  /// The element type for a type in the file; nil if it is not an element type.
  package static func scalar(_ type: MILSpec.DataType) -> ScalarType? {
    switch type {
    case .bool: .bool
    case .string: .string
    case .float8e4m3fn: .float8E4M3FN
    case .float8e5m2: .float8E5M2
    case .float16: .float16
    case .float32: .float32
    case .float64: .float64
    case .bfloat16: .bfloat16
    case .int4: .int4
    case .int8: .int8
    case .int16: .int16
    case .int32: .int32
    case .int64: .int64
    case .uint1: .uint1
    case .uint2: .uint2
    case .uint3: .uint3
    case .uint4: .uint4
    case .uint6: .uint6
    case .uint8: .uint8
    case .uint16: .uint16
    case .uint32: .uint32
    case .uint64: .uint64
    case .unusedType: nil
    }
  }

  // MARK: literals

  func value(_ message: MILSpec.Value, _ what: String, depth: Int = 0) throws -> Value {
    guard depth < Self.maximumDepth else { throw MILError(.invalidProgram, "\(what) is nested too deeply") }
    let type = try self.type(message.type, what)
    switch try message.value {
    case .blobFileValue(let blob):
      guard case .tensor(let tensor) = type, tensor.isConcrete else {
        throw MILError(.invalidType, "\(what) refers to a weight file and is \(type)")
      }
      return .tensor(try weights(BlobReference(path: blob.fileName, offset: blob.offset), tensor))
    case .immediateValue(let immediate):
      return try literal(immediate, type, what, depth: depth)
    case nil: throw MILError(.invalidProgram, "\(what) has no value")
    }
  }

  private func literal(
    _ message: MILSpec.Value.ImmediateValue, _ type: ValueType, _ what: String, depth: Int
  ) throws -> Value {
    switch (try message.value, type) {
    case (.tensor(let tensor), .tensor(let type)): return .tensor(try self.tensor(tensor, type, what))
    case (.tuple(let tuple), .tuple):
      return .tuple(try tuple.values.map { try value($0, what, depth: depth + 1) })
    case (.list(let list), .list(let element, _)):
      return .list(try list.values.map { try value($0, what, depth: depth + 1) }, element: element)
    case (.dictionary(let dictionary), .dictionary(let key, let item)):
      let pairs = try dictionary.values.map { pair -> (key: Value, value: Value) in
        guard let first = try pair.key, let second = try pair.value else {
          throw MILError(.invalidProgram, "\(what) has a dictionary entry without key or value")
        }
        return (try value(first, what, depth: depth + 1), try value(second, what, depth: depth + 1))
      }
      return .dictionary(pairs, key: key, value: item)
    default: throw MILError(.invalidType, "\(what) is declared \(type) and its literal is of another kind")
    }
  }

  private func tensor(_ message: MILSpec.TensorValue, _ type: MIL.TensorType, _ what: String) throws -> Tensor {
    guard let shape = type.concreteShape, let count = type.elementCount else {
      throw MILError(.invalidShape, "\(what) is a literal of the unknown shape \(type)")
    }
    switch try message.value {
    case .bytes(let bytes):
      let bytes = try bytes.values
      guard bytes.count == type.byteCount else {
        throw MILError(.invalidShape, "\(what) has \(bytes.count) bytes, \(type) needs \(type.byteCount ?? 0)")
      }
      let storage = try TensorStorage(copying: bytes)
      if type.scalar == .bool, let pointer = storage.mutablePointer {
        // Booleans are normalized to 0 or 1, because readers of tensors rely on it.
        for index in 0..<bytes.count where pointer.load(fromByteOffset: index, as: UInt8.self) > 1 {
          pointer.storeBytes(of: 1, toByteOffset: index, as: UInt8.self)
        }
      }
      return try Tensor(type.scalar, shape: shape, storage: storage)
    case .strings(let strings):
      let strings = try strings.values
      guard strings.count == count, type.scalar == .string else { throw mismatch(what, strings.count, type) }
      return Tensor(strings: strings, shape: shape)
    case .floats(let floats) where type.scalar == .float32:
      let bytes = try floats.valuesBytes
      guard bytes.count == count * 4 else { throw mismatch(what, bytes.count / 4, type) }
      return try Tensor(.float32, shape: shape, storage: try TensorStorage(copying: bytes))
    case .floats(let floats): return try numbers(floats.values.map(Double.init), type, shape, what)
    case .doubles(let doubles): return try numbers(doubles.values, type, shape, what)
    case .ints(let ints): return try numbers(ints.values.map(Double.init), type, shape, what)
    case .longInts(let ints): return try longs(ints.values, type, shape, what)
    case .bools(let bools): return try numbers(bools.values.map { $0 ? 1 : 0 }, type, shape, what)
    case nil:
      guard count == 0 else { throw MILError(.invalidProgram, "\(what) is a literal without elements") }
      return try Tensor.zeros(type.scalar, shape: shape)
    }
  }

  private func longs(_ values: [Int64], _ type: MIL.TensorType, _ shape: [Int], _ what: String) throws -> Tensor {
    guard type.scalar == .int64 else { return try numbers(values.map(Double.init), type, shape, what) }
    guard values.count == type.elementCount else { throw mismatch(what, values.count, type) }
    let tensor = try Tensor.zeros(.int64, shape: shape)
    values.withUnsafeBytes { bytes in
      if let base = bytes.baseAddress { tensor.storage.mutablePointer?.copyMemory(from: base, byteCount: bytes.count) }
    }
    return tensor
  }

  private func numbers(_ values: [Double], _ type: MIL.TensorType, _ shape: [Int], _ what: String) throws -> Tensor {
    guard values.count == type.elementCount, type.scalar != .string else { throw mismatch(what, values.count, type) }
    return try Tensor(type.scalar, shape: shape, doubles: values)
  }

  private func mismatch(_ what: String, _ found: Int, _ type: MIL.TensorType) -> MILError {
    MILError(.invalidShape, "\(what) has \(found) elements and is declared \(type)")
  }
}

extension TensorStorage {
  convenience init(copying bytes: Bytes) throws {
    let source = UnsafeRawBufferPointer(start: bytes.pointer, count: bytes.count)
    defer { withExtendedLifetime(bytes) {} }
    try self.init(copying: source, for: "a copy of the model's weights")
  }
}
