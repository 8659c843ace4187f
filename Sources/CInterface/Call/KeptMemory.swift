/// Memory that C looks into: it goes with what owns it. Not to be used by two threads at once.
final class KeptMemory {
  private var blocks: [UnsafeMutableRawPointer] = []

  deinit { for block in blocks { block.deallocate() } }

  func array<Element: BitwiseCopyable>(_ elements: [Element]) -> UnsafePointer<Element> {
    // Nothing has an address as well: a null would say that it is not there.
    let copy = UnsafeMutablePointer<Element>.allocate(capacity: max(elements.count, 1))
    copy.initialize(from: elements, count: elements.count)
    blocks.append(UnsafeMutableRawPointer(copy))
    return UnsafePointer(copy)
  }

  /// The text with a zero byte behind it.
  func text(_ text: String) -> UnsafePointer<CChar> { array(text.utf8.map { CChar(bitPattern: $0) } + [0]) }

  func texts(_ texts: [String]) -> UnsafePointer<UnsafePointer<CChar>?> {
    array(texts.map { Optional(text($0)) })
  }
}
