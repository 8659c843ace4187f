/// A union-find structure over values that share memory. It gives the owner of each value's memory and the value's
/// offset in it. A lookup takes a number of steps logarithmic in the group size, for any order of unions.
struct SharedMemory {
  /// The parent of each value in its group's tree. A root is its own parent. The root need not be the owner.
  private var above: [Int]
  /// The offset of each value relative to its parent. It may be negative.
  private var shift: [Int]
  /// The number of values under each root, including the root.
  private var size: [Int]
  /// The owner of each root's group, and its offset relative to the root.
  private var owner: [(value: Int, shift: Int)]

  /// `count` values, each with memory of its own.
  init(count: Int) {
    above = Array(0..<count)
    shift = Array(repeating: 0, count: count)
    size = Array(repeating: 1, count: count)
    owner = (0..<count).map { ($0, 0) }
  }

  /// The owner of a value's memory, and the value's offset in it.
  func place(of value: Int) -> (owner: Int, offset: Int) {
    let (top, begin) = top(of: value)
    return (owner[top].value, begin - owner[top].shift)
  }

  /// Puts the memory of `child` into that of `parent`. Both must own their memory; afterwards `parent` owns both.
  mutating func put(_ child: Int, in parent: Int, at offset: Int) {
    let (lower, childBegin) = top(of: child)
    let (upper, parentBegin) = top(of: parent)
    guard lower != upper else { return }
    // The offset of the child's root relative to the parent's root.
    let distance = parentBegin + offset - childBegin
    if size[upper] >= size[lower] {
      (above[lower], shift[lower]) = (upper, distance)
      size[upper] += size[lower]
    } else {
      (above[upper], shift[upper]) = (lower, -distance)
      size[lower] += size[upper]
      owner[lower] = (parent, parentBegin - distance)
    }
  }

  private func top(of value: Int) -> (top: Int, begin: Int) {
    var (value, begin) = (value, 0)
    while above[value] != value { (value, begin) = (above[value], begin + shift[value]) }
    return (value, begin)
  }
}
