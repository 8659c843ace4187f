// These take the place of Swift's own functions in this module. Swift's print their sentence in debug builds alone: a release build would end
// with "Illegal instruction" and nothing else. Apple's framework raises an exception, whose text is printed.

/// Ends the process with a sentence, in every build, where a condition of a function's contract does not hold.
@inline(__always)
func precondition(
  _ condition: @autoclosure () -> Bool, _ sentence: @autoclosure () -> String, file: StaticString = #fileID,
  line: UInt = #line
) {
  if !condition() { preconditionFailure(sentence(), file: file, line: line) }
}

/// Ends the process with a sentence, in every build.
@inline(never)
func preconditionFailure(
  _ sentence: @autoclosure () -> String, file: StaticString = #fileID, line: UInt = #line
) -> Never {
  fatalError(sentence(), file: file, line: line)
}
