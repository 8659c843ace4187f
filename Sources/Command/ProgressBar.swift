import Foundation
import Synchronization

/// How far long work is, on standard error where that is a terminal; silent elsewhere.
final class ProgressBar: Sendable {
  private struct State {
    var done = 0
    var drawn: Double = 0
    var remark = ""
  }

  private let label: String
  private let total: Int?
  private let started = ProcessInfo.processInfo.systemUptime
  private let state = Mutex(State())
  private let isShown: Bool
  private static let current = Mutex(false)

  /// - Parameter total: nil when nobody knows how much there is to do.
  init(_ label: String, total: Int?, isShown: Bool = true) {
    self.label = label
    self.total = total
    self.isShown = isShown && Console.errorIsTerminal
    draw(0, at: started)
  }

  deinit { Self.clearCurrent() }

  /// - Parameter remark: stands behind the bar until another does.
  func advance(by count: Int = 1, remark: String? = nil) {
    let now = ProcessInfo.processInfo.systemUptime
    let drawn: (done: Int, remark: String)? = state.withLock { state in
      state.done += count
      state.remark = remark ?? state.remark
      // Ten times a second is enough for eyes.
      guard now - state.drawn > 0.1 || state.done == total else { return nil }
      state.drawn = now
      return (state.done, state.remark)
    }
    if let drawn { draw(drawn.done, at: now, drawn.remark) }
  }

  private func draw(_ done: Int, at now: Double, _ remark: String = "") {
    guard isShown else { return }
    let seconds = now - started
    var line = "\(label)  "
    if let total, total > 0 {
      let width = 24
      let filled = min(width * done / total, width)
      line +=
        "[\(String(repeating: "#", count: filled))\(String(repeating: ".", count: width - filled))] \(done)/\(total)"
    } else {
      line += "\(done)"
    }
    if done > 0, seconds > 1 {
      line += String(format: "  %.1f/s", Double(done) / seconds)
      if let total, total > done {
        let left = Int(seconds / Double(done) * Double(total - done))
        line += String(format: "  %d:%02d left", left / 60, left % 60)
      }
    }
    if !remark.isEmpty { line += "  \(remark)" }
    Self.current.withLock { $0 = true }
    Console.write("\r\u{1B}[K\(line)", to: STDERR_FILENO)
  }

  /// Takes the bar off the line, so that other words can stand there.
  static func clearCurrent() {
    if current.withLock({ shown in
      defer { shown = false }
      return shown
    }) {
      Console.write("\r\u{1B}[K", to: STDERR_FILENO)
    }
  }
}
