/// The outcome of one request of ``ImageRequestHandler/performAll(_:)``.
public enum VisionResult: Sendable, Equatable, CustomStringConvertible {
  /// The observations of a `CoreMLRequest`.
  case coreML(CoreMLRequest, [any VisionObservation])
  /// The error of a request.
  case error(any VisionRequest, any Error)

  /// The request, and its observations or its error.
  public var description: String {
    switch self {
    case .coreML(let request, let observations): "\(request): \(observations)"
    case .error(let request, let error): "\(request): \(error)"
    }
  }

  /// Whether both have equal requests and outcomes. Errors are equal if their descriptions are.
  public static func == (a: VisionResult, b: VisionResult) -> Bool {
    switch (a, b) {
    case (.coreML(let request, let observations), .coreML(let otherRequest, let others)):
      request == otherRequest && observations.map { AnyHashable($0) } == others.map { AnyHashable($0) }
    case (.error(let request, let error), .error(let otherRequest, let otherError)):
      AnyHashable(request) == AnyHashable(otherRequest) && "\(error)" == "\(otherError)"
    default: false
    }
  }
}
