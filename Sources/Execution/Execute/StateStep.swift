/// A step of a session that reads or writes a state.
struct StateStep {
  enum Move: Equatable {
    case unsettled
    /// The value aliases the state's memory.
    case nothing
    /// The value has the state's type and this many bytes in planned memory.
    case bytes(Int)
    /// The value has another type, or no planned memory.
    case value
  }

  let name: String
  /// The slot of the value; nil if a write has none.
  let slot: Int?
  let isRead: Bool
  var move = Move.unsettled
}
