import CoreMLRuntime

/// How models are loaded and unloaded while the server runs.
package enum ModelControl: String, Sendable, CaseIterable {
  /// All models are loaded at the start. Nothing changes afterwards.
  case none
  /// All models are loaded at the start. The server follows changes of their files.
  case poll
  /// Models named on the command line are loaded at the start, others on request.
  case explicit
}

/// Settings of a server.
package struct ServerSettings: Sendable {
  package var scheduler = SchedulerSettings()
  /// The longest expected wait that is admitted, in seconds; nil for ten times the median run of each model.
  package var maximumWait: Double?
  /// The bytes for models and tensors.
  package var memoryLimit = MLModelConfiguration.memoryOfModels
  package var control = ModelControl.none
  /// How many of the newest versions of a model are served; nil for all.
  package var versions: Int? = 1
  package var pollInterval = Duration.seconds(1)
  /// Whether an update may change inputs or outputs that clients use.
  package var allowsInterfaceChange = false

  package init() {}
}
