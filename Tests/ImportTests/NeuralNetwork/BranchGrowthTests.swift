import MIL
import TestModels
import TestSupport
import Testing

/// A small file whose import must not take long.
@Suite struct BranchGrowthTests {
  /// The cost of a branch depends on its own operations, not on those before it.
  @Test func manyBranchesAreImportedInTheTimeOfTheirSum() throws {
    func seconds(_ count: Int) throws -> Double {
      var layers = [Net.copy("x", "y")]
      for index in 0..<count {
        layers.append(Net.add("y", 1, "t\(index)"))
        layers.append(Net.branch("x", [Net.copy("t\(index)", "y")], [Net.copy("x", "y")]))
      }
      let times = try (0..<2).map { _ in
        try ThreadTime.seconds { _ = try Net.function(layers, inputs: ["x": [1]], outputs: ["y"]) }
      }
      return times.min() ?? 0
    }
    let (few, many) = (try seconds(250), try seconds(2000))
    #expect(many < 24 * few, "250 branches \(few) s, 2,000 \(many) s")
  }
}
