import CPlatform
import Foundation

/// Distinguishes an orderly end of the process from a crash caused by a model.
///
/// An ended process with an unfinished load or prediction counts as a crash of the model. Three crashes bring back the
/// last good model (``HealthPolicy/crashes``). Later processes cannot find out from the kernel why a process ended. So
/// a process that is stopped during a prediction must announce its end:
///
/// - A process that ends with `exit`, or returns from `main`, needs nothing: this is detected.
/// - A process that handles signals calls ``announce()`` when it is asked to stop.
/// - Other processes call ``announce(on:)`` at their start; `SIGTERM` and similar signals then end them as before.
///
/// Undetectable ends count as crashes: SIGKILL (from a supervisor's timeout or the out-of-memory killer) and signals
/// that were not announced. A crash or shutdown of the machine does not count.
public enum CleanShutdownMark {
  /// Announces the end of this process. Unfinished loads and predictions, including later ones, then do not count as
  /// crashes. Completed predictions are still counted. The announcement cannot be undone.
  public static func announce() { cplatform_end_now() }

  /// Announces the end of this process when one of the signals arrives. The signal then has its usual effect.
  ///
  /// - Returns: the signals that the program handles or ignores, for which nothing was installed.
  @discardableResult
  public static func announce(on signals: [Int32] = [SIGTERM, SIGINT, SIGHUP]) -> [Int32] {
    signals.filter { cplatform_end_with($0) != 0 }
  }
}
