import Testing

@testable import CoreMLSpec

@Suite struct WireTests {
  @Test func scalarsLastOneWins() throws {
    var writer = WireWriter()
    writer.append(1, int: 5)
    writer.append(1, int: -7)
    let message = Message(Bytes(writer.bytes))
    #expect(try message.int64(1) == -7)
    #expect(try message.int32(1) == -7)
    #expect(try message.int64(2) == 0)
  }
}
