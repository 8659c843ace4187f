import CoreMLSpec
import MIL

struct ItemSimilarityImport {
  let program: FeatureProgram

  /// Optional features of the recommender whose absence cannot be represented by a value.
  static func flagged(_ message: Specification.ItemSimilarityRecommender) throws -> [String] {
    [
      try message.numRecommendationsInputFeatureName, try message.itemRestrictionInputFeatureName,
      try message.itemExclusionInputFeatureName,
    ]
  }

  static func named(_ message: Specification.ItemSimilarityRecommender) throws -> [String] {
    [try message.itemInputFeatureName] + (try flagged(message))
  }

  func add(_ message: Specification.ItemSimilarityRecommender) throws {
    let table = try SimilarityTable(message, program)
    var arguments = table.arguments
    arguments["items"] = .name(try program.input(message.itemInputFeatureName))
    if let count = try program.optionalInput(message.numRecommendationsInputFeatureName) {
      let all = Tensor(int64: [Int64(table.shift.count)], shape: [])
      arguments["limit"] = .name(
        try program.emit("select", ["cond": presence(of: count), "a": .name(count), "b": .tensor(all)]))
    }
    if let restriction = try program.optionalInput(message.itemRestrictionInputFeatureName) {
      arguments["restriction"] = .name(restriction)
      arguments["restricts"] = presence(of: restriction)
    }
    if let exclusion = try program.optionalInput(message.itemExclusionInputFeatureName) {
      arguments["exclusion"] = .name(exclusion)
      arguments["excludes"] = presence(of: exclusion)
    }
    let outputs = try program.emit(all: "ml.item_similarity", arguments.mapValues { [$0] })
    let names = (
      try message.recommendedItemListOutputFeatureName, try message.recommendedItemScoreOutputFeatureName
    )
    if !names.0.isEmpty { try program.set(names.0, outputs[0]) }
    if !names.1.isEmpty { try program.set(names.1, outputs[1]) }
  }

  /// Whether an optional feature is present; true for a feature that is not optional.
  private func presence(of feature: String) -> Binding {
    let name = FeatureTypes.presence(of: feature)
    return program.builder.scope.types[name] == nil ? .bool(true) : .name(name)
  }
}

/// The similarities of a recommender as validated tables: every item is an index into the list of ids.
private struct SimilarityTable {
  private var ids: Tensor
  private var given: [Int] = []
  private var similar: [Int] = []
  private var similarity: [Double] = []
  private(set) var shift: [Double]

  init(_ message: Specification.ItemSimilarityRecommender, _ program: FeatureProgram) throws {
    let rows = try message.itemItemSimilarities.map { row in
      (item: try row.itemId, others: try row.similarItemList.map { $0 }, shift: try row.itemScoreAdjustment)
    }
    if let strings = try message.itemStringIds?.vector, !strings.isEmpty {
      ids = Tensor(strings: strings, shape: [strings.count])
    } else if let integers = try message.itemInt64Ids?.vector, !integers.isEmpty {
      ids = Tensor(int64: integers, shape: [integers.count])
    } else {
      // Without names, items are numbered from 0, and each of them is mentioned somewhere.
      let mentions = rows.reduce(rows.count) { $0 + $1.others.count }
      let last = try rows.flatMap { try [$0.item] + $0.others.map { try $0.itemId } }.max()
      guard let count = last.map({ Int(clamping: $0) }) ?? -1 as Int?, count < max(mentions, 1) else {
        throw program.error("it numbers items up to \(last ?? 0), and mentions \(mentions)")
      }
      ids = Tensor(int64: (0..<Int64(count + 1)).map { $0 }, shape: [count + 1])
    }
    let limit = ids.count
    shift = Array(repeating: 0, count: limit)
    func place(_ id: UInt64) throws -> Int {
      guard let place = Int(exactly: id), place < limit else {
        throw program.error("it speaks of the item \(id) of \(limit)")
      }
      return place
    }
    for row in rows {
      let item = try place(row.item)
      shift[item] = row.shift
      for other in row.others {
        given.append(item)
        similar.append(try place(other.itemId))
        similarity.append(try other.similarityScore)
      }
    }
  }

  var arguments: [String: Binding] {
    [
      "ids": .tensor(ids), "given": .ints(given), "similar": .ints(similar), "similarity": .doubles(similarity),
      "shift": .doubles(shift),
    ]
  }
}
