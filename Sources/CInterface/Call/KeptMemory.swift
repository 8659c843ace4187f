/// Memory that C points into, freed with its owner. Not thread-safe.
final class KeptMemory {
  private var blocks: [UnsafeMutableRawPointer] = []

  deinit { for block in blocks { block.deallocate() } }

  func array<Element: BitwiseCopyable>(_ elements: [Element]) -> UnsafePointer<Element> {
    // An empty array also needs an address: null would mean that the array is absent.
    let copy = UnsafeMutablePointer<Element>.allocate(capacity: max(elements.count, 1))
    copy.initialize(from: elements, count: elements.count)
    blocks.append(UnsafeMutableRawPointer(copy))
    return UnsafePointer(copy)
  }

  /// The text with a terminating zero byte.
  func text(_ text: String) -> UnsafePointer<CChar> { array(text.utf8.map { CChar(bitPattern: $0) } + [0]) }

  func texts(_ texts: [String]) -> UnsafePointer<UnsafePointer<CChar>?> {
    array(texts.map { Optional(text($0)) })
  }
}
