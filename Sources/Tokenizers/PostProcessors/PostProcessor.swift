/// A part of the final sequence.
enum TemplatePart: Sendable {
  case text
  case tokens([Int])
}

/// Reads the post-processor of a `tokenizer.json`: tokens that are added around a text.
enum PostProcessors {
  static func read(_ component: Component) throws -> [TemplatePart] {
    switch try component.type() {
    case "TemplateProcessing": return try template(component)
    // BERT's and RoBERTa's have a token before the text and one after it.
    case "BertProcessing", "RobertaProcessing":
      return [.tokens([try token(component, "cls")]), .text, .tokens([try token(component, "sep")])]
    // This one changes only offsets.
    case "ByteLevel": return [.text]
    case "Sequence":
      let parts = try component.components("processors").map(read)
      // Each processor wraps the result of the one before it.
      return try parts.reduce([.text]) { inner, outer in
        let wrapped = outer.flatMap { part -> [TemplatePart] in
          if case .text = part { inner } else { [part] }
        }
        guard wrapped.count <= 10_000 else { throw component.unsupported("a sequence that repeats the text often") }
        return wrapped
      }
    case let type: throw component.unsupported("the post-processor \(type)")
    }
  }

  /// `["[CLS]", 101]`.
  private static func token(_ component: Component, _ key: String) throws -> Int {
    let parts = try component.array(key)
    guard parts.count == 2, let id = parts[1].integer, (0..<TokenizerLimits.vocabulary).contains(id) else {
      throw TokenizerError(.invalid, "\(component.place(key)): expected a token and its id")
    }
    return id
  }

  private static func template(_ component: Component) throws -> [TemplatePart] {
    let specials = try component.component("special_tokens")
    return try component.components("single").map { part in
      if let sequence = try part.component("Sequence") {
        guard try sequence.string("id") == "A" else { throw sequence.unsupported("a sequence other than A") }
        return .text
      }
      guard let token = try part.component("SpecialToken") else {
        throw part.unsupported("a part that is neither a sequence nor a special token")
      }
      let name = try token.string("id")
      guard let special = try specials?.component(name) else {
        throw TokenizerError(.invalid, "\(token.path): the special token \(name) is not listed")
      }
      return .tokens(
        try special.array("ids").enumerated().map { index, value in
          guard let id = value.integer, (0..<TokenizerLimits.vocabulary).contains(id) else {
            throw TokenizerError(.invalid, "\(special.place("ids"))[\(index)]: expected a token id")
          }
          return id
        })
    }
  }
}
