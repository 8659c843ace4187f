import CKernelSources

/// What an OpenCL program is compiled from.
package enum OpenCLSource: Sendable, Hashable {
  /// `kernels/cl/<name>.cl`.
  case embedded(String)
  /// A text that was written for an operation, which errors name. It may hold embedded sources (`OpenCLSource.body`).
  case generated(String, for: String)

  /// All that the compiler reads: definitions that every kernel shares, then the source itself.
  func text() throws(KernelError) -> String {
    let shared = try Self.body("common") + Self.body("functions")
    switch self {
    case .embedded(let name): return try shared + Self.body(name)
    case .generated(let text, _): return "\(shared)#line 1 \"generated.cl\"\n\(text)"
    }
  }

  /// Tells programs of one context apart; for whom a text was generated makes no difference to it.
  var identity: String {
    switch self {
    case .embedded(let name): "embedded \(name)"
    case .generated(let text, _): "generated \(text)"
    }
  }

  /// What errors call it.
  var place: String {
    switch self {
    case .embedded(let name): "\(name).cl"
    case .generated(_, let operation): "the source generated for \(operation)"
    }
  }

  /// The text of `kernels/cl/<name>.cl`, numbered as in its file.
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
