/// The parameters of a request that the protocol defines, over REST and gRPC. Values may be text, since some clients send
/// only text.
package struct RequestParameters: Sendable {
  /// 1 is the most urgent; 0 is the model's default.
  package var priority = 0
  /// From the arrival of the request.
  package var timeout: Duration?
  package var sequence: SequenceStep?
  /// Whether all outputs that do not say otherwise follow the answer's JSON as bytes.
  package var isOutputBinary = false
  /// Parameters that the protocol does not define.
  package var others: [String: ParameterValue]

  package init(_ parameters: [String: ParameterValue]) throws(ServingError) {
    others = parameters
    priority = try Self.count("priority", others.removeValue(forKey: "priority"), most: Int(Int32.max)) ?? 0
    if let microseconds = try Self.count("timeout", others.removeValue(forKey: "timeout")), microseconds > 0 {
      timeout = .microseconds(microseconds)
    }
    isOutputBinary = try Self.flag("binary_data_output", others.removeValue(forKey: "binary_data_output")) ?? false
    let isStart = try Self.flag("sequence_start", others.removeValue(forKey: "sequence_start")) ?? false
    let isEnd = try Self.flag("sequence_end", others.removeValue(forKey: "sequence_end")) ?? false
    let id: String
    switch others.removeValue(forKey: "sequence_id") {
    case nil: id = ""
    case .text(let text): id = text
    case .integer(let value) where value >= 0: id = value == 0 ? "" : String(value)
    default: throw Self.wrong("sequence_id", "text or an integer from 0")
    }
    if !id.isEmpty {
      sequence = SequenceStep(id: id, isStart: isStart, isEnd: isEnd)
    } else if isStart || isEnd {
      throw ServingError(.invalidArgument, "A request that starts or ends a sequence needs a 'sequence_id'.")
    }
  }

  package static func wrong(_ name: String, _ expected: String) -> ServingError {
    ServingError(.invalidArgument, "The parameter '\(name)' must be \(expected).")
  }

  /// An integer from 0; nil if there is no parameter.
  package static func count(_ name: String, _ value: ParameterValue?, most: Int = .max) throws(ServingError) -> Int? {
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

  /// True or false; nil if there is no parameter.
  package static func flag(_ name: String, _ value: ParameterValue?) throws(ServingError) -> Bool? {
    switch value {
    case nil: return nil
    case .bool(let value): return value
    case .integer(0), .text("false"), .text("0"): return false
    case .integer(1), .text("true"), .text("1"): return true
    default: throw wrong(name, "true or false")
    }
  }
}
