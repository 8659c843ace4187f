extension DeliveryError.Code {
  /// The process that tried a new model was ended by a signal, or ended without a word.
  public static let trialCrashed = Self(rawValue: "delivery.trial-crashed")
  /// It was killed (SIGKILL) by something other than the trial: by the kernel for want of memory, or by a person.
  public static let trialKilled = Self(rawValue: "delivery.trial-killed")
  /// A new model was not compiled, loaded and tried in the time allowed.
  public static let trialTimedOut = Self(rawValue: "delivery.trial-timed-out")
  /// A new model needs more memory than its trial may have.
  public static let trialOutOfMemory = Self(rawValue: "delivery.trial-out-of-memory")
  /// There is no program that tries models in a process of its own, and one was asked for.
  public static let noTrialHelper = Self(rawValue: "delivery.no-trial-helper")
  /// A model has layers of the application, and the program that tries models does not know them.
  static let needsApplication = Self(rawValue: "delivery.needs-application")
  /// A setting, in the environment or the configuration, that is none.
  public static let badSetting = Self(rawValue: "delivery.bad-setting")
}
