import CoreMLSpec
import Foundation
import MIL

/// The weight files that a program references. Each is mapped once, when its first reference is read.
package final class WeightFiles: @unchecked Sendable {  // the lock guards `files`
  private let open: @Sendable (String) throws -> BlobFile
  private let lock = NSLock()
  private var files: [String: BlobFile] = [:]
  /// Whether an entry must have exactly the declared size, not just at least that size.
  private let isStrict: Bool

  /// The names of the files that were read.
  var names: Set<String> { lock.withLock { Set(files.keys) } }

  /// The files beside a model file.
  init(_ file: ModelFile) {
    open = { try file.blobFile(named: $0) }
    isStrict = false
  }

  /// The files that `open` returns, by the names that programs use.
  package init(isStrict: Bool = false, _ open: @escaping @Sendable (String) throws -> BlobFile) {
    self.open = open
    self.isStrict = isStrict
  }

  /// The files of a folder, which is the `@model_path` of the program.
  init(folder: String) {
    open = { try BlobFile.open(ModelFile.path(ofBlobFile: $0, in: folder)) }
    isStrict = false
  }

  /// Returns the tensor of a reference: a view of the mapped bytes, which must have the declared type.
  @Sendable func tensor(_ reference: BlobReference, _ type: TensorType) throws -> Tensor {
    let file = try lock.withLock {
      if let file = files[reference.path] { return file }
      let file = try open(reference.path)
      files[reference.path] = file
      return file
    }
    let entry = try file.entry(atMetadataOffset: reference.offset)
    guard let shape = type.concreteShape, let bytes = type.byteCount, entry.data.count >= bytes else {
      throw SpecError(
        .malformedBlob,
        "the weights at byte \(reference.offset) have \(entry.data.count) bytes, \(type) needs \(type.byteCount ?? 0)",
        file: file.bytes.file)
    }
    try require(entry, type, reference, file)
    let isAligned = Int(bitPattern: entry.data.pointer) % max(type.scalar.bitWidth / 8, 1) == 0
    let storage =
      isAligned
      ? TensorStorage(
        borrowing: entry.data.pointer, byteCount: entry.data.count, owner: entry.data.owner, origin: reference)
      : try TensorStorage(copying: entry.data)
    return try Tensor(type.scalar, shape: shape, storage: storage)
  }

  /// An entry contains its element type. Reading it as another type would give wrong values.
  private func require(_ entry: BlobFile.Entry, _ type: TensorType, _ reference: BlobReference, _ file: BlobFile) throws
  {
    let isOfType = BlobDataType(type.scalar).map { $0 == entry.dataType } ?? (type.scalar == .bool && isTruth(entry))
    guard isOfType, !isStrict || entry.data.count == type.byteCount else {
      throw SpecError(
        .malformedBlob,
        "expected weights of type \(type) at byte \(reference.offset), found \(entry.data.count) bytes of \(entry.dataType)",
        file: file.bytes.file)
    }
  }

  /// The format has no boolean type, and coremltools does not write booleans. uint8 or int8 entries whose bytes are all
  /// 0 or 1 are accepted as booleans.
  private func isTruth(_ entry: BlobFile.Entry) -> Bool {
    guard !isStrict, [.uint8, .int8].contains(entry.dataType) else { return false }
    return entry.data.withUnsafeBytes { $0.allSatisfy { $0 <= 1 } }
  }
}
