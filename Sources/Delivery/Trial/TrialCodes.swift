extension DeliveryError.Code {
  /// The process of a new model's trial was ended by a signal, or ended without a report.
  public static let trialCrashed = Self(rawValue: "delivery.trial-crashed")
  /// The trial's process was killed by something else (SIGKILL or a stop signal), such as the out-of-memory killer or a
  /// user.
  public static let trialKilled = Self(rawValue: "delivery.trial-killed")
  /// The trial of a new model exceeded its time limit.
  public static let trialTimedOut = Self(rawValue: "delivery.trial-timed-out")
  /// The trial of a new model exceeded its memory limit.
  public static let trialOutOfMemory = Self(rawValue: "delivery.trial-out-of-memory")
  /// No helper program for trials is available, but one is required.
  public static let noTrialHelper = Self(rawValue: "delivery.no-trial-helper")
  /// A model uses custom layers or models of the application that the helper program does not contain.
  static let needsApplication = Self(rawValue: "delivery.needs-application")
  /// An invalid setting in the environment or the configuration.
  public static let badSetting = Self(rawValue: "delivery.bad-setting")
}
