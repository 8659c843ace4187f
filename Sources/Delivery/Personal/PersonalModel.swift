import Foundation

/// A model trained on this device, from a publisher's model or a baseline.
public struct PersonalModel: Sendable, Hashable, Codable {
  /// The model's ``TreeDigest``, its key in the store.
  public let tree: String
  /// The ``TreeDigest`` of the base model.
  public let base: String
  /// The release number of the base; nil for a baseline.
  public let release: Int?
  /// When it was trained.
  public let trained: Timestamp

  /// Creates a description of a personalised model.
  public init(tree: String, base: String, release: Int?, trained: Timestamp) {
    (self.tree, self.base, self.release, self.trained) = (tree, base, release, trained)
  }
}

/// The personalised models of one name: `data/personal/NAME.json`. The record is stored with the models instead of the
/// state, so that backups of the models include it.
struct PersonalRecord: Codable, Equatable, FormattedRecord {
  /// An unfinished retraining on a new base. The count limits retries of a training that crashes its process.
  struct Attempt: Codable, Equatable {
    let base: String
    var count: Int
  }

  static let format = 1
  /// The newest model, and its predecessor until the newest one is proven.
  static let limit = 2

  var format: Int = Self.format
  /// Newest first.
  var models: [PersonalModel] = []
  var attempt: Attempt?

  func attempts(on base: String) -> Int { attempt?.base == base ? attempt?.count ?? 0 : 0 }
}

extension DeliveryError.Code {
  /// Retraining on a new base failed; the previous model stays in use.
  public static let retrainingFailed = Self(rawValue: "delivery.retraining-failed")
  /// No personalised model has this name.
  public static let notPersonalised = Self(rawValue: "delivery.not-personalised")
}
