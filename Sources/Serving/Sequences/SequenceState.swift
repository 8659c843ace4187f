import CoreMLRuntime

/// The state of a sequence of requests. The scheduler runs one request of a sequence at a time, in order.
package final class SequenceState: Sendable {
  package let state: MLState

  package init(_ state: MLState) { self.state = state }
}
