import CKernels
import CoreMLBase
import CoreMLSpec
import Foundation
import MIL
import Synchronization
import Testing

@testable import CoreMLKernels

@Suite struct WeightStoreTests {
  private func half(_ rows: Int, _ columns: Int, seed: Int = 1) throws -> (StoredWeight, [Float]) {
    var random = Random(seed)
    let tensor = try Tensor(
      .float16, shape: [rows, columns], doubles: random.floats(rows * columns).map { Double($0) })
    let call = Invocation(
      operation: Operation(
        "constexpr_cast", inputs: ["source_val": [.tensor(tensor)], "output_dtype": [.string("fp32")]],
        outputs: [NamedType("w", .tensor(TensorType(.float32, [rows, columns])))]),
      inputTypes: ["source_val": [.tensor(tensor.type)], "output_dtype": [Value.string("fp32").type]],
      values: ["source_val": [.tensor(tensor)], "output_dtype": [.string("fp32")]])
    let stored = try #require(StoredWeight(tensor))
    return (
      try #require(try StoredWeight.results(of: call, ["source_val": stored])?.first),
      try tensor.doubles().map { Float($0) }
    )
  }

  /// Packing from the file's encoding and from fp32, as a whole and in parts, gives the same bytes.
  @Test func packingDecodesWhatItPacks() throws {
    let preparation = Preparation(weights: WeightStore())
    for (rows, depth) in [(1, 1), (7, 5), (33, 300), (65, 513), (700, 260)] {
      let (weight, floats) = try half(rows, depth)
      let dense = try #require(StoredWeight(Tensor(float32: floats, shape: [rows, depth])))
      let cases: [(String, Int, (StoredWeight) throws -> PackedWeights, (UnsafeMutablePointer<Float>) -> Void)] = [
        (
          "left", ck_gemm_packed_a_size(rows, depth),
          { try PackedWeights.left($0, groups: 1, rows: rows, depth: depth, preparation) },
          { ck_gemm_pack_a_f32(rows, depth, floats, depth, 1, $0) }
        ),
        (
          "columns", ck_gemm_prepacked_packed_weights_size(depth, rows),
          { try PackedWeights.columns($0, depth: depth, columns: rows, transposed: true, preparation) },
          {
            ck_gemm_prepacked_pack_weights_f32(
              depth, rows, floats, 1, depth, 0, depth, 0, ck_gemm_prepacked_units(rows), $0)
          }
        ),
        (
          "columns, rows first", ck_gemm_prepacked_packed_weights_size(rows, depth),
          { try PackedWeights.columns($0, depth: rows, columns: depth, transposed: false, preparation) },
          {
            ck_gemm_prepacked_pack_weights_f32(
              rows, depth, floats, depth, 1, 0, rows, 0, ck_gemm_prepacked_units(depth), $0)
          }
        ),
      ]
      for (name, size, pack, reference) in cases {
        var expected = [Float](repeating: 0, count: size)
        expected.withUnsafeMutableBufferPointer { if let target = $0.baseAddress { reference(target) } }
        for (kind, weight) in [("stored", weight), ("dense", dense)] {
          let packed = try pack(weight)
          let found = withExtendedLifetime(packed) { Array(UnsafeBufferPointer(start: packed.pointer, count: size)) }
          expectEqual(found, expected, "\(kind) \(name) \(rows)x\(depth)")
        }
      }
    }
  }

  @Test func groupsArePackedOneAfterTheOther() throws {
    let (weight, floats) = try half(3 * 20, 45)
    let packed = try PackedWeights.left(
      weight, groups: 3, rows: 20, depth: 45, Preparation(weights: WeightStore()))
    let size = ck_gemm_packed_a_size(20, 45)
    for group in 0..<3 {
      var expected = [Float](repeating: 0, count: size)
      floats.withUnsafeBufferPointer { ck_gemm_pack_a_f32(20, 45, $0.baseAddress! + group * 900, 45, 1, &expected) }
      let found = withExtendedLifetime(packed) {
        Array(UnsafeBufferPointer(start: packed.pointer + group * size, count: size))
      }
      expectEqual(found, expected, "\(group)")
    }
  }

  /// Equal requests share memory while any reader holds it, and concurrent requests create it once.
  @Test func formsAreMadeOnceAndLetGo() throws {
    let store = WeightStore()
    let (weight, _) = try half(64, 64)
    let recipe = PackingRecipe("test", [64], byteCount: 1 << 18)
    let count = Counter()
    @Sendable func pack() throws -> PackedMemory {
      try store.packed(weight, recipe) { bytes in
        count.add()
        Thread.sleep(forTimeInterval: 0.02)
        bytes.storeBytes(of: 42, as: UInt64.self)
      }
    }
    let made = Mutex<[PackedMemory]>([])
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      if let memory = try? pack() { made.withLock { $0.append(memory) } }
    }
    let all = made.withLock { $0 }
    #expect(all.count == 8 && count.value == 1 && store.madeCount == 1)
    #expect(
      all.allSatisfy { $0 === all[0] } && withExtendedLifetime(all) { all[0].pointer.load(as: UInt64.self) } == 42)
    #expect(withExtendedLifetime(all) { store.byteCount } == 1 << 18)
    _ = try store.packed(weight, PackingRecipe("test", [65], byteCount: 64)) { _ in }
    #expect(store.madeCount == 2, "another recipe is another form")
    let dense = try store.dense(weight)
    #expect(try store.dense(weight).storage === dense.storage)
  }

  /// Packed weights of an encrypted model are in secret memory, as the weights themselves are.
  @Test func formsOfSecretWeightsAreSecret() throws {
    let count = 64 * 1024
    let secret = Bytes(try SecretMemory(count: count * 4))
    let recipe = PackingRecipe("test", [64], byteCount: 1 << 18)
    func flags(_ owner: AnyObject?) throws -> [Substring] {
      let storage = TensorStorage(borrowing: secret.pointer, byteCount: count * 4, owner: owner)
      let weight = try #require(StoredWeight(Tensor(.float32, shape: [count], storage: storage)))
      let memory = try WeightStore().packed(weight, recipe) { $0.storeBytes(of: 42, as: UInt64.self) }
      return try withExtendedLifetime(memory) {
        #expect(memory.pointer.load(as: UInt64.self) == 42)
        let maps = try #require(try FileHandle(forReadingAtPath: "/proc/self/smaps")?.readToEnd())
        let lines = String(decoding: maps, as: UTF8.self).split(separator: "\n")
        let address = UInt(bitPattern: memory.pointer)
        let area = lines.firstIndex { line in
          let ends = line.prefix { $0 != " " }.split(separator: "-").compactMap { UInt($0, radix: 16) }
          return ends.count == 2 && ends[0] <= address && address < ends[1]
        }
        return lines[try #require(area)...].first { $0.hasPrefix("VmFlags:") }?.split(separator: " ") ?? []
      }
    }
    #expect(try flags(secret.owner).contains("dd"))
    #expect(try !flags(nil).contains("dd"))
  }

  @Test func whatNobodyHoldsIsGone() throws {
    let store = WeightStore()
    let (weight, _) = try half(64, 64)
    let recipe = PackingRecipe("test", [64], byteCount: 1 << 18)
    do {
      let memory = try store.packed(weight, recipe) { _ in }
      #expect(withExtendedLifetime(memory) { store.byteCount } == memory.byteCount)
    }
    #expect(store.byteCount == 0)
    _ = try store.packed(weight, recipe) { _ in }
    #expect(store.madeCount == 2)
  }

  private final class Counter: Sendable {
    private let count = Mutex(0)
    func add() { count.withLock { $0 += 1 } }
    var value: Int { count.withLock { $0 } }
  }

  @Test func whatFailsIsTriedAgain() throws {
    let store = WeightStore()
    let (weight, _) = try half(8, 8)
    let recipe = PackingRecipe("test", [], byteCount: 64)
    #expect(throws: KernelError.self) {
      try store.packed(weight, recipe) { _ in throw KernelError(.outOfMemory, "no") }
    }
    let memory = try store.packed(weight, recipe) { $0.storeBytes(of: 7, as: UInt8.self) }
    #expect(withExtendedLifetime(memory) { memory.pointer.load(as: UInt8.self) } == 7)
    // The budget refuses the request before any allocation.
    #expect(throws: MILError.self) {
      try store.packed(weight, PackingRecipe("huge", [], byteCount: 1 << 60)) { _ in }
    }
  }
}
