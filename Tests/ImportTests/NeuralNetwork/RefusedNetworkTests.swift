import CoreMLBase
import MIL
import TestModels
import Testing

/// Networks that the import refuses.
@Suite struct RefusedNetworkTests {
  @Test func aBlobThatOneSideAloneWritesHasNoValueAfterwards() {
    let layers = [
      Net.greater("x", 0, "isPositive"), Net.branch("isPositive", [Net.add("x", 1, "t")]), Net.copy("t", "y"),
    ]
    #expect { try Net.function(layers, inputs: ["x": [1]], outputs: ["y"]) } throws: { "\($0)".contains("'t'") }
  }

  @Test func aBreakOutsideOfALoopIsRefused() {
    #expect { try Net.function([Net.breakLoop], inputs: ["x": [1]], outputs: ["x"]) } throws: {
      "\($0)".contains("loopBreak") && "\($0)".contains("not in a loop")
    }
  }

  @Test func networksNestedWithoutEndAreRefused() {
    var layers = [Net.add("x", 1, "y")]
    for _ in 0..<60 { layers = [Net.greater("x", 0, "p"), Net.branch("p", layers)] }
    #expect(throws: (any Error).self) { try Net.function(layers, inputs: ["x": [1]], outputs: ["x"]) }
  }

  /// [1, 2, 1, 2] as an image holds one vector of four elements, not two vectors of two.
  @Test func anInnerProductTakesWholeImages() {
    let layers = [
      Net.layer(1140, ["x"], ["image"]) { $0.append(1, packed: [Int64(1), 2, 1, 2]) },
      Net.layer(140, ["image"], ["y"]) { writer in
        writer.append(1, int: 2)
        writer.append(2, int: 1)
        writer.append(20) { $0.append(1, packed: [Float(1), 1]) }
      },
    ]
    #expect(throws: RuntimeError.self) { try Net.function(layers, inputs: ["x": [4]], outputs: ["y"]) }
  }

  @Test(arguments: [985, 975, 1000, 1020, 1025, 1120, 1125, 1130, 1005])
  func numbersThatMeanNothingAreRefused(_ kind: Int) {
    let layer = Net.layer(kind, ["x"], ["y"]) { $0.append(1, packed: [Int64.min]) }
    #expect(throws: (any Error).self) { try Net.function([layer], inputs: ["x": [2]], outputs: ["y"]) }
  }

  @Test func anAxisThatIsNotThereIsRefused() {
    let layers = [Net.layer(1140, ["x"], ["y"]) { $0.append(1, packed: [Int64(7), 3]) }]
    #expect { try Net.function(layers, inputs: ["x": [2]], outputs: ["y"]) } throws: {
      "\($0)".contains("reshapeStatic")
    }
  }

  @Test func aLayerThatAsksForTheRankIsRefusedByName() throws {
    let layers = [Net.layer(1145, ["x", "shape"], ["y"]), Net.layer(1065, ["y"], ["z"])]
    #expect {
      try Net.function(layers, inputs: ["x": [.unknown], "shape": [.unknown]], outputs: ["z"])
    } throws: {
      ($0 as? RuntimeError)?.code == .unsupported && "\($0)".contains("getShape")
        && "\($0)".contains("only known at run time")
    }
  }

  /// The specification allows only arrays and images as features of networks (NeuralNetwork.proto).
  @Test func networksTakeNoSequences() {
    for feature in [FeatureModels.Feature.strings("x"), .dictionary("x"), .string("x"), .double("x")] {
      let model = FeatureModels.model(500, [feature], [.array("y", [1])]) { $0.append(1, bytes: Net.copy("x", "y")) }
      #expect(
        FeatureModels.refusal(model)?.contains("input 'x' of a neural network is neither an array nor an image") == true
      )
    }
  }
}
