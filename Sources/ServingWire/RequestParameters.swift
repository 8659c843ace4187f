import CoreMLServingInterface

/// The parameters of a request or an output that the protocol defines. Values may be text, since some clients send only
/// text.
struct RequestParameters {
  /// 1 is the most urgent; 0 is the model's default.
  var priority = 0
  /// When the time of the parameter `timeout` is over.
  var deadline: ContinuousClock.Instant?
  var sequence: SequenceStep?
  /// Parameters that the protocol does not define.
  var others: [String: ParameterValue]

  init(_ parameters: [String: ParameterValue]) throws(ServingError) {
    others = parameters
    guard !parameters.isEmpty else { return }
    priority = try Self.count("priority", others.removeValue(forKey: "priority"), most: Int(Int32.max)) ?? 0
    // A hundred years are as good as no limit, and cannot overflow an instant.
    let timeout = try Self.count("timeout", others.removeValue(forKey: "timeout")) ?? 0
    if timeout > 0 { deadline = .now + .microseconds(min(timeout, 3_155_760_000_000_000)) }
    let isStart = try Self.flag("sequence_start", others.removeValue(forKey: "sequence_start"))
    let isEnd = try Self.flag("sequence_end", others.removeValue(forKey: "sequence_end"))
    let id: String
    switch others.removeValue(forKey: "sequence_id") {
    case nil, .integer(0): id = ""
    case .integer(let number): id = String(number)
    case .text(let text): id = text
    default: throw Self.wrong("sequence_id", "text or an integer")
    }
    if !id.isEmpty {
      sequence = SequenceStep(id: id, isStart: isStart, isEnd: isEnd)
    } else if isStart || isEnd {
      throw ServingError(.invalidArgument, "A request that starts or ends a sequence needs a 'sequence_id'.")
    }
  }

  /// An integer from 0; nil if there is no parameter.
  static func count(_ name: String, _ value: ParameterValue?, most: Int = .max) throws(ServingError) -> Int? {
    let count: Int?
    switch value {
    case nil: return nil
    case .integer(let value): count = Int(value)
    case .number(let value): count = Int(exactly: value)
    case .text(let text): count = Int(text)
    case .bool: count = nil
    }
    guard let count, 0...most ~= count else { throw wrong(name, "an integer from 0") }
    return count
  }

  private static func flag(_ name: String, _ value: ParameterValue?) throws(ServingError) -> Bool {
    switch value {
    case nil, .integer(0), .text("false"), .text("0"): return false
    case .bool(let value): return value
    case .integer(1), .text("true"), .text("1"): return true
    default: throw wrong(name, "true or false")
    }
  }

  private static func wrong(_ name: String, _ expected: String) -> ServingError {
    ServingError(.invalidArgument, "The parameter '\(name)' must be \(expected).")
  }
}
