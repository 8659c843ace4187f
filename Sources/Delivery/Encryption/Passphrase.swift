import CoreMLBase
import CoreMLSpec
import Foundation

/// What private keys are encrypted with. It is in `SecretMemory`, printed nowhere and zeroed when it is released.
public struct Passphrase: Sendable, Equatable {
  private let memory: SecretMemory
  /// Longer ones are refused.
  static let limit = 1024

  var bytes: UnsafeMutableRawBufferPointer { memory.bytes }

  /// Copies the bytes of a passphrase.
  ///
  /// - Throws: ``DeliveryError`` `badKey` when it is empty or too long.
  public init(_ bytes: UnsafeRawBufferPointer) throws {
    guard !bytes.isEmpty, bytes.count <= Self.limit else {
      throw DeliveryError(
        .badKey, "expected a passphrase of 1 to \(Self.limit) bytes, found one of \(bytes.count)")
    }
    memory = try SecretFile.copy(bytes)
  }

  public static func == (a: Passphrase, b: Passphrase) -> Bool { a.bytes.elementsEqual(b.bytes) }

  /// What is typed until the end of the line.
  ///
  /// - Parameter next: the next byte of the keyboard.
  public static func typed(_ next: () throws -> UInt8) throws -> Passphrase {
    let line = try SecretFile.memory(limit + 1)
    var count = 0
    while true {
      switch try next() {
      case 0x0A, 0x0D, 0x04: return try Passphrase(UnsafeRawBufferPointer(rebasing: line.bytes[..<count]))
      case 0x08, 0x7F:
        // Back by a character, which may have several bytes.
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

  /// The first line of what was read.
  init(line secret: SecretMemory) throws {
    let end = secret.bytes.firstIndex { $0 == 0x0A || $0 == 0x0D } ?? secret.bytes.count
    try self.init(UnsafeRawBufferPointer(rebasing: secret.bytes[..<end]))
  }
}

/// Where a passphrase is had from.
public enum PassphraseSource: Sendable, Hashable {
  /// The first line of a file that only its owner may read.
  case file(URL)
  /// A variable of the environment.
  case environment(String)
  /// The first line of what an open file descriptor gives.
  case descriptor(Int32)

  /// Reads the passphrase from where it is.
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
