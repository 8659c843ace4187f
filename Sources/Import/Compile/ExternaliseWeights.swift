import CoreMLBase
import CoreMLSpec
import MIL

/// Moves the weights of a program into a file of their own and leaves references, so that other weights can take their place. What lies in
/// one place of memory, as weights of the source's file that functions share do, is written once. The file is there after `write`.
struct ExternaliseWeights: Sendable {
  /// What programs call the file.
  let reference: String
  private var layout = BlobLayout()
  private var moved: [(place: BlobLayout.Place, weight: Tensor)] = []

  init(reference: String) { self.reference = reference }

  /// Other literals of so many bytes go with the weights.
  private static let threshold = 256

  /// What training made, however small: what came from a weight file, and more than one floating-point number.
  private static func isWeight(_ tensor: Tensor) -> Bool {
    tensor.storage.origin != nil || tensor.scalar.isFloat && tensor.count > 1 || tensor.byteCount >= threshold
  }

  mutating func callAsFunction(_ program: inout Program) throws {
    var known: [Source: [Int: Tensor]] = [:]
    for name in program.functions.keys.sorted() {
      try program.functions[name]?.body.operations.mapLiterals { value in
        guard let tensor = value.tensor else { return value }
        guard Self.isWeight(tensor), let type = BlobDataType(tensor.scalar) else {
          // It goes into the text; a reference to the source's weight file must not.
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

  /// Writes the file. Its name is not durable yet.
  func write(to path: String) throws {
    let file = try FileWriter(path: path)
    try parts { try file.append($0) }
    try file.commit(namingDurably: false)
  }

  /// That of the file, of which nothing has to be there.
  func digest() throws -> String { try WeightsDigest.digest { append in try parts(append) } }

  /// The bytes of the file, in their order.
  private func parts(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    try layout.head.withUnsafeBytes(body)
    for (place, weight) in moved {
      try place.metadata.withUnsafeBytes(body)
      try weight.withUnsafeBytes(body)
      try place.filler.withUnsafeBytes(body)
    }
  }

  /// Where numbers of one type lie. Files are mapped once, and two of them may have one name in their models.
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
  /// Replaces every literal, nested blocks included.
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
  /// The storage type of an element type; nil for those the format has none for (bool, string). The format has no types of 64 bits:
  /// they are stored as the bytes that they are.
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
