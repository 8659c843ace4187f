import MIL

enum RecommenderReference {
  static let all: [Reference] = [
    Reference("ml.item_similarity") { call in
      let ids = try call.keys("ids")
      let places = Dictionary(ids.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
      func mentioned(_ name: String) throws -> Set<Int> {
        call.has(name) ? Set(try call.keys(name).compactMap { places[$0] }) : []
      }
      func flag(_ name: String) throws -> Bool { try call.invocation.bool(name, default: false) }
      var scores: [Int: Double] = [:]
      if case .dictionary = try call.value("items") {
        for (key, score) in try call.entries("items") { places[key].map { scores[$0] = score } }
      } else {
        for place in try mentioned("items") { scores[place] = 1 }
      }
      let (given, similar) = (try call.invocation.ints("given"), try call.invocation.ints("similar"))
      let similarity = try call.doubles("similarity")
      let shift = try call.doubles("shift")
      var totals = Array(repeating: 0.0, count: ids.count)
      for entry in given.indices {
        guard totals.indices.contains(similar[entry]), totals.indices.contains(given[entry]) else {
          throw call.invocation.error(.invalidArgument, "entry \(entry) speaks of an item that is not there")
        }
        guard let score = scores[given[entry]] else { continue }
        totals[similar[entry]] += similarity[entry] * (score - shift[similar[entry]])
      }
      // Generated classes require both lists. Applications pass an empty list if they restrict nothing, so an empty
      // restriction counts as none. An empty exclusion excludes nothing, not even the given items
      // (ItemSimilarityRecommender.hpp of coremltools).
      let restricts = try flag("restricts") && !call.keys("restriction").isEmpty
      let allowed = restricts ? try mentioned("restriction") : Set(ids.indices)
      let forbidden = try flag("excludes") ? mentioned("exclusion") : Set(scores.keys)
      let limit = call.has("limit") ? try call.invocation.int("limit") : ids.count
      let candidates = ids.indices.filter { allowed.contains($0) && !forbidden.contains($0) }
      let order = BestFirst.order(candidates) { totals[$0] }.prefix(max(limit, 0))
      let scalar = try call.tensor("ids").scalar
      let found = order.map { ids[$0] }
      let list =
        scalar == .string
        ? Tensor(strings: try found.map { try $0.value.tensor?.strings().first ?? "" }, shape: [found.count])
        : Tensor(int64: found.map { Int64($0.integer ?? 0) }, shape: [found.count])
      return [.tensor(list), FeatureKey.dictionary(order.map { (ids[$0], totals[$0]) }, scalar)]
    },
    Reference("ml.gaussian_weights") { call in
      let x = try call.doubles("x")
      let isBF16 = try call.sizes("x").count == 2
      let given: [(feature: Double, value: Double)] =
        isBF16
        ? (0..<x.count / 2).map { (x[$0 * 2], x[$0 * 2 + 1]) }
        : x.enumerated().map { (Double($0), $1) }
      let (features, values) = (try call.doubles("feature"), try call.doubles("value"))
      let (means, precisions) = (try call.doubles("mean"), try call.doubles("precision"))
      var mean = try call.invocation.double("bias_mean")
      var variance = 1 / (try call.invocation.double("bias_precision"))
      for (feature, value) in given {
        for weight in features.indices where features[weight] == feature && values[weight] == value {
          mean += means[weight]
          variance += 1 / precisions[weight]
        }
      }
      return [try call.result([mean], 0), try call.result([variance], 1)]
    },
  ]
}
