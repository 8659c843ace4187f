/// Values that lie in the memory of others: the owner of each one's memory, and where in it the value begins. A value is found in steps
/// that grow with the logarithm of how many share the memory, whatever the order in which they came to share it.
struct SharedMemory {
  /// The value that stands above each in its group's tree; at the top a value stands above itself. The top need not be the owner.
  private var above: [Int]
  /// Where a value begins, counted from the beginning of the one above it. It may be negative.
  private var shift: [Int]
  /// How many values stand under each top, itself included.
  private var size: [Int]
  /// The owner of a top's group, and where it begins, counted from the top's beginning.
  private var owner: [(value: Int, shift: Int)]

  /// `count` values with memory of their own.
  init(count: Int) {
    above = Array(0..<count)
    shift = Array(repeating: 0, count: count)
    size = Array(repeating: 1, count: count)
    owner = (0..<count).map { ($0, 0) }
  }

  /// The owner of the memory that a value lies in, and where in it the value begins.
  func place(of value: Int) -> (owner: Int, offset: Int) {
    let (top, begin) = top(of: value)
    return (owner[top].value, begin - owner[top].shift)
  }

  /// Puts the memory of an owner into that of another. Both own their memory before; the other one does afterwards.
  mutating func put(_ child: Int, in parent: Int, at offset: Int) {
    let (lower, childBegin) = top(of: child)
    let (upper, parentBegin) = top(of: parent)
    guard lower != upper else { return }
    // From the beginning of the parent's top to that of the child's.
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
