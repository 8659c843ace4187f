import CoreMLSpec
import TestModels
import Testing

/// Classical models with inconsistent indices and counts. The import refuses each with an error message.
@Suite struct HostileFeatureModelTests {
  typealias F = FeatureModels

  struct Node {
    var id: UInt64
    var feature: UInt64 = 0
    var children: (UInt64, UInt64)?
    var dimension: UInt64 = 0
  }

  static func trees(_ nodes: [Node], base: [Double] = [0]) -> [UInt8] {
    F.model(302, [.array("x", [2])], [.double("y")], label: "y") { message in
      message.append(1) { trees in
        for node in nodes {
          trees.append(1) { message in
            message.append(1, uint: 0)
            message.append(2, uint: node.id)
            guard let (yes, no) = node.children else {
              message.append(3, int: 6)
              message.append(20) { leaf in
                leaf.append(1, uint: node.dimension)
                leaf.append(2, double: 1)
              }
              return
            }
            message.append(10, uint: node.feature)
            message.append(12, uint: yes)
            message.append(13, uint: no)
          }
        }
        trees.append(2, uint: 1)
        trees.append(3, packed: base)
      }
    }
  }

  @Test func treesWithoutAnEndOrABeginning() throws {
    let leaves = [Node(id: 1), Node(id: 2)]
    #expect(F.refusal(Self.trees([Node(id: 0, children: (1, 2))] + leaves)) == nil)
    for (nodes, word) in [
      ([Node(id: 0, children: (1, 3))] + leaves, "not there"),
      ([Node(id: 0, children: (0, 1))] + leaves, "circle"),
      ([Node(id: 0, children: (1, 1))] + leaves, "two paths"),
      ([Node(id: 0, children: (1, 2)), Node(id: 3)] + leaves, "roots"),
      ([Node(id: 3, children: (4, 1)), Node(id: 4, children: (3, 2)), Node(id: 0)] + leaves, "circle"),
      ([Node(id: 0, children: (1, 2)), Node(id: 0)] + leaves, "two nodes"),
      ([Node(id: 0, feature: 2, children: (1, 2))] + leaves, "feature 2"),
      ([Node(id: 0, feature: .max, children: (1, 2))] + leaves, "feature"),
      ([Node(id: 0, dimension: 1)], "dimension 1"),
    ] {
      let sentence = F.refusal(Self.trees(nodes))
      #expect(sentence?.contains(word) == true, "\(word): \(sentence ?? "taken")")
    }
    #expect(F.refusal(Self.trees([Node(id: 0)], base: [0, 0]))?.contains("base values") == true)
  }

  /// A support vector machine of two classes, with two support vectors of two features.
  static func machine(
    counts: [Int64] = [1, 1], index: Int64 = 2, rows: [[Double]] = [[1, -1]], rho: [Double] = [0],
    probA: [Double] = [1], probB: [Double] = [0], labels: [String] = ["a", "b"]
  ) -> [UInt8] {
    F.model(401, [.array("x", [2])], [.string("label")], label: "label") { message in
      message.append(1) { $0.append(1) { _ in } }
      message.append(2, packed: counts)
      message.append(3) { vectors in
        for _ in 0..<2 {
          vectors.append(1) { vector in
            vector.append(1) { node in
              node.append(1, int: index)
              node.append(2, double: 1)
            }
          }
        }
      }
      for row in rows { message.append(5) { $0.append(1, packed: row) } }
      message.append(6, packed: rho)
      message.append(7, packed: probA)
      message.append(8, packed: probB)
      message.append(100, message: F.strings(labels))
    }
  }

  @Test func supportVectorsThatDoNotAddUp() {
    #expect(F.refusal(Self.machine()) == nil)
    for model in [
      Self.machine(counts: [1, 2]), Self.machine(counts: [-1, 3]), Self.machine(counts: [2]),
      Self.machine(index: 0), Self.machine(index: 3), Self.machine(index: -1),
      Self.machine(rows: [[1]]), Self.machine(rows: [[1, 1], [1, 1]]), Self.machine(rho: []),
      Self.machine(probA: [1, 1]), Self.machine(probB: []), Self.machine(labels: ["a"]),
      Self.machine(counts: [1, 1, 0], labels: ["a", "b", "c"]),
    ] {
      #expect(F.refusal(model)?.contains("the supportVectorClassifier: ") == true)
    }
  }

  @Test func indicesBeyondTheirArrays() {
    let extractor = F.model(609, [.array("x", [3])], [.array("y", [1])]) { $0.append(1, uint: 3) }
    #expect(F.refusal(extractor)?.contains("element 3") == true)
    let vectorizer = F.vectorizer([(.array("x", [3]), .max)], 3)
    #expect(F.refusal(vectorizer)?.contains("dimensions") == true)
    let scaler = F.model(604, [.array("x", [3])], [.array("y", [3])]) { $0.append(1, packed: [1.0, 2.0]) }
    #expect(F.refusal(scaler)?.contains("2 values") == true)
    let classifier = F.classifier(.array("x", [3]), [[1, 2]], ["a", "b"])
    #expect(F.refusal(classifier)?.contains("2 weights") == true)
    let neighbors = F.model(404, [.array("x", [2])], [.string("label")], label: "label") { message in
      message.append(1) { index in
        index.append(1, int: 2)
        index.append(2) { $0.append(1, packed: [Float(1)]) }
      }
      message.append(3) { $0.append(1, int: 1) }
      message.append(100, message: F.strings(["a"]))
    }
    #expect(F.refusal(neighbors)?.contains("dimensions") == true)
    let recommender = F.model(501, [.dictionary("items", integers: true)], [.dictionary("scores", integers: true)]) {
      message in
      message.append(1) { $0.append(1, uint: .max) }
      message.append(10, string: "items")
      message.append(21, string: "scores")
    }
    #expect(F.refusal(recommender)?.contains("numbers items") == true)
  }
}
