/// A text that equals another where their bytes are the same.
///
/// Swift's strings are equal where they are canonically equivalent: "é" as one scalar and as two. Keys, categories, labels and the names
/// of features are bytes in a model file, so lookups in what a model holds go by this type.
package struct ExactText: Hashable, Comparable, Sendable, CustomStringConvertible {
  package let text: String

  package init(_ text: String) { self.text = text }

  package var description: String { text }

  package static func == (a: ExactText, b: ExactText) -> Bool { a.text.isExactly(b.text) }

  package func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }

  /// By the bytes of UTF-8.
  package static func < (a: ExactText, b: ExactText) -> Bool { a.text.utf8.lexicographicallyPrecedes(b.text.utf8) }
}

extension String {
  /// Whether both have the same bytes.
  package func isExactly(_ other: String) -> Bool { utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8) }
}

extension Sequence<String> {
  /// The first text that is written in more than one way, such as with composed and with decomposed accents.
  ///
  /// Dictionaries of Swift's strings hold one of the ways alone.
  package var firstAmbiguous: String? {
    var known: [String: ExactText] = [:]
    for text in self {
      let exact = ExactText(text)
      if let other = known.updateValue(exact, forKey: text), other != exact { return text }
    }
    return nil
  }
}
