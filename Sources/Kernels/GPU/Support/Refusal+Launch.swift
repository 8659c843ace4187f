extension Refusal {
  /// Turns an error of a launch's construction into a refusal, because it is not a fault of the model.
  static func onLaunchError<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as KernelError { throw Refusal(error.message) }
  }
}
