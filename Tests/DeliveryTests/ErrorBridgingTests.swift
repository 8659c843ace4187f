import CoreMLDelivery
import Foundation
import Testing

@Suite struct DeliveryErrorBridgingTests {
  /// Tests casts with `catch let error as NSError`, in both directions.
  @Test func errorsCastToNSErrorAndBack() throws {
    let error = DeliveryError(.unreadable, "it cannot be listed", file: "/models")
    let any: Any = error
    let object = try #require(any as? NSError)
    #expect(object.localizedDescription == "/models: it cannot be listed" && object.domain.hasSuffix("DeliveryError"))
    #expect(object.userInfo[NSFilePathErrorKey] as? String == "/models")
    let back: Any = object
    #expect(back as? DeliveryError == error && (error as NSError as Any) as? DeliveryError == error)
  }
}
