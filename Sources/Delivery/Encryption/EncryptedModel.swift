import CoreMLBase
import CoreMLRuntime
import CoreMLSpec
import Foundation

/// Models encrypted at rest: a compiled model in one file, decrypted only to memory.
///
/// The plaintext (see `EncryptedContainer`) is the length of a table (u32), the table as JSON, then the files of the
/// compiled model, each aligned to 64 bytes.
public enum EncryptedModel {
  /// The file name extension of encrypted models.
  public static let fileExtension = "encrypted"

  private struct Entry: Codable {
    let path: String
    let offset: Int
    let size: Int
  }

  private static let alignment = 64
  private static let tableLimit = 1 << 20

  /// Returns whether a file has the signature of an encrypted model.
  public static func isEncrypted(_ url: URL) -> Bool {
    var status = stat()
    guard stat(url.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      let file = FileHandle(forReadingAtPath: url.path)
    else { return false }
    defer { try? file.close() }
    return (try? file.read(upToCount: EncryptedContainer.magic.count)) == Data(EncryptedContainer.magic)
  }

  // MARK: writing

  /// Encrypts a model compiled by this project; the file is written atomically.
  ///
  /// - Throws: ``DeliveryError`` `notAModel` for any other input; `unreadable`, `unwritable`.
  public static func encrypt(compiledModel: URL, to file: URL, key: ModelKey) throws {
    guard case .compiled(let compiled) = try ModelLocation.open(compiledModel.path), case .own = compiled.kind else {
      throw DeliveryError(
        .notAModel, "expected a model compiled by this project; compile its source first", file: compiledModel.path)
    }
    let contents = try ModelContents(of: compiledModel)
    let files = try contents.entries.map { entry in
      (entry.path, try Bytes.mapping(file: compiledModel.appending(path: entry.path).path))
    }
    do { try write(files, to: file, key: key) } catch let error as SpecError {
      throw DeliveryError(.unwritable, error.message, file: error.file)
    }
  }

  private static func write(_ files: [(path: String, bytes: Bytes)], to file: URL, key: ModelKey) throws {
    func aligned(_ count: Int) -> Int { (count + alignment - 1) / alignment * alignment }
    // Offsets are relative to the first file, so that they do not depend on the length of the table.
    var (entries, end) = ([Entry](), 0)
    for (path, bytes) in files {
      entries.append(Entry(path: path, offset: aligned(end), size: bytes.count))
      end = aligned(end) + bytes.count
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let table = Array(try encoder.encode(entries))
    var head = withUnsafeBytes(of: UInt32(table.count).littleEndian) { Array($0) } + table
    head += [UInt8](repeating: 0, count: aligned(head.count) - head.count)

    let form = EncryptedContainer(size: head.count + end, key: key)
    let writer = try FileWriter(path: file.path)
    try writer.append(form.header)
    var (pending, chunk) = (head, 0)
    pending.reserveCapacity(form.chunkSize)
    func put(_ bytes: UnsafeRawBufferPointer) throws {
      var rest = bytes[...]
      while !rest.isEmpty {
        // A full chunk is sealed only when more data follows, because the last chunk has another nonce.
        if pending.count == form.chunkSize { try seal() }
        let part = rest.prefix(form.chunkSize - pending.count)
        pending.append(contentsOf: part)
        rest = rest.dropFirst(part.count)
      }
    }
    func seal() throws {
      try writer.append(try pending.withUnsafeBytes { try form.seal($0, chunk: chunk) })
      chunk += 1
      pending.removeAll(keepingCapacity: true)
    }
    if pending.count > form.chunkSize {
      throw DeliveryError(.notAModel, "the model has too many files to be encrypted", file: file.path)
    }
    for (entry, file) in zip(entries, files) {
      let position = chunk * form.chunkSize + pending.count - head.count
      try [UInt8](repeating: 0, count: entry.offset - position).withUnsafeBytes { try put($0) }
      try file.bytes.withUnsafeBytes { try put($0) }
    }
    try seal()
    try writer.commit()
  }

  // MARK: reading

  /// Loads a model; its plaintext exists only in memory.
  ///
  /// - Throws: ``DeliveryError`` `wrongModelKey`, `tamperedModel`, `truncatedModel`, `notEncrypted`; `MLModelError`.
  public static func load(
    _ file: URL, key: ModelKey, configuration: MLModelConfiguration = MLModelConfiguration()
  ) throws -> MLModel {
    try load(try decrypt(file, key: key), configuration: configuration)
  }

  static func load(_ files: [String: Bytes], configuration: MLModelConfiguration) throws -> MLModel {
    try MLModel(asset: MLModelAsset(compiledFiles: files), configuration: configuration)
  }

  /// Returns the decrypted files of the compiled model, by path.
  static func decrypt(_ file: URL, key: ModelKey) throws -> [String: Bytes] {
    let sealed: Bytes
    do { sealed = try Bytes.mapping(file: file.path) } catch let error as SpecError {
      throw DeliveryError(.unreadable, error.message, file: error.file)
    }
    let bytes = try EncryptedContainer(sealed, key: key).open(sealed)
    do { return try files(bytes) } catch {
      throw DeliveryError(.notEncrypted, "what was encrypted is no model: \(error)", file: file.path)
    }
  }

  private static func files(_ bytes: Bytes) throws -> [String: Bytes] {
    let length = Int(try bytes.load(UInt32.self, at: 0))
    guard length <= tableLimit else {
      throw DeliveryError(.notEncrypted, "its table has \(length) bytes")
    }
    let table = try JSONDecoder().decode([Entry].self, from: Data(try bytes.slice(at: 4, count: UInt64(length)).array))
    let start = UInt64((4 + length + alignment - 1) / alignment * alignment)
    var files: [String: Bytes] = [:]
    for entry in table {
      let (offset, overflow) = start.addingReportingOverflow(UInt64(clamping: entry.offset))
      guard !overflow, entry.offset >= 0, entry.size >= 0 else {
        throw DeliveryError(.notEncrypted, "its table is not one that is written")
      }
      files[entry.path] = try bytes.slice(at: offset, count: UInt64(entry.size))
    }
    return files
  }
}
