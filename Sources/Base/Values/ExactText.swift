/// A string that is compared by its bytes.
///
/// Swift strings are equal if they are canonically equivalent: "é" as one scalar and as two. In a model file, keys,
/// categories, labels and feature names are bytes. So lookups in a model's data use this type.
package struct ExactText: Hashable, Comparable, Sendable, CustomStringConvertible {
  package let text: String

  package init(_ text: String) { self.text = text }

  package var description: String { text }

  package static func == (a: ExactText, b: ExactText) -> Bool { a.text.isExactly(b.text) }

  package func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }

  /// Compares the UTF-8 bytes.
  package static func < (a: ExactText, b: ExactText) -> Bool { a.text.utf8.lexicographicallyPrecedes(b.text.utf8) }
}

extension String {
  /// Whether both strings have the same bytes.
  package func isExactly(_ other: String) -> Bool { utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8) }
}

extension Sequence<String> {
  /// The first string that occurs in several encodings, for example with composed and with decomposed accents.
  ///
  /// A dictionary keyed by Swift strings would hold only one of them.
  package var firstAmbiguous: String? {
    var known: [String: ExactText] = [:]
    for text in self {
      let exact = ExactText(text)
      if let other = known.updateValue(exact, forKey: text), other != exact { return text }
    }
    return nil
  }
}
