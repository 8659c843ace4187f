import CoreMLBase
import CoreMLSpec

/// How libFuzzer mutates an input: messages mostly field by field, and everything else and sometimes messages byte by
/// byte.
enum Mutation {
  /// The root message of the first file, for targets whose input is a message.
  private static func root(_ target: FuzzTarget?, _ input: UnsafeRawBufferPointer) -> (type: String, prefix: Int)? {
    switch target?.name {
    case "network", "program", "classical": ("CoreML.Specification.Model", 0)
    case "spec" where input.count >= 2: (FuzzTarget.messageType(input), 2)
    default: nil
    }
  }

  private struct Dice: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (state ^ state >> 29) &* 0xbf58_476d_1ce4_e5b9
    }
  }

  /// Overwrites the input with the new one and returns its size, which is at most `limit`.
  static func mutate(
    _ target: FuzzTarget?, _ start: UnsafeMutablePointer<UInt8>, _ count: Int, _ limit: Int, _ seed: UInt32
  ) -> Int {
    let input = UnsafeRawBufferPointer(start: start, count: count)
    var dice = Dice(state: UInt64(seed))
    guard let (type, prefix) = root(target, input), Int.random(in: 0..<8, using: &dice) > 0 else {
      return bytewise(start, count, limit)
    }
    let end = (0..<count).first { input[$0...].starts(with: Parts.mark) } ?? count
    guard end >= prefix else { return bytewise(start, count, limit) }
    var tree = MessageTree(type, Bytes(copying: UnsafeRawBufferPointer(rebasing: input[prefix..<end])))
    for _ in 0..<Int.random(in: 1...3, using: &dice) {
      var all: [String: [MessageTree]] = [:]
      tree.collect(into: &all)
      tree.mutate(at: Int.random(in: 0...tree.count, using: &dice), all, &dice, changed)
    }
    var writer = WireWriter()
    tree.write(to: &writer)
    let made = Array(input[..<prefix]) + writer.bytes + Array(input[end...])
    guard made.count <= limit else { return bytewise(start, count, limit) }
    for (index, byte) in made.enumerated() { start[index] = byte }
    return made.count
  }

  /// Mutates bytes with libFuzzer's own mutator, which may slightly change their number.
  private static func changed(_ bytes: [UInt8]) -> [UInt8] {
    let limit = bytes.count + 16
    var buffer = bytes + [UInt8](repeating: 0, count: 16)
    let count = buffer.withUnsafeMutableBufferPointer { buffer in
      buffer.baseAddress.map { bytewise($0, bytes.count, limit) } ?? 0
    }
    return Array(buffer.prefix(count))
  }
}

@_silgen_name("LLVMFuzzerMutate")
private func bytewise(_ start: UnsafeMutablePointer<UInt8>, _ count: Int, _ limit: Int) -> Int
