import MIL

extension CLAttention {
  /// Work-items of a work-group of `attention_few.cl`, and keys of its part.
  static let fewGroup = 128
  /// For more queries, tiles read keys and values less often.
  static let mostFew = 4

  /// Number of work-groups that share the keys of an item.
  static func fewParts(_ form: AttentionShape) -> Int { (form.sources + fewGroup - 1) / fewGroup }

  /// Scratch memory for their partial results.
  static func fewBytes(_ form: AttentionShape) -> Int {
    form.items * form.length * fewParts(form) * (form.width + 2) * 4
  }

  /// The reason why the kernel for a few queries does not support a shape. Nil if it does.
  static func fewRefusal(of form: AttentionShape, on device: OpenCLDevice) -> String? {
    if let reason = refusal(of: form, on: device) { return reason }
    guard form.length <= mostFew else { return "\(form.length) queries: tiles read keys less often" }
    // Each element of the result reads all parts.
    guard fewParts(form) <= 1024 else { return "\(form.sources) keys" }
    let floats = form.length * (form.depth + 2 * fewGroup) + fewGroup
    guard device.maxWorkGroupSize >= fewGroup, floats * 4 <= device.localMemoryBytes / 8 * 7 else {
      return "work-groups are too small"
    }
    return nil
  }
}
