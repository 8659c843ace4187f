import CoreMLBase
import CoreMLSpec
import MIL

enum FeatureTransformsReference {
  static let all: [Reference] = [
    Reference.numeric("ml.normalizer") { call in
      let kind = try call.invocation.string("norm")
      func normalized(_ values: [Double]) -> [Double] {
        let norm: Double
        switch kind {
        case "max": norm = values.reduce(0) { max($0, abs($1)) }
        case "l1": norm = values.reduce(0) { $0 + abs($1) }
        default: norm = values.reduce(0) { $0 + $1 * $1 }.squareRoot()
        }
        return norm == 0 ? values : values.map { $0 / norm }
      }
      guard try call.invocation.bool("by_row", default: false) else { return normalized(try call.doubles("x")) }
      return try call.byRow("x", normalized)
    },
    Reference.numeric("ml.vectorize") { call in
      let entries = try call.entries("x")
      var result = Array(repeating: 0.0, count: try call.outputSizes()[0])
      if call.has("keys") {
        let given = Dictionary(entries, uniquingKeysWith: { $1 })
        for (place, key) in try call.keys("keys").enumerated() { result[place] = given[key] ?? 0 }
        return result
      }
      for (key, value) in entries {
        guard let place = key.integer, result.indices.contains(place) else {
          throw call.invocation.error(
            .invalidArgument, "the key \(key) is no place in a vector of \(result.count) elements")
        }
        result[place] = value
      }
      return result
    },
    Reference("ml.key_positions") { call in
      let given = Dictionary(try call.entries("x"), uniquingKeysWith: { $1 })
      let found = try call.keys("keys").enumerated().compactMap { place, key in
        given[key].map { (FeatureKey.integer(Int64(place)), $0) }
      }
      return [FeatureKey.dictionary(found, .int64)]
    },
    Reference("ml.one_hot_encoder") { call in
      let categories = try call.keys("categories")
      let places = try call.keys("x").map { key in
        let place = categories.firstIndex(of: key)
        guard try place != nil || call.invocation.bool("ignores_unknown", default: false) else {
          throw call.invocation.error(.invalidArgument, "\(key) is none of the categories")
        }
        return place
      }
      if try call.invocation.bool("sparse", default: false) {
        return [FeatureKey.dictionary(places.compactMap { $0 }.map { (.integer(Int64($0)), 1) }, .int64)]
      }
      try call.admitNumbers()
      var result = Array(repeating: 0.0, count: places.count * categories.count)
      for (row, place) in places.enumerated() where place != nil { result[row * categories.count + (place ?? 0)] = 1 }
      return [try call.result(result)]
    },
    Reference("ml.categorical_mapping") { call in
      let key = try call.key("x")
      if let place = try call.keys("keys").firstIndex(of: key) { return [try call.keys("values")[place].value] }
      guard call.has("unknown") else {
        throw call.invocation.error(.invalidArgument, "\(key) is none of the keys, and 'unknown' has no value")
      }
      return [try call.value("unknown")]
    },
    Reference("ml.imputer") { call in
      if case .dictionary = try call.value("x") { return [try call.imputedDictionary()] }
      return [.tensor(try call.imputed())]
    },
  ]
}

/// A key of a dictionary, or a category: an integer, or a string that is compared by its bytes.
enum FeatureKey: Hashable, CustomStringConvertible {
  case integer(Int64)
  case text(ExactText)

  var description: String {
    switch self {
    case .integer(let value): "\(value)"
    case .text(let text): "'\(text)'"
    }
  }

  var integer: Int? {
    if case .integer(let value) = self { return Int(value) }
    return nil
  }

  var value: Value {
    switch self {
    case .integer(let value): .tensor(Tensor(int64: [value], shape: []))
    case .text(let text): .string(text.text)
    }
  }

  /// The keys in a tensor.
  static func all(_ tensor: Tensor) throws -> [FeatureKey] {
    if tensor.scalar == .string { return try tensor.strings().map { .text(ExactText($0)) } }
    return try tensor.ints().map { .integer(Int64($0)) }
  }

  static func dictionary(_ entries: [(FeatureKey, Double)], _ key: ScalarType) -> Value {
    .dictionary(
      entries.map { ($0.0.value, .tensor(Tensor(float64: [$0.1], shape: []))) },
      key: .tensor(TensorType(key, [Int]())), value: .tensor(TensorType(.float64, [Int]())))
  }
}

extension ReferenceCall {
  func keys(_ name: String) throws -> [FeatureKey] { try FeatureKey.all(tensor(name)) }

  func key(_ name: String) throws -> FeatureKey {
    guard let key = try keys(name).first else { throw invocation.error(.invalidArgument, "'\(name)' is empty") }
    return key
  }

  /// The entries of a dictionary.
  func entries(_ name: String) throws -> [(FeatureKey, Double)] {
    guard case .dictionary(let pairs, _, _) = try value(name) else {
      throw invocation.error(.invalidType, "'\(name)' is no dictionary")
    }
    return try pairs.map { pair in
      guard let key = try pair.key.tensor.map({ try FeatureKey.all($0) })?.first,
        let value = try pair.value.tensor?.doubles().first
      else { throw invocation.error(.invalidType, "'\(name)' has an entry that is no key and number") }
      return (key, value)
    }
  }

  fileprivate func isMissing(_ number: Double) throws -> Bool {
    guard has("missing") else { return number.isNaN }
    let missing = try invocation.double("missing")
    return missing.isNaN ? number.isNaN : number == missing
  }

  fileprivate func imputed() throws -> Tensor {
    let x = try tensor("x")
    let imputed = try tensor("imputed")
    func place(_ index: Int) throws -> Int {
      guard imputed.count == 1 || imputed.count == x.count else {
        throw invocation.error(.invalidShape, "'imputed' has \(imputed.count) values for \(x.type)")
      }
      return imputed.count == 1 ? 0 : index
    }
    if x.scalar == .string {
      let missing = try invocation.string("missing", default: "")
      let others = try imputed.strings()
      let all = try x.strings().enumerated().map { $1.isExactly(missing) ? others[try place($0)] : $1 }
      return Tensor(strings: all, shape: x.shape)
    }
    if x.scalar == .int64, imputed.scalar == .int64 {
      let missing = try has("missing") ? invocation.int("missing") : nil
      let others = try imputed.ints()
      let all = try x.ints().enumerated().map { Int64($1 == missing ? others[try place($0)] : $1) }
      return Tensor(int64: all, shape: x.shape)
    }
    let others = try imputed.doubles()
    let all = try x.doubles().enumerated().map { try isMissing($1) ? others[try place($0)] : $1 }
    return try Tensor(x.scalar, shape: x.shape, doubles: all)
  }

  fileprivate func imputedDictionary() throws -> Value {
    var entries = try entries("x")
    let places = Dictionary(entries.enumerated().map { ($1.0, $0) }, uniquingKeysWith: { $1 })
    for (key, value) in zip(try keys("keys"), try doubles("imputed")) {
      guard let place = places[key] else {
        entries.append((key, value))
        continue
      }
      if try isMissing(entries[place].1) { entries[place].1 = value }
    }
    guard case .dictionary(let key, _)? = outputs.first, let scalar = key.tensor?.scalar else {
      throw invocation.error(.invalidType, "its result is no dictionary")
    }
    return FeatureKey.dictionary(entries, scalar)
  }
}
