/// A first-fit allocator over the free ranges of a growing arena. The ranges are stored in arrays (pieces) of bounded
/// size, so that an insertion or removal moves the elements of one piece only.
struct FreeRanges {
  /// Sorted by offset. No piece is empty.
  private var pieces: [[(offset: Int, bytes: Int)]] = []
  private var end = 0
  /// The number of ranges to examine before the arena grows instead.
  private static let patience = 64
  /// A piece with more ranges is split in two.
  private static let mostInPiece = 512

  mutating func take(_ bytes: Int) -> Int {
    var left = Self.patience
    for piece in pieces.indices {
      for place in pieces[piece].indices {
        guard left > 0 else { return grow(bytes) }
        left -= 1
        let range = pieces[piece][place]
        guard range.bytes >= bytes else { continue }
        pieces[piece][place] = (range.offset + bytes, range.bytes - bytes)
        if range.bytes == bytes { remove(piece, place) }
        return range.offset
      }
    }
    return grow(bytes)
  }

  private mutating func grow(_ bytes: Int) -> Int {
    defer { end += bytes }
    return end
  }

  mutating func giveBack(_ offset: Int, _ bytes: Int) {
    guard bytes > 0 else { return }
    guard !pieces.isEmpty else {
      pieces = [[(offset, bytes)]]
      return
    }
    let piece = max(Self.count(pieces.count) { pieces[$0][0].offset < offset } - 1, 0)
    let place = Self.count(pieces[piece].count) { pieces[piece][$0].offset < offset }
    pieces[piece].insert((offset, bytes), at: place)
    joinNext(piece, place)
    if place > 0 { joinNext(piece, place - 1) }
    guard pieces[piece].count > Self.mostInPiece else { return }
    let half = pieces[piece].count / 2
    pieces.insert(Array(pieces[piece][half...]), at: piece + 1)
    pieces[piece].removeSubrange(half...)
  }

  /// Merges a range with the next one if they are adjacent.
  private mutating func joinNext(_ piece: Int, _ place: Int) {
    let isLast = place + 1 == pieces[piece].count
    let (other, next) = isLast ? (piece + 1, 0) : (piece, place + 1)
    guard other < pieces.count, case let range = pieces[piece][place],
      range.offset + range.bytes == pieces[other][next].offset
    else { return }
    pieces[piece][place].bytes += pieces[other][next].bytes
    remove(other, next)
  }

  private mutating func remove(_ piece: Int, _ place: Int) {
    pieces[piece].remove(at: place)
    if pieces[piece].isEmpty { pieces.remove(at: piece) }
  }

  /// The number of leading indices below `count` that satisfy `isBefore`, by binary search.
  private static func count(_ count: Int, _ isBefore: (Int) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isBefore(middle) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
