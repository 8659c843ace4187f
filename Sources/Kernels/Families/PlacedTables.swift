/// Tables where a C kernel reads them, for as long as this lives.
final class PlacedTables {
  private var owned: [UnsafeMutableRawPointer] = []

  func place<Element: BitwiseCopyable>(_ elements: [Element]) -> UnsafePointer<Element> {
    let memory = UnsafeMutablePointer<Element>.allocate(capacity: max(elements.count, 1))
    memory.initialize(from: elements, count: elements.count)
    owned.append(memory)
    return UnsafePointer(memory)
  }

  deinit { for memory in owned { memory.deallocate() } }
}
