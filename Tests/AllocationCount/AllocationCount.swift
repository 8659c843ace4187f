import CAllocationCount

/// How often code takes memory, and how much of it is held, for tests that hold something to a number.
public enum AllocationCount {
  /// Whether anything is counted: not under a sanitizer.
  public static var isOn: Bool { allocation_count_is_on() }

  /// How often `body` takes memory on this thread: calls of `malloc` and its family, whoever makes them.
  public static func count(_ body: () throws -> Void) rethrows -> Int {
    let before = allocation_count()
    try body()
    return Int(allocation_count() - before)
  }

  /// How many bytes `body` asks for on this thread, whether it keeps them or not.
  public static func bytes(_ body: () throws -> Void) rethrows -> Int {
    let before = allocation_bytes()
    try body()
    return Int(allocation_bytes() - before)
  }

  /// Bytes that all threads took and nobody gave back; 0 where nothing is counted.
  public static var held: Int { Int(allocation_held_bytes()) }

  /// Bytes that the allocator has from the system, whether they are held or free.
  public static var fromSystem: Int { Int(allocation_system_bytes()) }
}
