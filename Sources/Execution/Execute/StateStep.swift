/// A step of a session that reads or writes a state.
struct StateStep {
  enum Move: Equatable {
    case unsettled
    /// The value lies in the state's memory.
    case nothing
    /// The value has the state's type, and so many bytes in planned memory.
    case bytes(Int)
    /// The value is of another type, or has no planned memory.
    case value
  }

  let name: String
  /// Where the value is; nil where none is written.
  let slot: Int?
  let isRead: Bool
  var move = Move.unsettled
}
