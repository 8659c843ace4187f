import CAllocationCount

/// Counts allocations and held memory, for tests that compare them with a limit.
public enum AllocationCount {
  /// Whether allocations are counted. Under a sanitizer they are not.
  public static var isOn: Bool { allocation_count_is_on() }

  /// The number of allocations by `body` on this thread: all calls of `malloc` and its family.
  public static func count(_ body: () throws -> Void) rethrows -> Int {
    let before = allocation_count()
    try body()
    return Int(allocation_count() - before)
  }

  /// The number of bytes that `body` allocates on this thread, whether it frees them or not.
  public static func bytes(_ body: () throws -> Void) rethrows -> Int {
    let before = allocation_bytes()
    try body()
    return Int(allocation_bytes() - before)
  }

  /// The number of bytes that all threads have allocated and not freed. 0 if allocations are not counted.
  public static var held: Int { Int(allocation_held_bytes()) }

  /// The number of bytes that the allocator has from the system, allocated or free.
  public static var fromSystem: Int { Int(allocation_system_bytes()) }
}
