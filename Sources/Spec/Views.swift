/// A message of one type of the specification: the fields by their names.
///
/// The accessors throw where the bytes of a field are damaged, and read what they are asked for only. What they are:
/// - a scalar field: its value, zero or empty where it is absent; an enumeration: its case, an error for a value without one;
/// - a message field: the view, nil where it is absent;
/// - a repeated field: an array, of messages `Views`; of floats and doubles also `...Bytes`, the values in place (see `floatBytes`);
/// - a map: a dictionary, and `...InOrder`, its entries in the order of the bytes;
/// - a oneof: an enumeration `OneOf...` of its members, nil where none is set; and each member, nil where it is not the one that is set.
///
/// Types have the names of the protobuf messages, nested as they are: `CoreML.Specification.X` is `Specification.X`, and
/// `CoreML.Specification.MILSpec.X` is `MILSpec.X`. Fields, oneofs and enumerations' values have theirs in lower camel case: `ReLU` is
/// `reLU`, `PReLU` is `pReLU`, `K` is `k`, `block_specializations` is `blockSpecializations`, `SAME_PADDING` is `samePadding`.
package protocol MessageView: Sendable {
  var message: Message { get }
  init(_ message: Message)
}

extension MessageView {
  /// The message without fields: what an absent one amounts to.
  package init() { self.init(Message()) }
}

/// The messages of a repeated field: found and checked for bounds once, made when they are asked for.
package struct Views<View: MessageView>: RandomAccessCollection, Sendable {
  private let ranges: [Range<Int>]
  private let outer: Message

  /// `outer` has the bytes that the ranges count in, and the depth of the messages in them.
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

/// A member of a oneof as the schema lists it: its number and name there, and the case that stands for it with nothing in it. `members` of a
/// generated `OneOf...` has all of them, for whoever tells which of them something is made of.
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
