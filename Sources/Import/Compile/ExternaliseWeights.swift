import CoreMLBase
import CoreMLSpec
import MIL

/// Moves the weights of a program to a separate file and replaces them by references, so that the weights can be
/// exchanged. Tensors that share memory, for example weights of the source file that several functions use, are written
/// once. `write` creates the file.
struct ExternaliseWeights: Sendable {
  /// The file's name in programs.
  let reference: String
  private var layout = BlobLayout()
  private var moved: [(place: BlobLayout.Place, weight: Tensor)] = []

  init(reference: String) { self.reference = reference }

  /// Literals of at least this many bytes count as weights, whatever their type.
  private static let threshold = 256

  /// Whether a tensor counts as a weight. This is so if it came from a weight file, has more than one floating-point
  /// element, or reaches `threshold`. So trained values count as weights even if they are small.
  private static func isWeight(_ tensor: Tensor) -> Bool {
    tensor.storage.origin != nil || tensor.scalar.isFloat && tensor.count > 1 || tensor.byteCount >= threshold
  }

  mutating func callAsFunction(_ program: inout Program) throws {
    var known: [Source: [Int: Tensor]] = [:]
    for name in program.functions.keys.sorted() {
      try program.functions[name]?.body.operations.mapLiterals { value in
        guard let tensor = value.tensor else { return value }
        guard Self.isWeight(tensor), let type = BlobDataType(tensor.scalar) else {
          // The literal is printed in the text, so it must not refer to the source's weight file.
          return tensor.storage.origin == nil ? value : try value.detached()
        }
        let source = Source(tensor)
        if let same = known[source]?[tensor.byteCount] { return .tensor(try same.reshaped(tensor.shape)) }
        let tensorOfFile = try move(tensor, type)
        known[source, default: [:]][tensor.byteCount] = tensorOfFile
        return .tensor(tensorOfFile)
      }
    }
  }

  /// Writes the file. Its directory entry is not durable yet.
  func write(to path: String) throws {
    let file = try FileWriter(path: path)
    try parts { try file.append($0) }
    try file.commit(namingDurably: false)
  }

  /// The digest of the file, which need not exist.
  func digest() throws -> String { try WeightsDigest.digest { append in try parts(append) } }

  /// Passes the bytes of the file to `body`, in order.
  private func parts(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    try layout.head.withUnsafeBytes(body)
    for (place, weight) in moved {
      try place.metadata.withUnsafeBytes(body)
      try weight.withUnsafeBytes(body)
      try place.filler.withUnsafeBytes(body)
    }
  }

  /// The identity of a tensor's memory and element type. Two files may have the same name in different models, so names
  /// are not used. Each file is mapped once, so its address is unique.
  private struct Source: Hashable {
    let scalar: ScalarType
    let pointer: UnsafeRawPointer

    init(_ tensor: Tensor) { (scalar, pointer) = (tensor.scalar, UnsafeRawPointer(tensor.storage.pointer)) }
  }

  private mutating func move(_ tensor: Tensor, _ type: BlobDataType) throws -> Tensor {
    let padding = tensor.scalar.isSubByte ? (8 - tensor.count * tensor.scalar.bitWidth % 8) % 8 : 0
    let place = try layout.place(type, byteCount: tensor.byteCount, paddingBits: padding, file: reference)
    moved.append((place, tensor))
    let storage = TensorStorage(
      borrowing: tensor.storage.pointer, byteCount: tensor.byteCount, owner: tensor.storage,
      origin: BlobReference(path: reference, offset: place.offset))
    return try Tensor(tensor.scalar, shape: tensor.shape, storage: storage)
  }
}

extension [MIL.Operation] {
  /// Replaces every literal, including those in nested blocks.
  fileprivate mutating func mapLiterals(_ transform: (Value) throws -> Value) throws {
    for index in indices {
      for (parameter, bindings) in self[index].inputs {
        self[index].inputs[parameter] = try bindings.map { binding in
          guard case .literal(let value) = binding else { return binding }
          return .literal(try transform(value))
        }
      }
      for block in self[index].blocks.indices { try self[index].blocks[block].operations.mapLiterals(transform) }
    }
  }
}

extension BlobDataType {
  /// The storage type of an element type; nil if the format has none (bool, string). The format has no 64-bit types;
  /// these are stored as raw bytes.
  package init?(_ scalar: ScalarType) {
    switch scalar {
    case .float16: self = .float16
    case .float32: self = .float32
    case .uint8: self = .uint8
    case .int8: self = .int8
    case .bfloat16: self = .bfloat16
    case .int16: self = .int16
    case .uint16: self = .uint16
    case .int4: self = .int4
    case .uint1: self = .uint1
    case .uint2: self = .uint2
    case .uint4: self = .uint4
    case .uint3: self = .uint3
    case .uint6: self = .uint6
    case .int32: self = .int32
    case .uint32: self = .uint32
    case .float8E4M3FN: self = .float8e4m3fn
    case .float8E5M2: self = .float8e5m2
    case .float64, .int64, .uint64: self = .uint8
    default: return nil
    }
  }
}
