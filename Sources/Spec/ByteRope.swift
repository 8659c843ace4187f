import CoreMLBase

/// A list of byte ranges to be written: small newly made arrays, and ranges of existing memory such as mapped files.
struct ByteRope: Sendable {
  enum Piece: Sendable {
    case made([UInt8])
    case kept(Bytes)
  }

  private(set) var pieces: [Piece] = []
  private(set) var count = 0

  mutating func append(_ bytes: [UInt8]) {
    guard !bytes.isEmpty else { return }
    count += bytes.count
    if case .made(var last)? = pieces.last {
      pieces.removeLast()
      last += bytes
      pieces.append(.made(last))
    } else {
      pieces.append(.made(bytes))
    }
  }

  mutating func append(_ bytes: Bytes) {
    // Copying a small range takes less memory than a separate piece.
    if bytes.count < 64 { return append(bytes.array) }
    count += bytes.count
    pieces.append(.kept(bytes))
  }

  mutating func append(_ other: ByteRope) {
    for piece in other.pieces {
      switch piece {
      case .made(let bytes): append(bytes)
      case .kept(let bytes): append(bytes)
      }
    }
  }

  /// Calls `body` with the bytes of each piece in order.
  func forEach(_ body: (UnsafeRawBufferPointer) throws -> Void) rethrows {
    for piece in pieces {
      switch piece {
      case .made(let bytes): try bytes.withUnsafeBytes(body)
      case .kept(let bytes): try bytes.withUnsafeBytes(body)
      }
    }
  }
}
