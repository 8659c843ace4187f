import MIL

/// Shapes of the same elements in the same order that differ by axes of one alone.
package enum UnitAxes {
  /// Shapes of more axes than this are left as they are.
  private static let rankLimit = 32

  /// The shape that the axes of `ranges` allow for a value of the shape `shape`. Nil where there is none.
  ///
  /// Of several shapes it is the one that has its axes of one first.
  package static func arranged(_ shape: [Int], in ranges: [ClosedRange<Int>]) -> [Int]? {
    guard ranges.count <= rankLimit, shape.count <= rankLimit else { return nil }
    if shape.count == ranges.count, zip(shape, ranges).allSatisfy({ $1.contains($0) }) { return shape }
    let sizes = shape.filter { $0 != 1 }
    // fits[axis][size]: whether the axes from `axis` on can hold the sizes from `size` on.
    var fits = Array(repeating: Array(repeating: false, count: sizes.count + 1), count: ranges.count + 1)
    fits[ranges.count][sizes.count] = true
    for axis in ranges.indices.reversed() {
      for size in 0...sizes.count {
        let isOne = ranges[axis].contains(1) && fits[axis + 1][size]
        let isNext = size < sizes.count && ranges[axis].contains(sizes[size]) && fits[axis + 1][size + 1]
        fits[axis][size] = isOne || isNext
      }
    }
    guard fits[0][0] else { return nil }
    var (result, size): ([Int], Int) = ([], 0)
    for axis in ranges.indices {
      if ranges[axis].contains(1), fits[axis + 1][size] {
        result.append(1)
      } else {
        result.append(sizes[size])
        size += 1
      }
    }
    return result
  }

  /// The shape with as many axes as `declared` has, where axes of one are all that is too many or too few. Nil where they are not.
  ///
  /// It is for values whose sizes vary while their description states the sizes of one of them. Leading axes of one go or come first.
  /// Otherwise the axes of one must be exactly those that are too many or missing, so that their places are known.
  package static func withRank(of declared: [Int], _ shape: [Int]) -> [Int]? {
    let extra = shape.count - declared.count
    if extra == 0 { return shape }
    if extra > 0 {
      if shape.prefix(extra).allSatisfy({ $0 == 1 }) { return Array(shape.dropFirst(extra)) }
      let others = shape.filter { $0 != 1 }
      return others.count == declared.count ? others : nil
    }
    let ones = declared.prefix(-extra)
    if ones.allSatisfy({ $0 == 1 }) { return ones + shape }
    guard declared.count(where: { $0 == 1 }) == -extra else { return nil }
    var sizes = shape.makeIterator()
    return declared.map { $0 == 1 ? 1 : sizes.next() ?? 1 }
  }

  // MARK: between models

  /// A value without axes of one that `target` has not, and with those that it has. Nil where the shapes differ by more than that.
  static func fitted(
    _ value: String, to target: [Dimension], _ builder: inout Builder, named name: String
  ) throws -> String? {
    let source = try builder.tensorType(of: value).shape
    if agree(source, target) { return value }
    // Leading axes go first: what is left may have axes of one that agree.
    let extra = source.count - target.count
    if extra > 0, source.prefix(extra).allSatisfy({ $0 == 1 }), agree(Array(source.dropFirst(extra)), target) {
      return try builder.add("squeeze", ["x": .name(value), "axes": .ints(Array(0..<extra))], named: name)
    }
    let (ones, others) = (source.indices.filter { source[$0] == 1 }, target.indices.filter { target[$0] == 1 })
    guard agree(source.filter { $0 != 1 }, target.filter { $0 != 1 }) else { return nil }
    var value = value
    if !ones.isEmpty { value = try builder.add("squeeze", ["x": .name(value), "axes": .ints(ones)], named: name) }
    if !others.isEmpty {
      value = try builder.add("expand_dims", ["x": .name(value), "axes": .ints(others)], named: name)
    }
    return value
  }

  private static func agree(_ source: [Dimension], _ target: [Dimension]) -> Bool {
    source.count == target.count && zip(source, target).allSatisfy { $0.agrees(with: $1) }
  }
}
