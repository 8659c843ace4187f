import CPlatform
import Foundation

/// Tells a process that ends in order from one that dies of a model.
///
/// A process that is no more and had begun a load or a prediction counts as one that died in it: three such bring the last good model back
/// (``HealthPolicy/crashes``). The kernel does not tell those who come later why a process ended, so a process that is stopped while it
/// predicts must say so itself:
///
/// - One that ends by `exit`, or by returning from `main`, needs nothing: this is noticed.
/// - One that handles its signals calls ``announce()`` when it is told to stop.
/// - One that does not calls ``announce(on:)`` at its start; `SIGTERM` and the like end it as before.
///
/// What cannot be noticed and counts: SIGKILL, also from a supervisor that lost its patience or from a kernel that is out of memory, and
/// signals that nobody announced. What the machine takes along when it ends does not count.
public enum CleanShutdownMark {
  /// This process is about to end: loads and predictions that run, and those that still begin, are no crash if they do not come to their
  /// end. Good and failed predictions are counted on. This cannot be taken back.
  public static func announce() { cplatform_end_now() }

  /// Announces the end when one of the signals comes, which then has its usual effect.
  ///
  /// - Returns: signals that the program handles or ignores, and that are therefore left as they are.
  @discardableResult
  public static func announce(on signals: [Int32] = [SIGTERM, SIGINT, SIGHUP]) -> [Int32] {
    signals.filter { cplatform_end_with($0) != 0 }
  }
}
