import MIL

/// Shapes of the same elements in the same order that differ only by axes of size 1.
package enum UnitAxes {
  /// Shapes with more axes than this are not changed.
  private static let rankLimit = 32

  /// Returns the shape that the axes in `ranges` allow for a value of the shape `shape`; nil if there is none.
  ///
  /// If several shapes are possible, the axes of size 1 come as early as possible.
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

  /// Returns the shape with the rank of `declared`, by removing or adding axes of size 1; nil if that is not possible.
  ///
  /// This is for values whose sizes vary while their description declares the sizes of one of them. Leading axes of
  /// size 1 are removed or added. Otherwise the axes of size 1 must be exactly the surplus or missing ones, so that
  /// their positions are unambiguous.
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

  // MARK: fitting values between models

  /// Removes the axes of size 1 that `target` does not have, and adds those that it has. Returns nil if the shapes
  /// differ in any other way.
  static func fitted(
    _ value: String, to target: [Dimension], _ builder: inout Builder, named name: String
  ) throws -> String? {
    let source = try builder.tensorType(of: value).shape
    if agree(source, target) { return value }
    // Leading axes are removed first, because the remaining axes of size 1 may match.
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
