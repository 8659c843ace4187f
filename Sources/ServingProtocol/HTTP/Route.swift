import CoreMLServingInterface

/// What a path of the REST protocol asks for.
package enum Route: Sendable, Equatable {
  case live, ready, server, models, metrics
  case index
  case modelReady(String, String?)
  case model(String, String?)
  case config(String, String?)
  case statistics(String?, String?)
  case infer(String, String?)
  case load(String)
  case unload(String)
  case sharedMemoryStatus
  case sharedMemoryRegister
  case sharedMemoryUnregister
  /// A path of the protocol that the server does not implement, and why.
  case unsupported(String)
  /// Not a path of the protocol.
  case unknown

  /// The methods that the path has; empty for an unknown one.
  package var methods: [String] {
    switch self {
    case .infer, .index, .load, .unload, .sharedMemoryRegister, .sharedMemoryUnregister: ["POST"]
    case .unsupported: ["GET", "HEAD", "POST"]
    case .unknown: []
    default: ["GET", "HEAD"]
    }
  }

  package enum Scope: String, Sendable, CaseIterable { case infer, read, admin }

  /// The scope that a token needs; nil for the health of the server, which probes ask for without a token.
  package var scope: Scope? {
    switch self {
    case .live, .ready: nil
    case .infer: .infer
    case .load, .unload, .sharedMemoryRegister, .sharedMemoryUnregister: .admin
    default: .read
    }
  }

  /// The name of the model, for logs.
  package var model: String? {
    switch self {
    case .modelReady(let name, _), .model(let name, _), .config(let name, _), .infer(let name, _), .load(let name),
      .unload(let name):
      name
    case .statistics(let name, _): name
    default: nil
    }
  }

  /// - Parameter target: The request target: the path, possibly with a query.
  /// - Throws: `invalidArgument` if the path is not percent-encoded UTF-8.
  package init(target: String) throws(ServingError) {
    var parts: [String] = []
    for part in Self.path(target).split(separator: "/", omittingEmptySubsequences: true) {
      guard let decoded = Self.decoded(part) else {
        throw ServingError(.invalidArgument, "The path is not percent-encoded UTF-8.")
      }
      parts.append(decoded)
    }
    self = Self.route(parts[...])
  }

  /// The path of a target. Clients of proxies send the whole address.
  private static func path(_ target: String) -> Substring {
    var rest = target.prefix { $0 != "?" && $0 != "#" }
    for scheme in ["http://", "https://"] where rest.hasPrefix(scheme) {
      rest = rest.dropFirst(scheme.count).drop { $0 != "/" }
    }
    return rest
  }

  private static func route(_ parts: ArraySlice<String>) -> Route {
    var rest = parts
    switch rest.popFirst() {
    case "metrics": return rest.isEmpty ? .metrics : .unknown
    case "v2": break
    default: return .unknown
    }
    let first = rest.popFirst()
    let words = Array(rest)
    switch (first, words) {
    case (nil, _): return .server
    case ("health", ["live"]): return .live
    case ("health", ["ready"]): return .ready
    case ("models", []): return .models
    case ("models", ["stats"]): return .statistics(nil, nil)
    case ("models", _): return model(words)
    case ("repository", ["index"]): return .index
    case ("repository", _):
      guard words.count == 3, words[0] == "models" else { return .unknown }
      return words[2] == "load" ? .load(words[1]) : words[2] == "unload" ? .unload(words[1]) : .unknown
    case ("systemsharedmemory", _): return sharedMemory(words)
    case ("cudasharedmemory", _): return .unsupported("The server does not use CUDA shared memory.")
    case ("trace", ["setting"]): return .unsupported(noTrace)
    case ("logging", []): return .unsupported("Log settings cannot be changed by a request.")
    default: return .unknown
    }
  }

  private static let noTrace = "Trace settings cannot be changed by a request."

  private static func model(_ words: [String]) -> Route {
    let name = words[0]
    var (version, rest): (String?, ArraySlice<String>) = (nil, words.dropFirst())
    if rest.first == "versions", rest.count >= 2 {
      rest = rest.dropFirst()
      version = rest.popFirst()
    }
    switch Array(rest) {
    case []: return .model(name, version)
    case ["ready"]: return .modelReady(name, version)
    case ["infer"]: return .infer(name, version)
    case ["config"]: return .config(name, version)
    case ["stats"]: return .statistics(name, version)
    case ["trace", "setting"]: return .unsupported(noTrace)
    case ["generate"], ["generate_stream"], ["infer_stream"]:
      return .unsupported("The server does not generate text; use 'infer'.")
    default: return .unknown
    }
  }

  private static func sharedMemory(_ words: [String]) -> Route {
    var rest = words[...]
    if rest.first == "region", rest.count >= 2 { rest = rest.dropFirst(2) }
    switch Array(rest) {
    case ["status"]: return .sharedMemoryStatus
    case ["register"]: return .sharedMemoryRegister
    case ["unregister"]: return .sharedMemoryUnregister
    default: return .unknown
    }
  }

  private static func decoded(_ part: Substring) -> String? {
    guard part.utf8.contains(UInt8(ascii: "%")) else { return String(part) }
    var bytes: [UInt8] = []
    var rest = part.utf8
    func digit(_ byte: UInt8?) -> UInt8? {
      switch byte {
      case .some(let byte) where byte >= 0x30 && byte <= 0x39: byte - 0x30
      case .some(let byte) where byte | 0x20 >= 0x61 && byte | 0x20 <= 0x66: (byte | 0x20) - 0x61 + 10
      default: nil
      }
    }
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else { bytes.append(byte); continue }
      guard let high = digit(rest.popFirst()), let low = digit(rest.popFirst()) else { return nil }
      bytes.append(high << 4 | low)
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
