// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

extension Specification {
  /// `CoreML.Specification.ItemSimilarityRecommender`
  public struct ItemSimilarityRecommender: MessageView {
    public let message: Message
    public init(_ message: Message) { self.message = message }
    public var itemItemSimilarities: Views<Specification.ItemSimilarityRecommender.SimilarItems> { get throws { try message.views(1, Specification.ItemSimilarityRecommender.SimilarItems.self) } }
    public var itemStringIds: Specification.StringVector? { get throws { try message.message(2).map(Specification.StringVector.init) } }
    public var itemInt64Ids: Specification.Int64Vector? { get throws { try message.message(3).map(Specification.Int64Vector.init) } }
    public var itemInputFeatureName: String { get throws { try message.string(10) } }
    public var numRecommendationsInputFeatureName: String { get throws { try message.string(11) } }
    public var itemRestrictionInputFeatureName: String { get throws { try message.string(12) } }
    public var itemExclusionInputFeatureName: String { get throws { try message.string(13) } }
    public var recommendedItemListOutputFeatureName: String { get throws { try message.string(20) } }
    public var recommendedItemScoreOutputFeatureName: String { get throws { try message.string(21) } }
    /// `CoreML.Specification.ItemSimilarityRecommender.ConnectedItem`
    public struct ConnectedItem: MessageView {
      public let message: Message
      public init(_ message: Message) { self.message = message }
      public var itemId: UInt64 { get throws { try message.uint64(1) } }
      public var similarityScore: Double { get throws { try message.double(2) } }
    }
    /// `CoreML.Specification.ItemSimilarityRecommender.SimilarItems`
    public struct SimilarItems: MessageView {
      public let message: Message
      public init(_ message: Message) { self.message = message }
      public var itemId: UInt64 { get throws { try message.uint64(1) } }
      public var similarItemList: Views<Specification.ItemSimilarityRecommender.ConnectedItem> { get throws { try message.views(2, Specification.ItemSimilarityRecommender.ConnectedItem.self) } }
      public var itemScoreAdjustment: Double { get throws { try message.double(3) } }
    }
  }
}
