import CKernelSources

/// The embedded OpenCL C sources of `kernels/cl`.
enum OpenCLSource {
  /// The text of `cl/<name>.cl` after the definitions that all kernels share.
  static func text(_ name: String) throws(KernelError) -> String {
    guard let common = all["common"], let functions = all["functions"], let text = all[name] else {
      throw KernelError(.openCLBuild, "there is no OpenCL source named '\(name)'")
    }
    return "#line 1 \"common.cl\"\n\(common)\n#line 1 \"functions.cl\"\n\(functions)\n#line 1 \"\(name).cl\"\n\(text)"
  }

  static let all: [String: String] = {
    var sources: [String: String] = [:]
    for index in 0..<ck_source_count() {
      guard let name = ck_source_name(index), let text = ck_source_text(index) else { continue }
      let bytes = UnsafeRawBufferPointer(start: text, count: ck_source_length(index))
      sources[String(cString: name)] = String(decoding: bytes, as: UTF8.self)
    }
    return sources
  }()
}
