import CoreMLBase
import CPlatform
import MIL

/// Identifies a stored weight: equal identities decode to equal values.
struct WeightIdentity: Sendable {
  /// Valid in this process while the weight is kept alive.
  let local: String
  private let weight: StoredWeight

  /// Valid wherever the weight file is the same. Nil if a part has neither an offset in a file nor contents worth
  /// hashing. Found at each call, since only weights that are made ask for it.
  var lasting: String? {
    Self.text("\(weight.type)", weight.form) { Self.place($0) }.map { text in
      Array(text.utf8).withUnsafeBytes { SHA256Digest.hexadecimal(of: $0) }
    }
  }

  init(_ weight: StoredWeight) {
    self.weight = weight
    local = Self.text("\(weight.type)", weight.form) { Self.address($0) } ?? ""
  }

  /// Parts of the file are identified by their address. Small parts, and parts made in this process, by a digest of
  /// their contents.
  private static func address(_ tensor: Tensor) -> String? {
    isMade(tensor) ? contents(tensor) : "\(UInt(bitPattern: tensor.storage.pointer))"
  }

  private static func place(_ tensor: Tensor) -> String? {
    if let origin = tensor.storage.origin { return "\(origin.offset) \(origin.path)" }
    return isMade(tensor) ? contents(tensor) : nil
  }

  private static func isMade(_ tensor: Tensor) -> Bool {
    tensor.storage.mutablePointer != nil || tensor.byteCount <= 1 << 12
  }

  private static func contents(_ tensor: Tensor) -> String {
    tensor.withUnsafeBytes { SHA256Digest.hexadecimal(of: $0) }
  }

  private static func text(_ shape: String, _ form: WeightEncoding, _ part: (Tensor) -> String?) -> String? {
    var words = [shape]
    guard describe(form, part, &words) else { return nil }
    // Lengths separate adjacent words.
    return words.map { "\($0.utf8.count) \($0)" }.joined(separator: "\n")
  }

  /// Appends the structure and the parts of the encoding. Returns false if a part has no identity.
  private static func describe(
    _ form: WeightEncoding, _ part: (Tensor) -> String?, _ words: inout [String]
  ) -> Bool {
    func add(_ tensor: Tensor) -> Bool {
      guard let name = part(tensor) else { return false }
      words += [tensor.scalar.rawValue, "\(tensor.count)", name]
      return true
    }
    switch form {
    case .dense(let numbers):
      words.append("dense")
      return add(numbers.tensor)
    case .rounded(let form):
      words.append("rounded")
      return describe(form, part, &words)
    case .palette(let palette):
      words.append("palette \(palette.key)")
      return describe(palette.indices, part, &words) && describe(palette.lut, part, &words)
    case .scaled(let scale):
      words.append("scaled \(scale.walk.key) \(scale.offset != nil)")
      return describe(scale.data, part, &words) && add(scale.scale) && (scale.offset.map(add) ?? true)
    case .spread(let mask, let form):
      words.append("spread")
      return add(mask.tensor) && describe(form, part, &words)
    case .masked(let mask, let form):
      words.append("masked")
      return add(mask.tensor) && describe(form, part, &words)
    case .gathered(let mask, let form):
      words.append("gathered")
      return add(mask.tensor) && describe(form, part, &words)
    case .joined(let parts):
      words.append("joined \(parts.counts)")
      return parts.forms.allSatisfy { describe($0, part, &words) }
    case .part(let form, let first):
      words.append("from \(first)")
      return describe(form, part, &words)
    }
  }
}
