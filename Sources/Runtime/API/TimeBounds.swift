import CoreMLBase
import MIL

extension RuntimeLimits {
  /// Runs code that loads, compiles or inspects a model under these limits, including the load time limit.
  package func loading<Result>(_ what: String, _ body: () throws -> Result) throws -> Result {
    try Self.$given.withValue(self) { try Self.within(loadTime, .loadTime, what, body) }
  }

  /// Runs a prediction under its time limit. The time includes the wait for admission.
  func predicting<Result>(_ body: () throws -> Result) throws -> Result {
    try Self.within(predictionTime, .predictionTime, "the prediction", body)
  }

  /// Runs a training under its time limit.
  func training<Result>(_ body: () throws -> Result) throws -> Result {
    try Self.within(trainingTime, .trainingTime, "the training", body)
  }

  private static func within<Result>(
    _ seconds: Double?, _ limit: RuntimeLimit, _ what: String, _ body: () throws -> Result
  ) throws -> Result {
    guard let seconds else { return try body() }
    let outer = Cancellation.current
    let end = Cancellation(after: seconds, within: outer)
    do { return try end.during(body) } catch {
      guard end.isOverdue, outer?.isCancelled != true, isStopped(error) else { throw error }
      throw overTime(seconds, limit, what, error)
    }
  }

  /// The error of a prediction that waited and ran under a cancellation with the time limit.
  func predictionError(_ error: any Error, endedBy end: Cancellation) -> any Error {
    guard let predictionTime, end.isOverdue, Self.isStopped(error) else { return error }
    return Self.overTime(predictionTime, .predictionTime, "the prediction", error)
  }

  private static func overTime(
    _ seconds: Double, _ limit: RuntimeLimit, _ what: String, _ error: any Error
  ) -> MLModelError {
    MLModelError(
      .predictionCancelled, "\(what) took longer than \(limit.text(seconds)) and was stopped (\(limit.variable))",
      underlyingCode: MILError.Code.overTime.rawValue, underlying: error)
  }

  private static func isStopped(_ error: any Error) -> Bool {
    switch error {
    case let error as MLModelError: error.code == .predictionCancelled
    case let error as RuntimeError: error.code == .cancelled
    case let error as MILError: error.code == .cancelled
    default: false
    }
  }
}
