import MIL

/// Tables at fixed addresses for a C kernel, valid as long as this object is alive.
final class PlacedTables {
  private var owned: [TensorStorage] = []

  func place<Element: BitwiseCopyable>(_ elements: [Element]) throws -> UnsafePointer<Element> {
    let storage = try elements.withUnsafeBytes { try TensorStorage(copying: $0, for: "the tables of an ensemble") }
    owned.append(storage)
    return storage.pointer.bindMemory(to: Element.self, capacity: elements.count)
  }
}

/// An ensemble of trees as a C kernel takes it, in its own memory.
final class PlacedEnsemble<Trees>: @unchecked Sendable {  // never written
  private let trees: Trees
  private let base: [Double]
  private let tables: PlacedTables

  init(_ trees: Trees, base: [Double], tables: PlacedTables) {
    (self.trees, self.base, self.tables) = (trees, base, tables)
  }

  /// The results of a range of rows. They start with the base, and `add` adds the results of the trees.
  @inline(__always)
  func sum(
    rows: Int, into sums: UnsafeMutablePointer<Double>, _ add: (UnsafePointer<Trees>, _ dimensions: Int) -> Void
  ) {
    for row in 0..<rows { for index in base.indices { sums[row * base.count + index] = base[index] } }
    withUnsafePointer(to: trees) { add($0, base.count) }
  }
}
