import CoreMLBase
import CoreMLImport
import Foundation

/// The current parameters of a training: the model's defaults, overridden by the configuration or a handler, within the
/// ranges that the model allows (`NetworkUpdateParameters`, `KNearestNeighborsClassifier.numberOfNeighbors`).
struct UpdateValues: Sendable {
  private let rules: [UpdateParameter]
  private var numbers: [String: Number] = [:]

  private enum Number: Sendable {
    case integer(Int64)
    case real(Double)
    case flag(Bool)
  }

  init(_ rules: [UpdateParameter]) {
    self.rules = rules
    for rule in rules {
      if let flag = rule.flag { numbers[rule.name] = .flag(flag) }
      if let integer = rule.integer { numbers[rule.name] = .integer(integer.value) }
      if let real = rule.real { numbers[rule.name] = .real(real.value) }
    }
  }

  // MARK: values for learners, with defaults for parameters that a model does not have

  var learningRate: Double { real(.learningRate, 0.01) }
  var momentum: Double { real(.momentum, 0) }
  var beta1: Double { real(.beta1, 0.9) }
  var beta2: Double { real(.beta2, 0.999) }
  var eps: Double { real(.eps, 1e-8) }
  var miniBatchSize: Int { Int(clamping: max(1, integer(.miniBatchSize, 1))) }
  var epochs: Int { Int(clamping: max(0, integer(.epochs, 1))) }
  var seed: Int64 { integer(.seed, 0) }
  /// Nil if the model has no such parameter.
  var numberOfNeighbors: Int? {
    guard case .integer(let number)? = numbers[MLParameterKey.numberOfNeighbors.name] else { return nil }
    return Int(clamping: min(max(1, number), Int64(Int32.max)))
  }
  var shuffle: Bool {
    if case .flag(let flag)? = numbers[MLParameterKey.shuffle.name] { return flag }
    return false
  }

  private func real(_ key: MLParameterKey, _ otherwise: Double) -> Double {
    if case .real(let number)? = numbers[key.name] { return number }
    return otherwise
  }

  private func integer(_ key: MLParameterKey, _ otherwise: Int64) -> Int64 {
    if case .integer(let number)? = numbers[key.name] { return number }
    return otherwise
  }

  /// The values under the keys of the model's description.
  var byKey: [MLParameterKey: Any] {
    var result: [MLParameterKey: Any] = [:]
    for rule in rules {
      let key = MLParameterKey(rule.name, scope: rule.scope)
      switch numbers[rule.name] {
      case .integer(let number): result[key] = NSNumber(value: number)
      case .real(let number): result[key] = NSNumber(value: number)
      case .flag(let flag): result[key] = NSNumber(value: flag)
      case nil: break
      }
    }
    return result
  }

  // MARK: setting values

  /// Sets values. A key without a scope refers to the only parameter of that name.
  ///
  /// - Throws: `MLModelError` with the code `parameters`; the message names the parameter, the allowed values and the
  ///   given value.
  mutating func set(_ changes: [MLParameterKey: Any]) throws {
    for (key, value) in changes.sorted(by: { $0.key.description < $1.key.description }) where !key.isOfModels {
      guard let rule = rules.first(where: { $0.name == key.name && (key.scope == nil || $0.scope == key.scope) }) else {
        let known = rules.map { MLParameterKey($0.name, scope: $0.scope).description }.sorted()
        throw MLModelError(
          .parameters,
          "the model has no parameter '\(key)'; it has \(known.isEmpty ? "none" : known.joined(separator: ", "))",
          underlyingCode: RuntimeError.Code.invalidInput.rawValue)
      }
      numbers[rule.name] = try Self.checked(value, rule)
    }
  }

  private static func checked(_ value: Any, _ rule: UpdateParameter) throws -> Number {
    func refusal(_ expected: String) -> MLModelError {
      MLModelError(
        .parameters, "the parameter '\(rule.name)' is \(value), expected \(expected)",
        underlyingCode: RuntimeError.Code.invalidInput.rawValue)
    }
    guard let number = (value as? NSNumber) ?? (value as? Int).map(NSNumber.init(value:)) else {
      throw refusal("a number")
    }
    if rule.flag != nil {
      guard number.doubleValue == 0 || number.doubleValue == 1 else { throw refusal("true or false") }
      return .flag(number.doubleValue == 1)
    }
    if let real = rule.real {
      guard number.doubleValue.isFinite else { throw refusal("a finite number") }
      if let range = real.range, range.count == 2, !(range[0] <= number.doubleValue && number.doubleValue <= range[1]) {
        throw refusal("a number from \(range[0]) to \(range[1])")
      }
      return .real(number.doubleValue)
    }
    guard let integer = Int64(exactly: number) else { throw refusal("an integer") }
    if let range = rule.integer?.range, range.count == 2, !(range[0] <= integer && integer <= range[1]) {
      throw refusal("an integer from \(range[0]) to \(range[1])")
    }
    if let set = rule.integer?.set, !set.contains(integer) {
      throw refusal("one of \(set.sorted().map(String.init).joined(separator: ", "))")
    }
    return .integer(integer)
  }
}

extension MLParameterKey {
  /// Whether the key refers to what a model contains or loads, not to its training.
  var isOfModels: Bool {
    [MLParameterKey.weights, .biases, .linkedModelFileName, .linkedModelSearchPath].contains { $0.name == name }
  }
}
