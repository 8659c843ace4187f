import CKernels
import MIL
import Testing

@testable import CoreMLKernels

@Suite struct RooflineTests {
  @Test func theLeastTimeIsThatOfArithmeticOrOfTheMemoryThatHoldsTheBytes() {
    let roofline = Roofline(
      flops: 100, levels: [.init(bytes: 10, bytesPerSecond: 1000), .init(bytes: 1000, bytesPerSecond: 10)])
    #expect(roofline.seconds(of: Work(flops: 50, bytes: 10)) == 0.5)
    #expect(roofline.seconds(of: Work(flops: 0, bytes: 10)) == 0.01)
    #expect(roofline.seconds(of: Work(flops: 50, bytes: 100)) == 10)
    // Beyond the largest measured size, the bandwidth stays constant.
    #expect(roofline.seconds(of: Work(flops: 0, bytes: 5000)) == 500)
  }

  @Test func everyInstructionSetIsMeasured() {
    withEachISA { set in
      var out = [Float](repeating: 1, count: 16)
      #expect(ck_measure_fma_f32(3, &out) >= 3 * 2 * 4 && out[0].isFinite, "\(set)")
      // The kernel sums all values that it reads, lane by lane.
      let lanes = ck_block_size()
      ck_measure_read_f32([Float](repeating: 1, count: 256), 256, &out)
      #expect(out.prefix(lanes).reduce(0, +) == 256, "\(set)")
    }
  }

  @Test func aMachineIsMeasured() {
    let roofline = Roofline(measuring: ThreadPool(threads: 2))
    #expect(roofline.flops > 1e8 && roofline.levels.count == 4)
    #expect(roofline.levels.allSatisfy { $0.bytesPerSecond > 1e6 })
    #expect(roofline.levels.map(\.bytes) == roofline.levels.map(\.bytes).sorted())
  }
}
