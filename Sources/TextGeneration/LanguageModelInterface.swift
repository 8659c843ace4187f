import CoreMLRuntime
import Foundation

/// The inputs and outputs of a language model, found by the names and shapes that converters give them.
struct LanguageModelInterface: Sendable {
  /// An input with one value for each token.
  struct Input: Sendable {
    let name: String
    /// The number of axes. All but the last have the size 1.
    let rank: Int
    let type: MLMultiArrayDataType
    let sizes: AxisSizes
  }

  /// Which tokens each token may see.
  struct Mask: Sendable {
    let name: String
    let type: MLMultiArrayDataType
    /// Whether the mask has a row for each token of the step, with 0 for visible tokens and a large negative number for
    /// others. Otherwise it has one row with 1 for tokens and 0 for padding.
    let isCausal: Bool
    /// The number of tokens so far.
    let sizes: AxisSizes
  }

  let tokens: Input
  let positions: Input?
  let mask: Mask?
  let logits: String
  let isStateful: Bool
  /// The limit of tokens of a sequence; nil if the model declares none.
  let contextLength: Int?

  private static let tokenNames = ["input_ids", "inputids", "token_ids", "tokenids", "tokens", "token", "ids"]
  private static let positionNames = ["position_ids", "positionids", "positions", "position"]
  private static let maskNames = ["attention_mask", "attentionmask", "causal_mask", "causalmask", "mask"]
  private static let logitsNames = ["logits", "output_logits", "token_scores"]

  /// - Throws: `GenerationError` of code `.unsupportedModel`, which names the inputs and outputs.
  init(_ description: MLModelDescription) throws {
    let inputs = description.inputDescriptionsByName
    func refusal(_ sentence: String) -> GenerationError { Self.refusal(sentence, description) }
    func find(_ names: [String]) -> MLFeatureDescription? {
      names.lazy.compactMap { name in inputs.values.first { $0.name.lowercased() == name } }.first
    }
    guard let tokens = find(Self.tokenNames) else { throw refusal("expected an input of token ids, such as input_ids") }
    self.tokens = try Self.input(tokens, description)
    positions = try find(Self.positionNames).map { try Self.input($0, description) }
    mask = try find(Self.maskNames).map { try Self.mask($0, description) }
    let known = [self.tokens.name, positions?.name, mask?.name]
    if let other = inputs.values.first(where: { !$0.isOptional && !known.contains($0.name) }) {
      throw refusal("the input '\(other.name)' is none of token ids, mask and positions")
    }
    let arrays = description.outputDescriptionsByName.values.filter { $0.type == .multiArray }.map(\.name)
    let named = arrays.first { Self.logitsNames.contains($0.lowercased()) }
    guard let logits = named ?? (arrays.count == 1 ? arrays[0] : nil) else {
      throw refusal("expected an output 'logits'")
    }
    self.logits = logits
    isStateful = !description.stateDescriptionsByName.isEmpty
    contextLength = Self.contextLength(self.tokens, mask, description)
    if isStateful, self.tokens.sizes.greatest(atMost: 1) == nil {
      throw refusal(
        "the model keeps a state, and takes at least \(self.tokens.sizes.smallest(atLeast: 1) ?? 0) tokens at a time")
    }
    if !isStateful, self.tokens.sizes.most == 1 {
      throw refusal("the model takes one token at a time, and keeps no state for those before it")
    }
  }

  /// An error that names what the model has.
  private static func refusal(_ sentence: String, _ description: MLModelDescription) -> GenerationError {
    func list(_ features: some Collection<MLFeatureDescription>) -> String {
      let named = features.sorted { $0.name < $1.name }.map { feature -> String in
        let shape = feature.multiArrayConstraint?.shape.map { "\($0)" }.joined(separator: " x ") ?? ""
        return shape.isEmpty ? feature.name : "\(feature.name) (\(shape))"
      }
      return named.isEmpty ? "none" : named.joined(separator: ", ")
    }
    return GenerationError(
      .unsupportedModel,
      "not a language model that is supported: \(sentence); its inputs are "
        + "\(list(description.inputDescriptionsByName.values)), its outputs \(list(description.outputDescriptionsByName.values))"
    )
  }

  private static func input(_ feature: MLFeatureDescription, _ description: MLModelDescription) throws -> Input {
    guard let array = feature.multiArrayConstraint, (1...2).contains(array.shape.count),
      let sizes = AxisSizes(array, fromEnd: 0),
      array.shape.count == 1 || AxisSizes(array, fromEnd: 1)?.smallest(atLeast: 1) == 1
    else { throw refusal("the input '\(feature.name)' is no array of the shape 1 x n or n", description) }
    return Input(name: feature.name, rank: array.shape.count, type: array.dataType, sizes: sizes)
  }

  private static func mask(_ feature: MLFeatureDescription, _ description: MLModelDescription) throws -> Mask {
    guard let array = feature.multiArrayConstraint, [2, 4].contains(array.shape.count),
      let sizes = AxisSizes(array, fromEnd: 0)
    else { throw refusal("the mask '\(feature.name)' has neither the shape 1 x n nor 1 x 1 x q x n", description) }
    return Mask(name: feature.name, type: array.dataType, isCausal: array.shape.count == 4, sizes: sizes)
  }

  private static func contextLength(_ tokens: Input, _ mask: Mask?, _ description: MLModelDescription) -> Int? {
    let states = description.stateDescriptionsByName.values
    var limits = [mask?.sizes.most]
    if states.isEmpty {
      limits.append(tokens.sizes.most)
    } else {
      // Caches of keys and values have the axes (layers,) batch, heads, tokens, size.
      limits += states.map { state in
        let shape = state.stateConstraint?.bufferShape ?? []
        return shape.count >= 4 ? shape[shape.count - 2] : nil
      }
    }
    let least = limits.compactMap { $0 }.min()
    return least == .max ? nil : least
  }
}
