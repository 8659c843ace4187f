import COpenCL

/// Events of some of a queue's launches. They show whether a device that takes long still makes progress. The events
/// are spread evenly over the launches, however many there are, and the last one is close to the end.
struct OpenCLProgress: @unchecked Sendable {
  /// Oldest first.
  private var events: [cl_event] = []
  private var launches = 0
  /// Launches from one event to the next. It grows with the number of launches.
  private var stride = Self.leastStride

  private static let leastStride = 16
  /// Limit for the number of events.
  static let limit = 256

  /// Counts a launch. Returns whether the launch should record an event.
  var isDue: Bool {
    mutating get {
      launches &+= 1
      return launches % stride == 0
    }
  }

  /// Keeps an event until it has completed. When there are too many events, every second one is dropped.
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

  /// Whether launches have completed since the last call.
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

  /// Releases all events.
  mutating func clear(_ functions: COpenCLFunctions) {
    (launches, stride) = (0, Self.leastStride)
    for event in events { _ = functions.clReleaseEvent(event) }
    events.removeAll(keepingCapacity: true)
  }
}
