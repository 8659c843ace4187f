import CAllocationCount

/// How often code takes memory, for tests that hold something to taking none.
public enum AllocationCount {
  /// Whether anything is counted: not under a sanitizer.
  public static var isOn: Bool { allocation_count_is_on() }

  /// How often `body` takes memory on this thread: calls of `malloc` and its family, whoever makes them.
  public static func count(_ body: () throws -> Void) rethrows -> Int {
    let before = allocation_count()
    try body()
    return Int(allocation_count() - before)
  }
}
