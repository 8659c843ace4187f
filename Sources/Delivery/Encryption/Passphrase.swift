import CoreMLBase
import CoreMLSpec
import Foundation

/// A passphrase that encrypts private keys. It is stored in `SecretMemory`, never printed, and zeroed on release.
public struct Passphrase: Sendable, Equatable {
  private let memory: SecretMemory
  /// The maximum length in bytes.
  static let limit = 1024

  var bytes: UnsafeMutableRawBufferPointer { memory.bytes }

  /// Copies the bytes of a passphrase.
  ///
  /// - Throws: ``DeliveryError`` `badKey` if the passphrase is empty or too long.
  public init(_ bytes: UnsafeRawBufferPointer) throws {
    guard !bytes.isEmpty, bytes.count <= Self.limit else {
      throw DeliveryError(
        .badKey, "expected a passphrase of 1 to \(Self.limit) bytes, found one of \(bytes.count)")
    }
    memory = try SecretFile.copy(bytes)
  }

  public static func == (a: Passphrase, b: Passphrase) -> Bool { a.bytes.elementsEqual(b.bytes) }

  /// Reads typed bytes up to the end of the line.
  ///
  /// - Parameter next: returns the next byte from the terminal.
  public static func typed(_ next: () throws -> UInt8) throws -> Passphrase {
    let line = try SecretFile.memory(limit + 1)
    var count = 0
    while true {
      switch try next() {
      case 0x0A, 0x0D, 0x04: return try Passphrase(UnsafeRawBufferPointer(rebasing: line.bytes[..<count]))
      case 0x08, 0x7F:
        // Deletes the last UTF-8 character.
        while count > 0 {
          count -= 1
          if line.bytes[count] & 0xC0 != 0x80 { break }
        }
      case let byte:
        guard count <= limit else { continue }
        line.bytes[count] = byte
        count += 1
      }
    }
  }

  /// Creates a passphrase from the first line of the input.
  init(line secret: SecretMemory) throws {
    let end = secret.bytes.firstIndex { $0 == 0x0A || $0 == 0x0D } ?? secret.bytes.count
    try self.init(UnsafeRawBufferPointer(rebasing: secret.bytes[..<end]))
  }
}

/// The source of a passphrase.
public enum PassphraseSource: Sendable, Hashable {
  /// The first line of a file that only its owner can read.
  case file(URL)
  /// An environment variable.
  case environment(String)
  /// The first line from an open file descriptor.
  case descriptor(Int32)

  /// Reads the passphrase from its source.
  ///
  /// - Throws: ``DeliveryError`` `badKey`, `unreadable`.
  public func passphrase() throws -> Passphrase {
    switch self {
    case .file(let url):
      return try Passphrase(line: SecretFile.read(url, limit: 4096, what: "passphrase", wrong: .badKey))
    case .environment(let name):
      guard let text = getenv(name) else {
        throw DeliveryError(
          .badKey, "the variable \(name) of the environment, which should hold a passphrase, is not set")
      }
      return try Passphrase(UnsafeRawBufferPointer(start: text, count: strlen(text)))
    case .descriptor(let number):
      return try Passphrase(
        line: SecretFile.read(number, limit: 4096, what: "passphrase", from: "descriptor \(number)", wrong: .badKey))
    }
  }
}
