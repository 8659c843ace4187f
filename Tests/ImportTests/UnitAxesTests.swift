import Testing

@testable import CoreMLImport

/// Shapes that differ only by axes of size one.
@Suite struct UnitAxesTests {
  @Test func axesOfOneGoWhereTheRangesAllowThem() {
    let any = 0...Int.max
    #expect(UnitAxes.arranged([1, 5, 6], in: [5...5, 6...6]) == [5, 6])
    #expect(UnitAxes.arranged([5, 6], in: [1...1, 5...5, 1...1, 6...6]) == [1, 5, 1, 6])
    #expect(UnitAxes.arranged([5, 6], in: [any, any, any]) == [1, 5, 6])
    #expect(UnitAxes.arranged([1, 0, 4], in: [any, 4...4]) == [0, 4])
    #expect(UnitAxes.arranged([], in: [1...1, 1...1]) == [1, 1])
    #expect(UnitAxes.arranged([1, 1], in: []) == [])
    #expect(UnitAxes.arranged([6, 5], in: [5...5, 6...6]) == nil)
    #expect(UnitAxes.arranged([2, 3], in: [6...6]) == nil)
    #expect(UnitAxes.arranged([2], in: Array(repeating: any, count: 100)) == nil)
    #expect(UnitAxes.withRank(of: [9, 9], [1, 5, 6]) == [5, 6])
    #expect(UnitAxes.withRank(of: [1, 9, 9], [5, 6]) == [1, 5, 6])
    #expect(UnitAxes.withRank(of: [9, 1, 9], [5, 6]) == [5, 1, 6])
    #expect(UnitAxes.withRank(of: [9, 9], [5, 1, 6]) == [5, 6])
    #expect(UnitAxes.withRank(of: [9, 1, 1], [5, 6]) == nil)
    #expect(UnitAxes.withRank(of: [9, 9], [2, 5, 6]) == nil)
    #expect(UnitAxes.withRank(of: [3, 9, 9], [5, 6]) == nil)
  }
}
