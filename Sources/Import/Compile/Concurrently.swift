import CoreMLBase
import CoreMLKernels
import Synchronization

/// Runs both closures, concurrently if there are enough processors. Both finish before this function returns or throws.
/// The first closure's error takes precedence.
///
/// Task-local values of the caller are not available in the closures.
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
    throw RuntimeError(.io, "one of two concurrent closures did not run")
  }
  return value
}
