import CoreMLBase
import CoreMLSpec
import Crypto
import Foundation

/// A 32-byte key that encrypts models. It is never printed or included in messages.
public struct ModelKey: Sendable {
  static let length = 32
  let key: SymmetricKey

  /// Creates a random key.
  public init() { key = SymmetricKey(size: .bits256) }

  /// Creates a key from 32 raw bytes, 64 hexadecimal digits or base64. Surrounding white space is ignored.
  ///
  /// - Throws: ``DeliveryError`` `badModelKey`.
  public init(_ bytes: Data, from place: String) throws {
    try self.init(try bytes.withUnsafeBytes { try SecretFile.copy($0) }, from: place)
  }

  init(_ secret: SecretMemory, from place: String) throws {
    guard let key = Self.decode(UnsafeRawBufferPointer(secret.bytes)) else {
      throw DeliveryError(
        .badModelKey,
        "expected a key of 32 bytes, as they are, in hexadecimal or in base64, found \(secret.bytes.count) bytes that are none",
        file: place)
    }
    self.key = key
  }

  /// Decodes a key. Intermediate copies are zeroed; `SymmetricKey` zeroes its memory on release.
  private static func decode(_ bytes: UnsafeRawBufferPointer) -> SymmetricKey? {
    if bytes.count == length { return SymmetricKey(data: bytes) }
    func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
    guard bytes.count <= 4096, let first = bytes.firstIndex(where: { !isBlank($0) }),
      let last = bytes.lastIndex(where: { !isBlank($0) })
    else { return nil }
    let word = UnsafeRawBufferPointer(rebasing: bytes[first...last])
    guard let base = word.baseAddress else { return nil }
    if word.count == 2 * length {
      guard let memory = try? SecretFile.memory(length) else { return nil }
      for index in 0..<length {
        guard let high = digit(word[2 * index]), let low = digit(word[2 * index + 1]) else { return nil }
        memory.bytes[index] = high << 4 | low
      }
      return SymmetricKey(data: UnsafeRawBufferPointer(memory.bytes))
    }
    let text = Data(bytesNoCopy: UnsafeMutableRawPointer(mutating: base), count: word.count, deallocator: .none)
    guard var key = Data(base64Encoded: text) else { return nil }
    defer { key.wipe() }
    return key.count == length ? SymmetricKey(data: key) : nil
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  /// Returns the key in hexadecimal.
  func spelled() throws -> SecretMemory {
    let memory = try SecretFile.memory(2 * Self.length)
    func digit(_ value: UInt8) -> UInt8 { value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10 }
    key.withUnsafeBytes { bytes in
      for (index, byte) in bytes.enumerated() {
        memory.bytes[2 * index] = digit(byte >> 4)
        memory.bytes[2 * index + 1] = digit(byte & 15)
      }
    }
    return memory
  }

  /// Writes the key in base64 to a new file that only its owner can read.
  public func write(to file: URL) throws {
    var text = key.withUnsafeBytes { Data($0).base64EncodedData() } + Data("\n".utf8)
    defer { text.wipe() }
    try SecretFile.write(text, to: file)
  }
}

/// The source of a key.
public enum ModelKeySource: Sendable, Hashable {
  /// A file that only its owner can read.
  case file(URL)
  /// An environment variable.
  case environment(String)
  /// The output of a shell command, for example of a keyring, a hardware module or a service.
  case command(String)

  private static let limit = 4096

  /// Reads the key from its source on every call.
  ///
  /// - Throws: ``DeliveryError`` `badModelKey`, `unreadable`.
  public func key() throws -> ModelKey {
    switch self {
    case .file(let url):
      let bytes = try SecretFile.read(url, limit: Self.limit, what: "key", wrong: .badModelKey)
      return try ModelKey(bytes, from: url.path)
    case .environment(let name):
      guard let text = getenv(name) else {
        throw DeliveryError(
          .badModelKey, "the variable \(name) of the environment, which should hold a key, is not set")
      }
      let bytes = try SecretFile.copy(UnsafeRawBufferPointer(start: text, count: strlen(text)))
      return try ModelKey(bytes, from: "$\(name)")
    case .command(let command): return try ModelKey(try Self.run(command), from: "the command for the key")
    }
  }

  private static func run(_ command: String) throws -> SecretMemory {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", command]
    process.standardInput = FileHandle.nullDevice
    let pipe = Pipe()
    process.standardOutput = pipe
    do { try process.run() } catch {
      throw DeliveryError(.badModelKey, "the command for the key cannot be run: \(reason(error))")
    }
    let bytes = Result {
      try SecretFile.read(
        pipe.fileHandleForReading.fileDescriptor, limit: limit, what: "key", from: "the command for the key",
        wrong: .badModelKey)
    }
    try? pipe.fileHandleForReading.close()
    process.waitUntilExit()
    guard process.terminationReason == .exit, process.terminationStatus == 0 else {
      throw DeliveryError(.badModelKey, "the command for the key failed with status \(process.terminationStatus)")
    }
    return try bytes.get()
  }
}
