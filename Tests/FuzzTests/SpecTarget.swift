import CoreMLBase
import CoreMLSpec
import SpecDump

extension FuzzTarget {
  /// A message of any type, with all accessors of all messages in it. The first two bytes select the type in
  /// alphabetical order.
  static let spec = FuzzTarget("spec", longest: 4096) { input in
    guard input.count >= 2 else { return }
    let bytes = Bytes(copying: UnsafeRawBufferPointer(rebasing: input.dropFirst(2)))
    let dump = Dump()
    try Dump.functions[messageType(input)]?(dump, Message(bytes))
  }

  /// The full name of the message type for an input of `spec`.
  static func messageType(_ input: UnsafeRawBufferPointer) -> String {
    types[(Int(input[0]) | Int(input[1]) << 8) % types.count]
  }

  private static let types = Dump.functions.keys.sorted()

  /// A weight file, with an access to every possible entry.
  static let blob = FuzzTarget("blob", longest: 4096) { input in
    let file = try BlobFile(Bytes(copying: input))
    var offset: UInt64 = 0
    while offset <= UInt64(input.count) + 64 {
      if let entry = try? file.entry(atMetadataOffset: offset) {
        let bits = entry.data.count * 8
        guard entry.count * entry.dataType.bits + entry.paddingBits == bits, (0..<8).contains(entry.paddingBits) else {
          throw Finding("the entry at \(offset) has \(entry.count) elements in \(bits) bits")
        }
        _ = entry.data.array.reduce(0, &+)
      }
      offset += 32
    }
  }
}
