import CoreMLBase

/// Bytes to be written, in pieces: few that were made for it, and ranges of memory that stands elsewhere, a mapped file's for example.
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
    // What is smaller than its piece would be is copied.
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

  /// Calls `body` with the bytes of one piece after the other.
  func forEach(_ body: (UnsafeRawBufferPointer) throws -> Void) rethrows {
    for piece in pieces {
      switch piece {
      case .made(let bytes): try bytes.withUnsafeBytes(body)
      case .kept(let bytes): try bytes.withUnsafeBytes(body)
      }
    }
  }
}
