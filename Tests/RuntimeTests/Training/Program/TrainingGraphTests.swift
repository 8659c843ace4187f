import MIL
import TestSupport
import Testing

@testable import CoreMLRuntime

/// A small file whose training must not take long.
@Suite struct TrainingGraphTests {
  /// Every addition reads the previous result twice: 2^60 paths through 60 operations.
  @Test func aChainOfSumsOfShapesIsWalkedOnce() throws {
    var text = """
      program(1.3) { func main<ios18>(tensor<fp32, [1, 2]> x) {
        tensor<int32, [2]> s0 = shape(x = x);
      """
    for index in 1...60 { text += "tensor<int32, [2]> s\(index) = add(x = s\(index - 1), y = s\(index - 1));" }
    text += """
        tensor<int32, [2]> z = mul(x = s60, y = int32(0));
        tensor<int32, [2]> t = add(x = z, y = tensor<int32, [2]>([1, 2]));
        tensor<fp32, [1, 2]> r = reshape(x = x, shape = t);
        tensor<fp32, [2, 2]> w = train.parameter(x = tensor<fp32, [2, 2]>([[1, 2], [3, 4]]), layer = string("dense"), role = string("weights"));
        tensor<fp32, [1, 2]> a = linear(x = r, weight = w);
        tensor<fp32, [1, 2]> b = reshape(x = a, shape = t);
        tensor<fp32, [1, 2]> l = train.loss(x = b, target = string("y"), kind = string("mean_squared_error"), optimizer = string("sgd"));
      } -> (b); }
      """
    let function = try #require(try MILText.parse(text).functions["main"])
    #expect(ThreadTime.seconds { _ = try? TrainingGraph(function) } < 10)
    let graph = try #require(try TrainingGraph(function))
    #expect(graph.operations.count { $0.type == "add" } == 61)
  }
}
