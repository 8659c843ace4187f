/// The events of a training for which a handler can be called.
public struct MLUpdateProgressEvent: OptionSet, Sendable, Hashable {
  public let rawValue: Int
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Before the first mini-batch. There are no metrics yet.
  public static let trainingBegin = MLUpdateProgressEvent(rawValue: 1)
  /// After the last mini-batch of each epoch.
  public static let epochEnd = MLUpdateProgressEvent(rawValue: 2)
  /// After each mini-batch.
  public static let miniBatchEnd = MLUpdateProgressEvent(rawValue: 4)
}
