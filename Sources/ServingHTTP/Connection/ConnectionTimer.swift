import NIOCore

/// One deadline of a connection, which moves often.
///
/// A deadline that moves to a later time leaves the scheduled task where it is: the task schedules itself again. So a
/// busy connection costs a task every few seconds, not one for each request.
final class ConnectionTimer {
  private let loop: any EventLoop
  private let action: () -> Void
  private var deadline: NIODeadline?
  private var task: Scheduled<Void>?
  private var taskTime = NIODeadline.distantFuture

  /// - Parameter action: Is called on the event loop when a deadline passes.
  init(_ loop: any EventLoop, action: @escaping () -> Void) { (self.loop, self.action) = (loop, action) }

  func set(_ duration: Duration) {
    let deadline = NIODeadline.now() + TimeAmount(duration)
    self.deadline = deadline
    guard task == nil || deadline < taskTime else { return }
    task?.cancel()
    schedule(deadline)
  }

  func clear() { deadline = nil }

  /// Ends the timer for good, so that the connection can be freed.
  func cancel() {
    deadline = nil
    task?.cancel()
    task = nil
  }

  private func schedule(_ time: NIODeadline) {
    taskTime = time
    task = loop.assumeIsolated().scheduleTask(deadline: time) { self.fire() }
  }

  private func fire() {
    task = nil
    guard let deadline else { return }
    if NIODeadline.now() >= deadline {
      self.deadline = nil
      action()
    } else {
      schedule(deadline)
    }
  }
}
