import Foundation
import Testing

@testable import MIL

@Suite struct NestedDictionaryTests {
  @Test func whatABlockChangesIsAsItWas() {
    var names = NestedDictionary<String, Int>()
    names["a"] = 1
    names["b"] = 2
    names.enter()
    names["a"] = 10
    names["c"] = 3
    names.enter()
    names["a"] = nil
    names["b"] = 20
    #expect(names.all == ["b": 20, "c": 3])
    names.leave()
    #expect(names.all == ["a": 10, "b": 2, "c": 3])
    names["b"] = nil
    names.leave()
    #expect(names.all == ["a": 1, "b": 2])
    names.leave()
    #expect(names.all == ["a": 1, "b": 2])
  }

  /// A block sees the names of the outer scope, and its own names end with it. Different blocks may use the same names.
  @Test func blocksDefineNamesOfTheirOwn() throws {
    func program(_ second: String) -> String {
      """
      program(1.3) { func main<ios18>(tensor<fp32, [2]> x, bool p) {
        tensor<fp32, [2]> a = cond(pred = p) block() { tensor<fp32, [2]> t = square(x = x); } -> (t)
          block() { tensor<fp32, [2]> t = abs(x = x); } -> (t);
        tensor<fp32, [2]> y = square(x = \(second));
      } -> (y); }
      """
    }
    try MILText.parse(program("a")).verify()
    #expect(throws: MILError.self) { try MILText.parse(program("t")).verify() }
  }

  /// The cost of a block depends on its operations, not on the size of the outer scope.
  @Test func manyBlocksAreVerifiedInTheTimeOfTheirSum() throws {
    func seconds(_ count: Int) throws -> Double {
      var text = "program(1.3){func main<ios18>(tensor<fp32, [2]> v0, bool p){"
      for index in 1...count {
        text +=
          "tensor<fp32, [2]> v\(index) = cond(pred = p) block(){tensor<fp32, [2]> a = square(x = v\(index - 1));}->(a) block(){tensor<fp32, [2]> b = abs(x = v\(index - 1));}->(b);"
      }
      let program = try MILText.parse(text + "}->(v\(count));}")
      // The thread's CPU time, which other load on the machine does not affect.
      func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + 1e-9 * Double(time.tv_nsec)
      }
      let times = try (0..<3).map { _ in
        let begin = now()
        try program.verify()
        return now() - begin
      }
      return times.min() ?? 0
    }
    let (few, many) = (try seconds(1000), try seconds(8000))
    #expect(many < 24 * few, "1,000 blocks \(few) s, 8,000 \(many) s")
  }
}
