/// Texts as an `.npy` array: numpy's `U`, as many UTF-32 scalars each as the longest has.
enum NPYText {
  static func npy(_ texts: [String]) -> [UInt8] {
    let longest = max(texts.map(\.unicodeScalars.count).max() ?? 0, 1)
    var bytes = NPYArray.head("<U\(longest)", [texts.count])
    bytes.reserveCapacity(bytes.count + 4 * longest * texts.count)
    for text in texts {
      for scalar in text.unicodeScalars {
        withUnsafeBytes(of: scalar.value.littleEndian) { bytes.append(contentsOf: $0) }
      }
      bytes.append(contentsOf: repeatElement(0, count: 4 * (longest - text.unicodeScalars.count)))
    }
    return bytes
  }
}
