import CoreMLBase
import Testing

@testable import MIL

/// Memory is reserved before it is allocated, and a refusal has an error message.
@Suite struct MemoryBudgetTests {
  @Test func whatDoesNotFitIsRefusedByName() throws {
    let budget = MemoryBudget(limit: 1000)
    try budget.reserve(600, for: "the first")
    let error = #expect(throws: MILError.self) { try budget.reserve(500, for: "the second") }
    #expect(error?.code == .outOfMemory)
    #expect(error?.message.contains("the second needs 500 bytes") == true, "\(String(describing: error))")
    #expect(error?.message.contains("limit is 1000 bytes, of which 600 bytes are in use") == true)
    #expect(budget.bytesHeld == 600)
    budget.release(600)
    try budget.reserve(500, for: "the second")
  }

  @Test func aPartOfABudgetTakesFromTheWhole() throws {
    let whole = MemoryBudget(limit: 1000)
    let (a, b) = (MemoryBudget(limit: 800, within: whole), MemoryBudget(limit: 800, within: whole))
    try a.reserve(700, for: "a")
    #expect(throws: MILError.self) { try b.reserve(700, for: "b") }
    #expect(b.bytesHeld == 0 && whole.bytesHeld == 700)
    a.release(700)
    try b.reserve(700, for: "b")
  }

  @Test func tensorsHoldWhatTheyTakeUntilTheyAreGone() throws {
    let budget = MemoryBudget(limit: 1 << 20)
    try budget.during {
      var tensor: Tensor? = try Tensor.zeros(.float32, shape: [1 << 17])
      #expect(budget.bytesHeld == 1 << 19)
      let error = #expect(throws: MILError.self) { try Tensor.zeros(.float32, shape: [1 << 18]) }
      #expect(error?.message.contains("tensor<fp32, [262144]>") == true, "\(String(describing: error))")
      withExtendedLifetime(tensor) {}
      tensor = nil
      #expect(budget.bytesHeld == 0)
      _ = try Tensor.zeros(.float32, shape: [1 << 18])
    }
  }

  /// The budget admits each array of elements before it is allocated, because the allocation of an array cannot fail
  /// gracefully.
  @Test func arraysOfNumbersAreAdmittedFirst() throws {
    let tensor = try Tensor.zeros(.int8, shape: [1 << 20])
    MemoryBudget(limit: 4 << 20).during {
      #expect(throws: MILError.self) { try tensor.doubles() }
      #expect(throws: MILError.self) { try tensor.ints() }
    }
    #expect(try MemoryBudget(limit: 16 << 20).during { try tensor.doubles().count } == 1 << 20)
  }

  /// A size that no machine has gives an error. A failed allocation would end the process.
  @Test(arguments: [1 << 46, 1 << 50, Int.max - 1])
  func whatNoMachineHasIsAnError(bytes: Int) throws {
    let error = #expect(throws: MILError.self) { try TensorStorage(byteCount: bytes, for: "a value of the test") }
    #expect(error?.code == .outOfMemory)
    #expect(error?.message.hasPrefix("a value of the test needs") == true)
    #expect(throws: MILError.self) { try SystemMemory.requireAddressable(bytes, for: "an array") }
  }

  private final class Holder: MemoryHolder, @unchecked Sendable {  // only one thread uses it
    var storage: TensorStorage?
    func giveBackMemory() { storage = nil }
  }

  @Test func whatCanBeDoneWithoutIsGivenBackFirst() throws {
    let budget = MemoryBudget(limit: 1 << 20)
    let holder = Holder()
    budget.add(holder)
    try budget.during {
      holder.storage = try TensorStorage(byteCount: 900 << 10)
      _ = try TensorStorage(byteCount: 500 << 10)
    }
    #expect(holder.storage == nil)
  }

  @Test func sizesAreReadAsPeopleWriteThem() {
    let sizes = ["512": 512, "512M": 512 << 20, "2G": 2 << 30, "2GB": 2 << 30, "3gib": 3 << 30, "1K": 1024, "7B": 7]
    for (text, bytes) in sizes { #expect(MemorySize.bytes(text) == bytes, "\(text)") }
    for text in ["", "M", "2X", "-1", "1.5G", "99999999999999999999", "9999999T", "2 G", "GG", "1MM"] {
      #expect(MemorySize.bytes(text) == nil, "\(text)")
    }
    #expect(MemorySize.text(3 << 29) == "1.5 GB" && MemorySize.text(12) == "12 bytes")
  }

  @Test func theMachineHasMemory() {
    #expect(MemoryBudget.machine.limit > 64 << 20)
  }
}
