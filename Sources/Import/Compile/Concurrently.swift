import CoreMLBase
import CoreMLKernels
import Synchronization

/// Runs both, at once where there is a processor for each. Both end before this returns or throws, the first's error before the second's.
///
/// What is local to the caller's task is not seen by them.
func together<Value: Sendable>(
  _ first: @Sendable () throws -> Void, _ second: @Sendable () throws -> Value
) throws -> Value {
  let one = Mutex<Result<Void, any Error>?>(nil)
  let other = Mutex<Result<Value, any Error>?>(nil)
  SystemThreads.perform(2) { turn in
    if turn == 0 {
      let result = Result { try first() }
      one.withLock { $0 = result }
    } else {
      let result = Result { try second() }
      other.withLock { $0 = result }
    }
  }
  try one.withLock { $0 }?.get()
  guard let value = try other.withLock({ $0 })?.get() else {
    throw RuntimeError(.io, "one of two halves of a work did not run")
  }
  return value
}
