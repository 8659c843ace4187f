import CoreMLBase
import CoreMLImport
import CoreMLSpec
import Foundation
import Synchronization

/// The files of a folder that belong to a model. Other files, such as notes or files of the operating system, are not
/// published.
struct ModelFiles {
  /// Paths relative to the model, sorted; "" for a single-file model.
  let referenced: [String]
  let unreferenced: [String]

  /// - Throws: ``DeliveryError`` `notAModel`, `unreadable`. Symbolic links also throw `notAModel`: published content
  ///   must not depend on files outside of the model.
  init(of model: URL) throws {
    var status = stat()
    guard lstat(model.path, &status) == 0 else {
      throw DeliveryError(.unreadable, "the model cannot be examined", at: model, errno: errno)
    }
    guard status.st_mode & S_IFMT != S_IFLNK else {
      throw DeliveryError(.notAModel, "expected a model, found a link to one", file: model.path)
    }
    let contents = try ModelContents(of: model)
    try contents.requireNoLinks(below: model)
    let paths = contents.entries.map(\.path)
    let isReferenced: (String) -> Bool
    // All files of an encrypted model belong to it.
    guard !EncryptedModel.isEncrypted(model) else {
      (referenced, unreferenced) = (paths, [])
      return
    }
    switch try ModelLocation.open(model.path) {
    case .file: isReferenced = { _ in true }
    case .package(let package): isReferenced = Self.files(of: package, model)
    // The contents of these models are unknown, and the runtime cannot run them.
    case .compiled(let compiled) where [.appleOther, .appleEncrypted].contains(compiled.kind):
      isReferenced = { _ in true }
    case .compiled:
      let programs = paths.filter { $0.split(separator: "/").last == "model.mil" }
      let weights = Set(try programs.flatMap { try Self.weights(named: $0, model) })
      isReferenced = { weights.contains($0) || Self.isOfCompiledModel($0) }
    }
    referenced = paths.filter(isReferenced)
    unreferenced = paths.filter { !isReferenced($0) }
  }

  // MARK: packages

  /// Matches the manifest and the package items that are files. Inside items that are folders, it matches only the
  /// weights that the model names.
  private static func files(of package: ModelPackage, _ model: URL) -> (String) -> Bool {
    let items = Set(package.items.map { "Data/\($0.path)" })
    let named = Mutex<Set<String>>([])
    let root = package.root.path.split(separator: "/").dropLast().joined(separator: "/")
    let weights = WeightFiles { name in
      if let path = relative(name) { named.withLock { _ = $0.insert("Data/\(root.isEmpty ? "" : root + "/")\(path)") } }
      return try package.file.blobFile(named: name)
    }
    let files: Set<String>
    if (try? ModelCompiler.source(model, weights: weights)) != nil {
      files = named.withLock { $0 }
    } else {
      // If the runtime cannot read the model, the names of its weights are extracted from the specification's bytes.
      files = Set(spelled(in: package.file.model.message.bytes).map { "Data/\(root.isEmpty ? "" : root + "/")\($0)" })
    }
    return { path in path == "Manifest.json" || items.contains(path) || files.contains(path) }
  }

  /// Returns the paths that start with `@model_path/` in a serialized specification, without that prefix. In protobuf,
  /// each string is preceded by its length.
  private static func spelled(in specification: Bytes) -> [String] {
    specification.withUnsafeBytes { bytes in
      marks(in: bytes).compactMap { mark, start in
        guard let whole = length(before: mark, in: bytes), whole > start - mark, whole <= bytes.count - mark else {
          return nil
        }
        return String(validating: bytes[start..<(mark + whole)], as: UTF8.self)
      }
    }
  }

  /// Decodes the varint that ends before an offset, of at most 28 bits. The last bytes of the varint and of the
  /// preceding tag are below 128.
  private static func length(before place: Int, in bytes: UnsafeRawBufferPointer) -> Int? {
    guard place > 0, bytes[place - 1] < 128 else { return nil }
    var (length, first) = (Int(bytes[place - 1]), place - 1)
    while first > 0, bytes[first - 1] >= 128 {
      first -= 1
      guard place - first <= 4 else { return nil }
      length = length << 7 | Int(bytes[first] & 127)
    }
    return length
  }

  private static let mark = Array("@model_path/".utf8)

  /// Returns the offsets where each `@model_path/` begins and ends.
  private static func marks(in bytes: UnsafeRawBufferPointer) -> [(mark: Int, end: Int)] {
    var found: [(Int, Int)] = []
    var rest = bytes[...]
    while let at = rest.firstIndex(of: mark[0]) {
      rest = rest[at...]
      if rest.starts(with: mark) {
        found.append((at, at + mark.count))
        rest = rest.dropFirst(mark.count)
      } else {
        rest = rest.dropFirst()
      }
    }
    return found
  }

  private static func relative(_ name: String) -> String? {
    let prefix = "@model_path/"
    return name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : nil
  }

  // MARK: compiled models

  private static let plain: Set<String> = ["coremldata.bin", "metadata.json", "model.mil"]
  private static let described: Set<String> = ["analytics", "neural_network_optionals", "model"]

  private static func isOfCompiledModel(_ path: String) -> Bool {
    var parts = path.split(separator: "/").map(String.init)
    // Models of a pipeline: model0, model1, ...
    while let first = parts.first, parts.count > 1, first.hasPrefix("model"), Int(first.dropFirst(5)) != nil {
      parts.removeFirst()
    }
    guard let name = parts.last else { return false }
    switch parts.count {
    case 1: return plain.contains(name) || name.hasPrefix("model.espresso.")
    case 2: return described.contains(parts[0]) && name == "coremldata.bin"
    default: return false
    }
  }

  /// Returns the weight files named in a program's text, relative to the model.
  private static func weights(named program: String, _ model: URL) throws -> [String] {
    let bytes: Bytes
    do { bytes = try Bytes.mapping(file: model.appending(path: program).path) } catch let error as SpecError {
      throw DeliveryError(.unreadable, error.message, file: error.file)
    }
    let folder = program.split(separator: "/").dropLast().map { "\($0)/" }.joined()
    return bytes.withUnsafeBytes { bytes in
      marks(in: bytes).compactMap { _, start in
        let rest = bytes[start...]
        guard let end = rest.prefix(1024).firstIndex(of: UInt8(ascii: "\"")) else { return nil }
        return folder + String(decoding: rest[..<end], as: UTF8.self)
      }
    }
  }
}

extension Publisher {
  /// Returns the files in a model's folder that ``add(_:to:)`` leaves out, because nothing in the model refers to them.
  public static func unreferencedFiles(in model: URL) throws -> [String] {
    do { return try ModelFiles(of: model).unreferenced } catch let error as SpecError {
      throw DeliveryError(error.code == .unreadable ? .unreadable : .notAModel, error.message, file: error.file)
    }
  }
}
