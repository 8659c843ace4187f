import Foundation

/// 10,000 strings of many scripts, the same as those of `tools/make-tokenizers.py`.
enum SampleText {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Cases/text")
  static let count = 10_000
  /// Strings of a digest.
  static let block = 100

  private struct Source: Decodable {
    let fragments: [String]
    let ranges: [[UInt32]]
  }

  /// SplitMix64.
  private struct Generator {
    var state: UInt64

    mutating func next(_ bound: Int) -> Int {
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
      return Int((mixed ^ (mixed >> 31)) % UInt64(bound))
    }
  }

  static func strings() throws -> [String] {
    let source = try JSONDecoder().decode(
      Source.self, from: Data(contentsOf: folder.appending(path: "strings.json")))
    return (0..<count).map { index in
      var random = Generator(state: UInt64(index))
      var text = String.UnicodeScalarView()
      for _ in 0..<random.next(14) {
        let kind = random.next(10)
        if kind < 6 {
          text += source.fragments[random.next(source.fragments.count)].unicodeScalars
        } else if kind < 8 {
          text += String(repeating: " ", count: random.next(2)).unicodeScalars
          text += source.fragments[random.next(source.fragments.count)].unicodeScalars
        } else {
          let range = source.ranges[random.next(source.ranges.count)]
          for _ in 0..<1 + random.next(4) {
            let value = range[0] + UInt32(random.next(Int(range[1] - range[0] + 1)))
            if let scalar = Unicode.Scalar(value) { text.append(scalar) }
          }
        }
      }
      return String(text)
    }
  }

  /// FNV-1a of integers as 64 bits each, every list after its length.
  static func digests(_ lists: [[Int]]) -> [String] {
    stride(from: 0, to: lists.count, by: block).map { start in
      var value: UInt64 = 0xCBF2_9CE4_8422_2325
      for numbers in lists[start..<min(start + block, lists.count)] {
        for number in [numbers.count] + numbers { value = (value ^ UInt64(number)) &* 0x100_0000_01B3 }
      }
      let digits = String(value, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }
  }
}
