import MIL

/// Tables where a C kernel reads them, for as long as this lives.
final class PlacedTables {
  private var owned: [TensorStorage] = []

  func place<Element: BitwiseCopyable>(_ elements: [Element]) throws -> UnsafePointer<Element> {
    let storage = try elements.withUnsafeBytes { try TensorStorage(copying: $0, for: "the tables of an ensemble") }
    owned.append(storage)
    return storage.pointer.bindMemory(to: Element.self, capacity: elements.count)
  }
}
