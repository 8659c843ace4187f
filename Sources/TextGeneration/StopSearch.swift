/// Finds stop sequences in text that arrives in pieces. It holds back text that may begin one.
struct StopSearch {
  private let stops: [[UInt8]]
  private var held: [UInt8] = []

  init(_ stops: [String]) { self.stops = stops.map { Array($0.utf8) } }

  /// Adds text. Returns the text that no stop sequence can contain, and whether one was found after it.
  mutating func append(_ text: String) -> (text: String, isStopped: Bool) {
    guard !stops.isEmpty else { return (text, false) }
    held += text.utf8
    for start in held.indices {
      let rest = held[start...]
      if stops.contains(where: { rest.starts(with: $0) }) { return (take(start), true) }
      if stops.contains(where: { $0.starts(with: rest) }) { return (take(start), false) }
    }
    return (take(held.count), false)
  }

  /// The text that was held back.
  mutating func finish() -> String { take(held.count) }

  private mutating func take(_ count: Int) -> String {
    defer { held.removeFirst(count) }
    return String(decoding: held[..<count], as: UTF8.self)
  }
}
