import Foundation

/// A model that was trained on this device, from one that came from a publisher or with the software.
public struct PersonalModel: Sendable, Hashable, Codable {
  /// ``TreeDigest`` of the model, under which the store has it.
  public let tree: String
  /// ``TreeDigest`` of the model that it was trained from.
  public let base: String
  /// The number of the release that the base came as; nil where it came with the software.
  public let release: Int?
  /// When it was trained.
  public let trained: Timestamp

  /// What is known of a personalised model.
  public init(tree: String, base: String, release: Int?, trained: Timestamp) {
    (self.tree, self.base, self.release, self.trained) = (tree, base, release, trained)
  }
}

/// The personalised models of one name: `data/personal/NAME.json`. It lies with the models, not with the state: a backup that has them must
/// know what they are.
struct PersonalRecord: Codable, Equatable, FormattedRecord {
  /// A training on a new base that has begun. One that takes its process along, again and again, is not begun for ever.
  struct Attempt: Codable, Equatable {
    let base: String
    var count: Int
  }

  static let format = 1
  /// The newest, and the one before it until the newest has proved itself.
  static let limit = 2

  var format: Int = Self.format
  /// The newest first.
  var models: [PersonalModel] = []
  var attempt: Attempt?

  func attempts(on base: String) -> Int { attempt?.base == base ? attempt?.count ?? 0 : 0 }
}

extension DeliveryError.Code {
  /// A personalised model could not be trained on a new base; the one before stays in use.
  public static let retrainingFailed = Self(rawValue: "delivery.retraining-failed")
  /// There is no personalised model of the name.
  public static let notPersonalised = Self(rawValue: "delivery.not-personalised")
}
