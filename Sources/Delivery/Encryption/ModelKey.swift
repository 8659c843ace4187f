import Crypto
import Foundation

/// A key that models are encrypted with: 32 bytes. It is never printed and stands in no message.
public struct ModelKey: Sendable {
  static let length = 32
  let key: SymmetricKey

  /// A new key.
  public init() { key = SymmetricKey(size: .bits256) }

  /// The key that these bytes are or spell: 32 bytes, or 64 hexadecimal digits or base64 of that many, blanks around them aside.
  ///
  /// - Throws: ``DeliveryError`` `badModelKey`.
  public init(_ bytes: Data, from place: String) throws {
    guard let key = Self.decode(bytes) else {
      throw DeliveryError(
        .badModelKey,
        "expected a key of 32 bytes, as they are, in hexadecimal or in base64, found \(bytes.count) bytes that are none",
        file: place)
    }
    self.key = SymmetricKey(data: key)
  }

  private static func decode(_ bytes: Data) -> Data? {
    if bytes.count == length { return bytes }
    guard bytes.count <= 4096, let text = String(data: bytes, encoding: .utf8) else { return nil }
    let word = text.trimmingCharacters(in: .whitespacesAndNewlines)
    if word.utf8.count == 2 * length {
      var key = Data()
      var rest = Substring(word)
      while !rest.isEmpty {
        guard rest.first?.isHexDigit == true, let byte = UInt8(rest.prefix(2), radix: 16) else { return nil }
        key.append(byte)
        rest = rest.dropFirst(2)
      }
      return key
    }
    return Data(base64Encoded: word).flatMap { $0.count == length ? $0 : nil }
  }

  /// Writes the key, in base64, to a new file that only its owner may read.
  public func write(to file: URL) throws {
    let bytes = key.withUnsafeBytes { Array(Data($0).base64EncodedString().utf8) } + Array("\n".utf8)
    let descriptor = open(file.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw DeliveryError(.unwritable, "the key cannot be written", at: file, errno: errno)
    }
    defer { close(descriptor) }
    guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count, fsync(descriptor) == 0 else {
      let number = errno
      unlink(file.path)
      throw DeliveryError(.unwritable, "the key cannot be written", at: file, errno: number)
    }
  }
}

/// Where a key is had from.
public enum ModelKeySource: Sendable, Hashable {
  /// A file that only its owner may read.
  case file(URL)
  /// A variable of the environment.
  case environment(String)
  /// What a shell command prints: a keyring, a hardware module, a service.
  case command(String)

  private static let limit = 4096

  /// - Throws: ``DeliveryError`` `badModelKey`, `unreadable`.
  public func key() throws -> ModelKey {
    switch self {
    case .file(let url): return try ModelKey(try Self.read(url), from: url.path)
    case .environment(let name):
      guard let text = ProcessInfo.processInfo.environment[name] else {
        throw DeliveryError(
          .badModelKey, "the variable \(name) of the environment, which should hold a key, is not set")
      }
      return try ModelKey(Data(text.utf8), from: "$\(name)")
    case .command(let command): return try ModelKey(try Self.run(command), from: "the command for the key")
    }
  }

  private static func read(_ url: URL) throws -> Data {
    let descriptor = open(url.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw DeliveryError(.unreadable, "the key cannot be read", at: url, errno: errno) }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw DeliveryError(.badModelKey, "expected a file with a key, found something else", file: url.path)
    }
    guard status.st_mode & 0o077 == 0 else {
      throw DeliveryError(
        .badModelKey, "others than its owner have access to the key: its mode must be 0600", file: url.path)
    }
    guard let bytes = try? file.read(upToCount: limit + 1) else {
      throw DeliveryError(.unreadable, "the key cannot be read", file: url.path)
    }
    return bytes
  }

  private static func run(_ command: String) throws -> Data {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", command]
    process.standardInput = FileHandle.nullDevice
    let pipe = Pipe()
    process.standardOutput = pipe
    do { try process.run() } catch {
      throw DeliveryError(.badModelKey, "the command for the key cannot be run: \(reason(error))")
    }
    let bytes = (try? pipe.fileHandleForReading.read(upToCount: limit + 1)) ?? Data()
    try? pipe.fileHandleForReading.close()
    process.waitUntilExit()
    guard process.terminationReason == .exit, process.terminationStatus == 0 else {
      throw DeliveryError(.badModelKey, "the command for the key failed with status \(process.terminationStatus)")
    }
    return bytes
  }
}
