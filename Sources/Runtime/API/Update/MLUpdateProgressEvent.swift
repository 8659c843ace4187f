/// The moments of a training at which a handler can be called.
public struct MLUpdateProgressEvent: OptionSet, Sendable, Hashable {
  public let rawValue: Int
  public init(rawValue: Int) { self.rawValue = rawValue }

  public static let trainingBegin = MLUpdateProgressEvent(rawValue: 1)
  public static let epochEnd = MLUpdateProgressEvent(rawValue: 2)
  public static let miniBatchEnd = MLUpdateProgressEvent(rawValue: 4)
}
