import COpenCL

/// Events of some of the launches that a queue was given: what shows that a device which takes long is at work. However many launches there
/// are, the events lie evenly among them, the last one not far from the end.
struct OpenCLProgress: @unchecked Sendable {
  /// The oldest first.
  private var events: [cl_event] = []
  private var launches = 0
  /// Launches from one event to the next: more, the more launches there are.
  private var stride = Self.leastStride

  private static let leastStride = 16
  /// Events at most.
  static let limit = 256

  /// Counts a launch; whether it is to leave an event.
  var isDue: Bool {
    mutating get {
      launches &+= 1
      return launches % stride == 0
    }
  }

  /// Keeps an event until it has ended, or gives way to others: where there are too many, every second one stays.
  mutating func add(_ event: cl_event, _ functions: COpenCLFunctions) {
    if events.capacity == 0 { events.reserveCapacity(Self.limit) }
    if events.count == Self.limit {
      for pair in 0..<Self.limit / 2 {
        _ = functions.clReleaseEvent(events[2 * pair])
        events[pair] = events[2 * pair + 1]
      }
      events.removeLast(Self.limit / 2)
      stride *= 2
    }
    events.append(event)
  }

  /// Whether launches have ended since it was last asked.
  mutating func hasMoved(_ functions: COpenCLFunctions) -> Bool {
    var ended = 0
    for event in events {
      var status: cl_int = 0
      let name = cl_event_info(CL_EVENT_COMMAND_EXECUTION_STATUS)
      guard functions.clGetEventInfo(event, name, 4, &status, nil) == CL_SUCCESS, status <= 0 else { break }
      _ = functions.clReleaseEvent(event)
      ended += 1
    }
    events.removeFirst(ended)
    return ended > 0
  }

  /// Lets go of all.
  mutating func clear(_ functions: COpenCLFunctions) {
    (launches, stride) = (0, Self.leastStride)
    for event in events { _ = functions.clReleaseEvent(event) }
    events.removeAll(keepingCapacity: true)
  }
}
