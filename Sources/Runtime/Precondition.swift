// These functions replace Swift's own in this module. Swift prints the message only in debug builds; a release build
// would stop with just "Illegal instruction". Apple's framework raises an exception, whose text is printed.

/// Stops the process with a message, in every build, if a precondition does not hold.
@inline(__always)
func precondition(
  _ condition: @autoclosure () -> Bool, _ sentence: @autoclosure () -> String, file: StaticString = #fileID,
  line: UInt = #line
) {
  if !condition() { preconditionFailure(sentence(), file: file, line: line) }
}

/// Stops the process with a message, in every build.
@inline(never)
func preconditionFailure(
  _ sentence: @autoclosure () -> String, file: StaticString = #fileID, line: UInt = #line
) -> Never {
  fatalError(sentence(), file: file, line: line)
}
