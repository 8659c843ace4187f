import TestModels
import Testing

/// Branches and loops of neural networks, and blobs that nested networks overwrite.
@Suite struct NetworkControlFlowTests {
  @Test func aLoopRunsAsOftenAsItSays() throws {
    let layers = [
      Net.copy("x", "y"), Net.loop(count: 5, [Net.add("y", 2, "t"), Net.copy("t", "y")]),
    ]
    #expect(try Net.run(layers, ["x": [1, 10]], outputs: ["y"]) == [[11, 20]])
  }

  @Test func theNumberOfRoundsMayBeAnInput() throws {
    let layers = [
      Net.copy("x", "y"), Net.loop(count: 99, input: "n", [Net.add("y", 1, "t"), Net.copy("t", "y")]),
    ]
    #expect(try Net.run(layers, ["x": [0], "n": [3]], outputs: ["y"]) == [[3]])
    #expect(try Net.run(layers, ["x": [4], "n": [0]], outputs: ["y"]) == [[4]])
  }

  @Test func aConditionIsAskedBeforeEveryRound() throws {
    let condition = (name: "go", layers: [Net.less("y", 100, "go")])
    let layers = [
      Net.copy("x", "y"), Net.loop(condition: condition, [Net.multiply("y", 2, "t"), Net.copy("t", "y")]),
    ]
    #expect(try Net.run(layers, ["x": [3]], outputs: ["y"]) == [[192]])
    #expect(try Net.run(layers, ["x": [500]], outputs: ["y"]) == [[500]])
  }

  @Test func aConditionAndACountEndALoopTogether() throws {
    let condition = (name: "go", layers: [Net.less("y", 100, "go")])
    let layers = [
      Net.copy("x", "y"), Net.loop(count: 2, condition: condition, [Net.multiply("y", 2, "t"), Net.copy("t", "y")]),
    ]
    #expect(try Net.run(layers, ["x": [3]], outputs: ["y"]) == [[12]])
    #expect(try Net.run(layers, ["x": [60]], outputs: ["y"]) == [[120]])
  }

  /// for i in 1...: if i > 6 break; if i == 3 continue; sum += i
  @Test func breakAndContinue() throws {
    let body = [
      Net.add("i", 1, "next"), Net.copy("next", "i"),
      Net.greater("i", 6, "end"), Net.branch("end", [Net.breakLoop]),
      Net.equal("i", 3, "skip"), Net.branch("skip", [Net.continueLoop], [Net.multiply("i", 1, "unused")]),
      Net.sum("sum", "i", "more"), Net.copy("more", "sum"),
    ]
    let layers = [Net.copy("x", "i"), Net.copy("x", "sum"), Net.loop(count: 10, body)]
    #expect(try Net.run(layers, ["x": [0]], outputs: ["sum", "i"]) == [[18], [7]])
  }

  @Test func aConditionOfSeveralNumbersIsTheFirst() throws {
    let branch = Net.branch("x", [Net.add("x", 1, "y")], [Net.add("x", 2, "y")])
    let layers = [Net.layer(1140, ["v"], ["x"]) { $0.append(1, packed: [Int64(2)]) }, branch]
    #expect(try Net.run(layers, ["v": [1, 0]], outputs: ["y"]) == [[2, 1]])
    #expect(try Net.run(layers, ["v": [0, 1]], outputs: ["y"]) == [[2, 3]])
  }

  /// A round changes the length of the list, but not the rank of its shape.
  @Test func aListThatGrows() throws {
    func constant(_ value: Float, _ shape: [Int64], _ name: String) -> Net.Layer {
      Net.layer(1070, [], [name]) { writer in
        writer.append(1, packed: shape)
        writer.append(2) { $0.append(1, packed: Array(repeating: value, count: Int(shape.reduce(1, *)))) }
      }
    }
    let body = [
      constant(2, [1], "width"),
      Net.add("i", 1, "next"), Net.concat(["next", "width"], "more shape"),
      Net.layer(1090, ["more shape"], ["more"]) { $0.append(1, float: 3) },
      Net.concat(["list", "more"], "longer"), Net.copy("longer", "list"), Net.copy("next", "i"),
    ]
    let layers = [
      constant(0, [1], "i"), constant(0, [1, 2], "list"), Net.loop(count: 2, body), Net.layer(1065, ["list"], ["y"]),
    ]
    #expect(try Net.run(layers, ["x": [1]], outputs: ["y"]) == [[4, 2]])
  }

  @Test func loopsInLoopsHaveTheirOwnBreaks() throws {
    let inner = Net.loop(
      count: 9,
      [
        Net.add("j", 1, "nextJ"), Net.copy("nextJ", "j"), Net.add("n", 1, "nextN"), Net.copy("nextN", "n"),
        Net.equal("j", 2, "end"), Net.branch("end", [Net.breakLoop]),
      ])
    let layers = [
      Net.copy("x", "n"),
      Net.loop(count: 3, [Net.copy("x", "j"), inner, Net.add("n", 10, "far"), Net.copy("far", "n")]),
    ]
    #expect(try Net.run(layers, ["x": [0]], outputs: ["n"]) == [[36]])
  }

  @Test func aBlobMayGrowFromRoundToRound() throws {
    let layers = [
      Net.copy("x", "y"), Net.loop(count: 3, [Net.concat(["y", "x"], "t"), Net.copy("t", "y")]),
    ]
    #expect(try Net.run(layers, ["x": [1, 2]], outputs: ["y"]) == [[1, 2, 1, 2, 1, 2, 1, 2]])
  }

  @Test func whatOnlyTheLoopWritesIsSeenAfterIt() throws {
    let layers = [
      Net.copy("x", "y"), Net.loop(count: 2, [Net.add("y", 1, "last"), Net.copy("last", "y")]),
      Net.multiply("last", 10, "z"),
    ]
    #expect(try Net.run(layers, ["x": [1]], outputs: ["z"]) == [[30]])
  }

  @Test(arguments: [(Float(2), 4.0), (-2, -3)])
  func aBranchGivesWhatItsSidesWrite(_ x: Float, _ expected: Double) throws {
    let layers = [
      Net.greater("x", 0, "isPositive"),
      Net.branch("isPositive", [Net.multiply("x", 2, "y")], [Net.add("x", -1, "y")]),
      Net.copy("y", "z"),
    ]
    #expect(try Net.run(layers, ["x": [x]], outputs: ["z"]) == [[expected]])
  }

  @Test(arguments: [(Float(2), 20.0), (-2, -2)])
  func aBranchWithoutElseKeepsWhatWasThere(_ x: Float, _ expected: Double) throws {
    let layers = [
      Net.copy("x", "y"), Net.greater("x", 0, "isPositive"),
      Net.branch("isPositive", [Net.multiply("y", 10, "t"), Net.copy("t", "y")]),
    ]
    #expect(try Net.run(layers, ["x": [x]], outputs: ["y"]) == [[expected]])
  }

  /// Thirty nested loops. The lowering time does not double with each level.
  @Test func deepLoops() throws {
    var body = [Net.add("y", 1, "t"), Net.copy("t", "y")]
    for _ in 0..<30 { body = [Net.loop(count: 1, body)] }
    #expect(try Net.run([Net.copy("x", "y")] + body, ["x": [1]], outputs: ["y"]) == [[2]])
  }
}
