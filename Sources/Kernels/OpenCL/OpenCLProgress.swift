import COpenCL

/// Events of some of the launches that a queue was given: what shows that a device which takes long is at work.
struct OpenCLProgress: @unchecked Sendable {
  /// The oldest first.
  private var events: [cl_event] = []
  private var launches = 0

  /// Launches from one event to the next.
  private static let stride = 16
  /// Events at most.
  private static let limit = 256

  /// Counts a launch; whether it is to leave an event.
  var isDue: Bool {
    mutating get {
      launches &+= 1
      return launches % Self.stride == 0 && events.count < Self.limit
    }
  }

  mutating func add(_ event: cl_event) {
    if events.capacity == 0 { events.reserveCapacity(Self.limit) }
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
    launches = 0
    for event in events { _ = functions.clReleaseEvent(event) }
    events.removeAll(keepingCapacity: true)
  }
}
