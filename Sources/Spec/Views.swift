/// A message of one type of the specification: the fields by their names.
///
/// The accessors throw where the bytes of a field are damaged, and read what they are asked for only.
public protocol MessageView: Sendable {
  var message: Message { get }
  init(_ message: Message)
}

extension MessageView {
  /// The message without fields: what an absent one amounts to.
  public init() { self.init(Message()) }
}

/// The messages of a repeated field: found and checked for bounds once, made when they are asked for.
public struct Views<View: MessageView>: RandomAccessCollection, Sendable {
  private let ranges: [Range<Int>]
  private let outer: Message

  /// `outer` has the bytes that the ranges count in, and the depth of the messages in them.
  init(_ ranges: [Range<Int>], of outer: Message) {
    self.ranges = ranges
    self.outer = outer
  }

  public var startIndex: Int { 0 }
  public var endIndex: Int { ranges.count }
  public subscript(position: Int) -> View {
    View(Message(outer.bytes.unchecked(ranges[position]), depth: outer.depth))
  }
}
