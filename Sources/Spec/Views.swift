/// A typed view of a message, with accessors for its fields.
///
/// Accessors throw if the bytes of a field are damaged, and decode only the requested field. Their results are:
/// - scalar field: its value; zero or empty if absent. Enumeration: its case; an undefined value is an error.
/// - message field: the view; nil if absent.
/// - repeated field: an array; for messages `Views`. Floats and doubles also have `...Bytes`, the values in place (see
///   `floatBytes`).
/// - map: a dictionary, and `...InOrder`, its entries in file order.
/// - oneof: an enumeration `OneOf...` of its members; nil if none is set. Each member also has an accessor, which is
///   nil if the member is not set.
///
/// Types have the nested names of the protobuf messages: `CoreML.Specification.X` is `Specification.X`, and
/// `CoreML.Specification.MILSpec.X` is `MILSpec.X`. Fields, oneofs and enumeration values have their names in lower
/// camel case: `ReLU` is `reLU`, `PReLU` is `pReLU`, `K` is `k`, `block_specializations` is `blockSpecializations`,
/// `SAME_PADDING` is `samePadding`.
package protocol MessageView: Sendable {
  var message: Message { get }
  init(_ message: Message)
}

extension MessageView {
  /// An empty message, which is equivalent to an absent one.
  package init() { self.init(Message()) }
}

/// The messages of a repeated field. They are located and bounds-checked once, and created on access.
package struct Views<View: MessageView>: RandomAccessCollection, Sendable {
  private let ranges: [Range<Int>]
  private let outer: Message

  /// `outer` has the bytes that the ranges refer to, and the depth of the nested messages.
  init(_ ranges: [Range<Int>], of outer: Message) {
    self.ranges = ranges
    self.outer = outer
  }

  package var startIndex: Int { 0 }
  package var endIndex: Int { ranges.count }
  package subscript(position: Int) -> View {
    View(Message(outer.bytes.unchecked(ranges[position]), depth: outer.depth))
  }
}

/// A member of a oneof in the schema: its number, its name, and its case with an empty value. `members` of a generated
/// `OneOf...` lists all of them, for code that determines which of them applies.
package struct OneOfMember<Value: Sendable>: Sendable {
  package let number: Int
  package let name: String
  package let empty: Value

  init(_ number: Int, _ name: String, _ empty: Value) {
    self.number = number
    self.name = name
    self.empty = empty
  }
}
