import CKernelSources

/// The source of an OpenCL program.
package enum OpenCLSource: Sendable, Hashable {
  /// `kernels/cl/<name>.cl`.
  case embedded(String)
  /// A text generated for an operation, which errors name. It may contain embedded sources (`OpenCLSource.body`).
  case generated(String, for: String)

  /// The complete source for the compiler: definitions that all kernels share, then the source itself.
  func text() throws(KernelError) -> String {
    let shared = try Self.body("common") + Self.body("functions")
    switch self {
    case .embedded(let name): return try shared + Self.body(name)
    case .generated(let text, _): return "\(shared)#line 1 \"generated.cl\"\n\(text)"
    }
  }

  /// Distinguishes the programs of one context. The operation that a text was generated for makes no difference.
  var identity: String {
    switch self {
    case .embedded(let name): "embedded \(name)"
    case .generated(let text, _): "generated \(text)"
    }
  }

  /// The name of the source in errors.
  var place: String {
    switch self {
    case .embedded(let name): "\(name).cl"
    case .generated(_, let operation): "the source generated for \(operation)"
    }
  }

  /// The text of `kernels/cl/<name>.cl`, with line numbers as in its file.
  static func body(_ name: String) throws(KernelError) -> String {
    guard let text = all[name] else {
      throw KernelError(.openCLBuild, "there is no OpenCL source named '\(name)'")
    }
    return "#line 1 \"\(name).cl\"\n\(text)\n"
  }

  /// The embedded sources by name.
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
