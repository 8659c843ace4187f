import CoreMLBase
import CoreMLSpec
import TestModels
import Testing

/// Layers whose meaning the files leave to the reader, or whose arguments are known only at run time.
@Suite struct NetworkLayerTests {
  @Test func topKTakesItsCountFromAnInput() throws {
    let layers = [Net.layer(1015, ["x", "k"], ["values", "indices"]) { $0.append(2, uint: 1) }]
    let inputs: [String: [Float]] = ["x": [3, 9, 1, 7], "k": [2]]
    #expect(try Net.run(layers, inputs, outputs: ["values", "indices"]) == [[9, 7], [1, 3]])
  }

  @Test func cumulativeSumsTakeTheirAxisFromAnInput() throws {
    let layers = [Net.layer(1455, ["x", "axis"], ["y"]) { $0.append(2, bool: true) }]
    #expect(try Net.run(layers, ["x": [4, 6, 7], "axis": [0]], outputs: ["y"]) == [[0, 4, 10]])
  }

  /// As numpy's `tile`: missing repetition counts are those of the first axes.
  @Test func fewerRepetitionsThanAxes() throws {
    let layers = [
      Net.layer(1140, ["x"], ["matrix"]) { $0.append(1, packed: [Int64(2), 2]) },
      Net.layer(1070, [], ["reps"]) { writer in
        writer.append(1, packed: [Int64(1)])
        writer.append(2) { $0.append(1, bytes: withUnsafeBytes(of: Float(2)) { Array($0) }) }
      },
      Net.layer(920, ["matrix", "reps"], ["y"]),
    ]
    #expect(try Net.run(layers, ["x": [1, 2, 3, 4]], outputs: ["y"]) == [[1, 2, 1, 2, 3, 4, 3, 4]])
  }

  /// The number of repetition counts may be unknown until the run. Counts beyond the number of axes are ignored.
  @Test func repetitionsOfUnknownLength() throws {
    let layers = [
      Net.layer(1140, ["x"], ["matrix"]) { $0.append(1, packed: [Int64(2), 2]) },
      Net.layer(920, ["matrix", "reps"], ["y"]),
    ]
    func run(_ reps: [Float]) throws -> [[Double]] {
      try Net.run(layers, ["x": [1, 2, 3, 4], "reps": reps], outputs: ["y"])
    }
    #expect(try run([2]) == [[1, 2, 1, 2, 3, 4, 3, 4]])
    #expect(try run([2, 1]) == [[1, 2, 3, 4, 1, 2, 3, 4]])
    #expect(throws: (any Error).self) { try run([1, 1, 1]) }
  }

  @Test func anArrayOfOneNumberJoinsVectors() throws {
    let layers = [
      Net.layer(1140, ["x"], ["matrix"]) { $0.append(1, packed: [Int64(1), 1]) },
      Net.layer(980, ["v", "matrix"], ["y"]),
    ]
    let inputs: [String: [Float]] = ["x": [4], "v": [2, 3]]
    #expect(try Net.run(layers, inputs, outputs: ["y"]) == [[2, 3, 4]])
  }

  /// Converters rely on the epsilon: log(1 + x) is a logarithm with epsilon 1.
  @Test func aLogarithmKeepsItsEpsilon() throws {
    let layers = [
      Net.layer(220, ["x"], ["y"]) { writer in
        writer.append(1, int: 5)
        writer.append(3, float: 1)
      }
    ]
    let found = try #require(try Net.run(layers, ["x": [0, 1, 6]], outputs: ["y"]).first)
    for (value, expected) in zip(found, [0, 0.693147181, 1.945910149]) { #expect(abs(value - expected) < 1e-6) }
  }

  @Test func theSizeOfAOneHotVectorMayBeAnInput() throws {
    let layers = [
      Net.layer(1450, ["x", "size"], ["y"]) { writer in
        writer.append(2, int: -1)
        writer.append(3, float: 1)
      }
    ]
    let inputs: [String: [Float]] = ["x": [2, 0], "size": [3]]
    #expect(try Net.run(layers, inputs, outputs: ["y"]) == [[0, 0, 1, 1, 0, 0]])
  }

  /// A shape that was sliced from another shape has the shape [1, n].
  @Test func aShapeMayHaveAnyRank() throws {
    let row = Net.layer(1140, ["n"], ["row"]) { $0.append(1, packed: [Int64(1), 1]) }
    let inputs: [String: [Float]] = ["x": [4], "n": [3]]
    #expect(try Net.run([row, Net.layer(920, ["x", "row"], ["y"])], inputs, outputs: ["y"]) == [[4, 4, 4]])
    let fill = Net.layer(1090, ["row"], ["y"]) { $0.append(1, float: 2) }
    #expect(try Net.run([row, fill], ["n": [3]], outputs: ["y"]) == [[2, 2, 2]])
  }

  /// NeuralNetwork.proto: positive amounts are sizes of the output.
  @Test func paddingToASize() throws {
    let layers = [
      Net.layer(1155, ["x"], ["y"]) { writer in
        writer.append(1, float: 8)
        writer.append(2, packed: [Int64(0), 5])
        writer.append(3, bool: true)
      }
    ]
    #expect(try Net.run(layers, ["x": [1, 2, 3]], outputs: ["y"]) == [[1, 2, 3, 8, 8]])
    #expect(try Net.run(layers, ["x": [1, 2, 3, 4, 5, 6]], outputs: ["y"]) == [[1, 2, 3, 4, 5, 6]])
  }

  @Test func paddingByAnInput() throws {
    let layers = [Net.layer(1155, ["x", "amounts"], ["y"]) { $0.append(1, float: 7) }]
    #expect(try Net.run(layers, ["x": [1], "amounts": [2, 1]], outputs: ["y"]) == [[7, 7, 1, 7]])
  }

  @Test func slicesWithEverythingAtRunTime() throws {
    let inputs: [String: [Float]] = ["x": [0, 1, 2, 3, 4, 5, 6], "begin": [9], "end": [-1], "step": [2], "mask": [1]]
    let layers = [Net.layer(1000, ["x", "begin", "end", "step", "mask"], ["y"])]
    #expect(try Net.run(layers, inputs, outputs: ["y"]) == [[0, 2, 4]])
  }

  @Test func aFullReductionGivesAVectorOfOne() throws {
    let layers = [Net.layer(1270, ["x"], ["y"]) { $0.append(3, bool: true) }, Net.layer(1065, ["y"], ["shape"])]
    #expect(try Net.run(layers, ["x": [1, 2, 3]], outputs: ["y", "shape"]) == [[6], [1]])
  }

  /// Converters slice an element out of a vector, compute with it, and make it a vector again. The result has one axis,
  /// not two.
  @Test func whatWasAScalarGetsTheAxesThatAreAdded() throws {
    let layers = [
      Net.layer(995, ["x"], ["one"]) { writer in
        writer.append(1, packed: [Int64(1)])
        writer.append(3, packed: [Int64(2)])
        writer.append(5, packed: [Int64(1)])
        writer.append(6, packed: [Int64(1)])
      },
      Net.layer(130, ["one"], ["more"]) { writer in
        writer.append(5) { writer in
          writer.append(1, float: 2)
          writer.append(2, float: 1)
        }
      },
      Net.layer(1125, ["more"], ["vector"]) { $0.append(1, packed: [Int64(0)]) },
      Net.layer(1065, ["vector"], ["shape"]), Net.layer(925, ["one", "more"], ["both"]),
      Net.layer(1065, ["both"], ["shape of both"]),
    ]
    let outputs = ["vector", "shape", "both", "shape of both"]
    #expect(try Net.run(layers, ["x": [5, 7]], outputs: outputs) == [[15], [1], [7, 15], [2]])
  }

  @Test(arguments: [(Int64(0), [1.0, 0, 2, 3]), (Int64(-1), [0.0, 0, 2, 0]), (Int64(1), [1.0, 5, 2, 3])])
  func lowerTriangles(_ k: Int64, _ expected: [Double]) throws {
    let layers = [
      Net.layer(1140, ["x"], ["m"]) { $0.append(1, packed: [Int64(2), 2]) },
      Net.layer(1320, ["m"], ["y"]) { $0.append(1, int: k) },
    ]
    #expect(try Net.run(layers, ["x": [1, 5, 2, 3]], outputs: ["y"]) == [expected])
  }

  /// A batch item with all scores below the threshold keeps its best box. Indices are padded with -1.
  @Test func suppressionNeverGivesNothing() throws {
    let layers = [
      Net.layer(1140, ["x"], ["boxes"]) { $0.append(1, packed: [Int64(1), 2, 4]) },
      Net.layer(1140, ["s"], ["scores"]) { $0.append(1, packed: [Int64(1), 2, 1]) },
      Net.layer(1400, ["boxes", "scores"], ["b", "p", "i", "n"]) { writer in
        writer.append(1, float: 0.5)
        writer.append(2, float: 0.6)
        writer.append(3, uint: 2)
      },
    ]
    let inputs: [String: [Float]] = ["x": [1, 1, 2, 2, 9, 9, 2, 2], "s": [0.1, 0.4]]
    let results = try Net.run(layers, inputs, outputs: ["b", "i", "n"])
    #expect(results == [[9, 9, 2, 2, 0, 0, 0, 0], [1, -1], [1]])
  }

  /// NaN is below every threshold and does not affect the order of other scores.
  @Test func suppressionLeavesScoresOfNaNOut() throws {
    let layers = [
      Net.layer(1140, ["x"], ["boxes"]) { $0.append(1, packed: [Int64(1), 6, 4]) },
      Net.layer(1140, ["s"], ["scores"]) { $0.append(1, packed: [Int64(1), 6, 1]) },
      Net.layer(1400, ["boxes", "scores"], ["b", "p", "i", "n"]) { writer in
        writer.append(1, float: 0.5)
        writer.append(2, float: 0.1)
        writer.append(3, uint: 3)
      },
    ]
    let boxes: [Float] = (0..<6).flatMap { (place: Int) -> [Float] in [Float(place) * 10, 0, 1, 1] }
    let scores: [Float] = [.nan, 0.5, .nan, 0.7, 0.9, .nan]
    #expect(try Net.run(layers, ["x": boxes, "s": scores], outputs: ["i", "n"]) == [[4, 3, 1], [3]])
  }

  /// Converters write the activations of recurrent layers without parameters.
  @Test(arguments: [(5, [1.0, 3.0]), (41, [0.7, 0.98])])
  func emptyActivationsOfRecurrentLayers(_ activation: Int, _ expected: [Double]) throws {
    let one: (inout WireWriter) -> Void = { $0.append(1, packed: [Float(1)]) }
    let two: (inout WireWriter) -> Void = { $0.append(1, packed: [Float(2)]) }
    let layers = [
      Net.layer(1140, ["x"], ["sequence"]) { $0.append(1, packed: [Int64(2), 1, 1, 1, 1]) },
      Net.layer(400, ["sequence"], ["y", "h"]) { writer in
        writer.append(1, uint: 1)
        writer.append(2, uint: 1)
        writer.append(10, message: { $0.append(activation, message: { _ in }) })
        writer.append(15, bool: true)
        writer.append(30, message: one)
        writer.append(31, message: two)
      },
    ]
    let results = try Net.run(layers, ["x": [1, 1]], outputs: ["y", "h"])
    for (found, wanted) in zip(results[0] + results[1], expected + expected.suffix(1)) {
      #expect(abs(found - wanted) < 1e-6)
    }
  }

  /// An input sets the number of sequences in the states. The sequences of the batch come first.
  @Test func statesForMoreThanTheBatch() throws {
    let layers = [
      Net.layer(1140, ["x"], ["sequence"]) { $0.append(1, packed: [Int64(2), 1, 1, 1, 1]) },
      Net.layer(1140, ["s"], ["state"]) { $0.append(1, packed: [Int64(1), 1, 1, 1, 1]) },
      Net.layer(920, ["state", "reps"], ["states"]),
      Net.layer(400, ["sequence", "states"], ["y", "h"]) { writer in
        writer.append(1, uint: 1)
        writer.append(2, uint: 1)
        writer.append(10, message: { $0.append(5, message: { _ in }) })
        writer.append(15, bool: true)
        writer.append(30, message: { $0.append(1, packed: [Float(1)]) })
        writer.append(31, message: { $0.append(1, packed: [Float(2)]) })
      },
    ]
    let inputs: [String: [Float]] = ["x": [1, 1], "s": [5], "reps": [1, 3, 1, 1, 1]]
    #expect(try Net.run(layers, inputs, outputs: ["y", "h"]) == [[11, 23], [23]])
  }

  @Test func boundsBeyondAnyNumber() throws {
    let layers = [
      Net.layer(995, ["x"], ["y"]) { writer in
        writer.append(1, packed: [Int64.min])
        writer.append(3, packed: [Int64.max])
        writer.append(5, packed: [Int64(1)])
      }
    ]
    #expect(try Net.run(layers, ["x": [1, 2, 3]], outputs: ["y"]) == [[1, 2, 3]])
  }
}
