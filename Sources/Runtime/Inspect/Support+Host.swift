extension Support.Operation {
  /// Why the CPU computes the operation even if the plan has an OpenCL device; nil if there are OpenCL kernels for it.
  package var reasonForHost: String? {
    guard runs, openCLKernels == 0 else { return nil }
    if let reason = Self.reasons[name] { return reason }
    if name.hasPrefix("constexpr_") { return Self.constant }
    if name.hasPrefix("random_") { return "its numbers must not depend on the device" }
    if name.hasPrefix("ml.") { return "classical models work on single rows, and on labels" }
    if name.hasPrefix("train.") { return "training runs on the CPU" }
    if name.hasPrefix("list_") || name == "make_list" { return Self.lists }
    return "no kernel yet"
  }

  private static let constant = "it is computed when a plan is made"
  private static let control = "the host decides what runs next; what is within runs there too"
  private static let values = "the shape of what it gives depends on values"
  private static let lists = "lists grow while a plan runs"
  private static let session = "no kernel computes it: the value is in the state's memory, or a run copies it"
  private static let code = "the application's own code"

  private static let reasons: [String: String] = [
    "const": constant, "shape": constant, "range_1d": values, "cond": control, "while_loop": control,
    "read_state": session, "write_state": session, "non_zero": values, "classify": "it gives labels",
    "non_maximum_suppression": values, "nn.non_maximum_suppression": values, "nn.custom": code, "ml.custom": code,
  ]
}
