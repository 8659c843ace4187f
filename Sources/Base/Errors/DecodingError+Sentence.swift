extension DecodingError {
  /// A sentence about a key or a value that is missing or has another type; nil for any other fault.
  package var sentence: String? {
    func place(_ context: Context) -> String {
      context.codingPath.isEmpty ? "the top" : context.codingPath.map(\.stringValue).joined(separator: ".")
    }
    switch self {
    case .keyNotFound(let key, let context): return "\(key.stringValue) is missing in \(place(context))"
    case .valueNotFound(let type, let context): return "expected \(type) for \(place(context)), found null"
    case .typeMismatch(let type, let context): return "expected \(type) for \(place(context)), found something else"
    default: return nil
    }
  }
}
