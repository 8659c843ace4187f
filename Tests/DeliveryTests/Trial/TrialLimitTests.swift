import CoreMLBase
import CoreMLRuntime
import Foundation
import TestSupport
import Testing

@testable import CoreMLDelivery

/// The limits for using a model also apply to its trial, in any process.
@Suite(.tags(.process)) struct TrialLimitTests {
  private let folder: TemporaryFolder
  private let store: ModelStore

  init() throws {
    folder = try TemporaryFolder()
    store = try folder.store()
  }

  private func install(_ helper: TrialPolicy.Helper, _ change: @escaping @Sendable (inout RuntimeLimits) -> Void) throws
  {
    let cache = CompiledModelCache(directory: store.places.compiledModels, runtimeVersion: "1")
    var policy = TrialPolicy()
    (policy.helper, policy.requiresHelper) = (helper, helper != .none)
    let installer = ModelInstaller(store: store, cache: cache, trials: policy) {
      let configuration = MLModelConfiguration()
      configuration.computeUnits = .cpuOnly
      var limits = RuntimeLimits()
      change(&limits)
      configuration.limits = limits
      return configuration
    }
    try installer.install(Samples.digits, as: "m")
  }

  @Test(arguments: [TrialPolicy.Helper.none, .program(TrialScript.runtime)])
  func aModelAboveTheLimitsOfItsConfigurationDoesNotPass(helper: TrialPolicy.Helper) throws {
    let error = #expect(throws: DeliveryError.self) { try install(helper) { $0.operations = 1 } }
    #expect(error?.code == .doesNotLoad && error?.message.contains("COREML_OPERATION_LIMIT") == true, "\(error as Any)")
    // A success under other limits does not count under these.
    try install(helper) { _ in }
    #expect(try store.active(name: "m") != nil)
    expect(.doesNotLoad) { try install(helper) { $0.operations = 1 } }
    try install(helper) { _ in }
    expect(.trialTimedOut) { try install(helper) { $0.loadTime = 1e-6 } }
  }

  @Test func anEnvironmentThatSetsNoLimitIsABadSetting() async {
    await #expect(processExitsWith: .success) {
      setenv("COREML_OPERATION_LIMIT", "many", 1)
      do { _ = try TrialLimits(MLModelConfiguration()) } catch let error as DeliveryError {
        exit(error.code == .badSetting && error.message.contains("COREML_OPERATION_LIMIT") ? 0 : 1)
      }
      exit(1)
    }
  }

  @Test func anOrderHasTheLimitsAndTheKeyApart() throws {
    let given = MLModelConfiguration()
    given.limits = RuntimeLimits()
    given.limits?.operations = 7
    given.limits?.loadTime = nil
    let order = TrialOrder(
      nonce: "n", parent: 1, memory: 5, model: folder.url, form: .encrypted, digest: "d", name: "m",
      settings: try TrialOrder.Settings(given))
    let key = ModelKey()
    let message = try order.message(key)
    let received = try #require(TrialOrder.received(message))
    #expect(received.order.settings.configuration.limits == given.limits)
    #expect(try received.order.settings.limits.process == RuntimeLimits.inForce())
    let bytes = key.key.withUnsafeBytes { Data($0) }
    #expect(received.key?.key.withUnsafeBytes { Data($0) } == bytes)
    // The only copy of the key is in pages that are locked, excluded from core dumps and zeroed.
    let line = try JSONEncoder().encode(order)
    #expect(line.range(of: bytes.base64EncodedData()) == nil && message.bytes.count == line.count + 1 + 64)
    let without = try order.message(nil)
    #expect(TrialOrder.received(without).map { $0.key == nil } == true)
    without.bytes[0] = 0
    #expect(TrialOrder.received(without) == nil)
  }
}
