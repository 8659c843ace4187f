// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

extension Specification {
  /// `CoreML.Specification.ItemSimilarityRecommender`
  package struct ItemSimilarityRecommender: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var itemItemSimilarities: Views<Specification.ItemSimilarityRecommender.SimilarItems> { get throws { try message.views(1, Specification.ItemSimilarityRecommender.SimilarItems.self) } }
    package var itemStringIds: Specification.StringVector? { get throws { try message.message(2).map(Specification.StringVector.init) } }
    package var itemInt64Ids: Specification.Int64Vector? { get throws { try message.message(3).map(Specification.Int64Vector.init) } }
    package var itemInputFeatureName: String { get throws { try message.string(10) } }
    package var numRecommendationsInputFeatureName: String { get throws { try message.string(11) } }
    package var itemRestrictionInputFeatureName: String { get throws { try message.string(12) } }
    package var itemExclusionInputFeatureName: String { get throws { try message.string(13) } }
    package var recommendedItemListOutputFeatureName: String { get throws { try message.string(20) } }
    package var recommendedItemScoreOutputFeatureName: String { get throws { try message.string(21) } }
    /// `CoreML.Specification.ItemSimilarityRecommender.ConnectedItem`
    package struct ConnectedItem: MessageView {
      package let message: Message
      package init(_ message: Message) { self.message = message }
      package var itemId: UInt64 { get throws { try message.uint64(1) } }
      package var similarityScore: Double { get throws { try message.double(2) } }
    }
    /// `CoreML.Specification.ItemSimilarityRecommender.SimilarItems`
    package struct SimilarItems: MessageView {
      package let message: Message
      package init(_ message: Message) { self.message = message }
      package var itemId: UInt64 { get throws { try message.uint64(1) } }
      package var similarItemList: Views<Specification.ItemSimilarityRecommender.ConnectedItem> { get throws { try message.views(2, Specification.ItemSimilarityRecommender.ConnectedItem.self) } }
      package var itemScoreAdjustment: Double { get throws { try message.double(3) } }
    }
  }
}
