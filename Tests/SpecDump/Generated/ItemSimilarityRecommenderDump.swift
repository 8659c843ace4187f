// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

import CoreMLSpec

extension Dump {
  func Specification_ItemSimilarityRecommender(_ view: Specification.ItemSimilarityRecommender) throws {
    try each("itemItemSimilarities", try view.itemItemSimilarities) { try Specification_ItemSimilarityRecommender_SimilarItems($0) }
    try one("itemStringIds", try view.itemStringIds) { try Specification_StringVector($0) }
    try one("itemInt64Ids", try view.itemInt64Ids) { try Specification_Int64Vector($0) }
    scalar("itemInputFeatureName", try view.itemInputFeatureName)
    scalar("numRecommendationsInputFeatureName", try view.numRecommendationsInputFeatureName)
    scalar("itemRestrictionInputFeatureName", try view.itemRestrictionInputFeatureName)
    scalar("itemExclusionInputFeatureName", try view.itemExclusionInputFeatureName)
    scalar("recommendedItemListOutputFeatureName", try view.recommendedItemListOutputFeatureName)
    scalar("recommendedItemScoreOutputFeatureName", try view.recommendedItemScoreOutputFeatureName)
  }
  func Specification_ItemSimilarityRecommender_ConnectedItem(_ view: Specification.ItemSimilarityRecommender.ConnectedItem) throws {
    scalar("itemId", try view.itemId)
    scalar("similarityScore", try view.similarityScore)
  }
  func Specification_ItemSimilarityRecommender_SimilarItems(_ view: Specification.ItemSimilarityRecommender.SimilarItems) throws {
    scalar("itemId", try view.itemId)
    try each("similarItemList", try view.similarItemList) { try Specification_ItemSimilarityRecommender_ConnectedItem($0) }
    scalar("itemScoreAdjustment", try view.itemScoreAdjustment)
  }
}
