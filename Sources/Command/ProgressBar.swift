import CoreMLBase
import Foundation
import Synchronization

/// The progress of long work on standard error. A terminal gets one line that is redrawn. A log gets a line from time
/// to time, which names the work even if nothing advances.
final class ProgressBar: Sendable {
  private struct State {
    var line: ProgressLine
    /// When the work of the line began.
    var began: Double
    /// Returns the remark of a line that is about to be shown.
    var remark: (@Sendable () -> String)?
    var drawn = 0.0
  }

  private let started = ProcessInfo.processInfo.systemUptime
  private let state: Mutex<State>
  private let isDrawn: Bool
  private let timer: UncheckedSendable<any DispatchSourceTimer>?
  private static let current = Mutex(false)

  /// Work that takes less time than this shows no line on a terminal.
  private static let delay = 0.25
  /// Seconds until the first line of a log, and between lines.
  private static let (first, period): (Double, Double) = {
    guard let text = ProcessInfo.processInfo.environment["COREML_PROGRESS_SECONDS"], let seconds = Double(text),
      seconds >= 0, seconds < 1e9
    else { return (10, 30) }
    return (seconds, seconds)
  }()

  /// - Parameters:
  ///   - total: Nil if the amount of work is unknown.
  ///   - before: What was done before this process began.
  ///   - isShown: Whether a line may be drawn on a terminal.
  init(
    _ label: String, total: Int?, unit: ProgressLine.Unit = .count, before: Int = 0, isShown: Bool = true
  ) {
    let line = ProgressLine(label: Console.oneLine(label), total: total, unit: unit, before: before, done: before)
    state = Mutex(State(line: line, began: started))
    let isTold = Console.noise != .quiet
    isDrawn = isTold && isShown && Console.errorIsTerminal
    guard isDrawn || (isTold && !Console.errorIsTerminal && Self.period > 0) else {
      timer = nil
      return
    }
    // A separate queue: the work itself may occupy the shared ones.
    let source = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "progress"))
    timer = UncheckedSendable<any DispatchSourceTimer>(source)
    source.setEventHandler { [weak self] in self?.tick() }
    if isDrawn {
      source.schedule(deadline: .now() + Self.delay, repeating: 0.5)
    } else {
      source.schedule(deadline: .now() + Self.first, repeating: Self.period)
    }
    source.resume()
  }

  deinit {
    timer?.value.cancel()
    Self.clearCurrent()
  }

  /// Sets the progress, if it is more than before.
  func reach(_ done: Int) { move(remark: nil) { max($0, done) } }

  /// - Parameter remark: The end of the line, until another remark replaces it.
  func advance(by count: Int = 1, remark: String? = nil) { move(remark: remark) { $0 + count } }

  private func move(remark: String?, _ done: (Int) -> Int) {
    let now = ProcessInfo.processInfo.systemUptime
    let line: ProgressLine? = state.withLock { state in
      state.line.done = done(state.line.done)
      state.line.remark = remark.map(Console.oneLine) ?? state.line.remark
      // Ten updates per second are enough.
      guard isDrawn, now - started > Self.delay, now - state.drawn > 0.1 || state.line.done == state.line.total else {
        return nil
      }
      state.drawn = now
      if let remark = state.remark { state.line.remark = remark() }
      state.line.seconds = now - state.began
      return state.line
    }
    if let line { draw(line) }
  }

  /// Sets the source of each line's remark, called when the line is shown.
  func remark(_ make: @escaping @Sendable () -> String) { state.withLock { $0.remark = make } }

  /// Switches to other work. Work in several parts shares one bar, so its log lines keep one interval.
  func turn(to label: String, total: Int? = nil, unit: ProgressLine.Unit = .count, before: Int = 0) {
    state.withLock { state in
      state.line = ProgressLine(label: Console.oneLine(label), total: total, unit: unit, before: before, done: before)
      state.began = ProcessInfo.processInfo.systemUptime
    }
  }

  /// Shows the label while `body` runs.
  static func during<Result>(_ label: String, _ body: () throws -> Result) rethrows -> Result {
    let progress = ProgressBar(label, total: nil)
    return try withExtendedLifetime(progress, body)
  }

  private func tick() {
    let line = state.withLock { state in
      state.line.seconds = ProcessInfo.processInfo.systemUptime - state.began
      if let remark = state.remark { state.line.remark = remark() }
      return state.line
    }
    if isDrawn { draw(line) } else { Console.complain(line.sentence) }
  }

  private func draw(_ line: ProgressLine) {
    // The last column stays free: some terminals wrap after it.
    let text = line.text(width: Console.errorWidth - 1)
    Self.current.withLock { shown in
      shown = true
      Console.write("\r\u{1B}[K\(text)", to: STDERR_FILENO)
    }
  }

  /// Clears the line on the terminal, to make room for other output.
  static func clearCurrent() {
    current.withLock { shown in
      if shown { Console.write("\r\u{1B}[K", to: STDERR_FILENO) }
      shown = false
    }
  }
}
