enum RecommenderOperations {
  static let all: [OperationDefinition] = [
    // Recommends items for `items`, a list of items or a dictionary of items to scores
    // (ItemSimilarityRecommender.proto). The score of item k is the sum over all given items i of similarity(k, i)
    // (score i - shift k). Entry e of the tables states that the similarity of `similar`[e] to `given`[e] is
    // `similarity`[e]; both are positions in `ids`. Returns the best `limit` items (or all), best first; the earlier of
    // equal ones wins. If `restricts`, only items of `restriction` are returned. If `excludes`, items of `exclusion`
    // are omitted; otherwise the given items are omitted.
    OperationDefinition(
      "ml.item_similarity",
      [
        .required("items"), .required("ids"), .required("given"), .required("similar"), .required("similarity"),
        .required("shift"), .optional("limit"), .optional("restriction"), .optional("restricts"),
        .optional("exclusion"), .optional("excludes"),
      ]
    ) { call in
      let ids = try call.tensor("ids", rank: 1)
      if case .dictionary = try call.type("items") {
        guard try call.dictionaryKey("items") == ids.scalar else {
          throw call.error(.invalidType, "'items' is \(try call.type("items")), 'ids' \(ids)")
        }
      } else {
        try call.requireList("items", of: ids.scalar)
      }
      for name in ["restriction", "exclusion"] where call.has(name) { try call.requireList(name, of: ids.scalar) }
      let entries = try call.shape("given")
      guard try call.shape("similar") == entries, try call.shape("similarity") == entries, entries.count == 1,
        try call.shape("shift") == ids.shape
      else { throw call.error(.invalidShape, "the tables of similarities disagree") }
      let key = ValueType.tensor(TensorType(ids.scalar, [Int]()))
      return [.tensor(TensorType(ids.scalar, [.unknown])), .dictionary(key: key, value: .doubleScalar)]
    },
    // Mean and variance of the sum of a bias and the normally distributed weights of feature values
    // (BayesianProbitRegressor.proto). x [features] has the value of each feature, or x [n, 2] has pairs of feature and
    // value. Values without a weight are ignored.
    OperationDefinition(
      "ml.gaussian_weights",
      [
        .required("x"), .required("feature"), .required("value"), .required("mean"), .required("precision"),
        .required("bias_mean"), .required("bias_precision"),
      ]
    ) { call in
      let x = try call.tensor("x")
      guard x.rank == 1 || x.rank == 2 && x.shape[1].agrees(with: 2) else {
        throw call.error(.invalidShape, "'x' is \(x), expected [features] or [n, 2]")
      }
      let weights = try call.shape("feature")
      for name in ["value", "mean", "precision"] where try call.shape(name) != weights || weights.count != 1 {
        throw call.error(
          .invalidShape, "'\(name)' is \(try call.tensor(name)), 'feature' \(try call.tensor("feature"))")
      }
      return [.doubleScalar, .doubleScalar]
    },
  ]
}
