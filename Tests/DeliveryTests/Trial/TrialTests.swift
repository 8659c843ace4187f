import CoreMLRuntime
import Foundation
import TestSupport
import Testing

@testable import CoreMLDelivery

/// Models tried in a separate process, and what can happen to that process.
@Suite(.tags(.process)) struct TrialTests {
  private let folder: TemporaryFolder
  private let store: ModelStore

  init() throws {
    folder = try TemporaryFolder()
    store = try folder.store()
  }

  private func install(_ policy: TrialPolicy, _ change: (inout ModelInstaller.Request) -> Void = { _ in }) throws {
    let cache = CompiledModelCache(directory: store.places.compiledModels, runtimeVersion: "1")
    let installer = ModelInstaller(store: store, cache: cache, trials: policy) {
      let configuration = MLModelConfiguration()
      configuration.computeUnits = .cpuOnly
      return configuration
    }
    var request = ModelInstaller.Request()
    change(&request)
    try installer.install(Samples.small(1, in: folder), as: "m", request)
  }

  private func script(_ body: String) throws -> TrialScript { try TrialScript(body, in: folder) }

  @Test func theProcessCompilesLoadsAndPredicts() throws {
    let script = try script("note tried; \(TrialScript.goOn)")
    let wrong = GoldenFiles(inputs: try Samples.inputs(in: folder), outputs: try Samples.outputs(9, in: folder))
    expect(.failsSmokeTest) { try install(script.policy()) { $0.golden = [wrong] } }
    let right = GoldenFiles(inputs: try Samples.inputs(in: folder), outputs: try Samples.outputs(2, in: folder))
    try install(script.policy()) { $0.golden = [right] }
    #expect(script.notes.count == 2)
    let model = try #require(try store.active(name: "m"))
    let cache = CompiledModelCache(directory: store.places.compiledModels, runtimeVersion: "1")
    // The compiled model is kept, and nothing is tried twice.
    _ = try cache.compiledModel(for: model.url, digest: model.digest) { _ in Issue.record("compiled again") }
    try install(script.policy()) { $0.golden = [right] }
    #expect(script.notes.count == 2)
  }

  @Test func theCommandBesideTheTestsIsFound() throws {
    let helper = try #require(TrialHelper.program(.automatic))
    #expect(helper.resolvingSymlinksInPath() == TrialScript.runtime.resolvingSymlinksInPath())
    #expect(TrialHelper.program(.none) == nil)
  }

  @Test(arguments: [
    ("kill -ABRT $$", DeliveryError.Code.trialCrashed), ("kill -SEGV $$", .trialCrashed),
    ("kill -KILL $$", .trialKilled), ("kill -TERM $$", .trialKilled), ("kill -HUP $$", .trialKilled),
    ("exit 0", .trialCrashed), ("exit 3", .trialCrashed), ("echo '{}' >&3", .trialCrashed),
    ("sleep 600", .trialTimedOut), ("while :; do :; done", .trialTimedOut),
    // A report with another nonce and digest is rejected.
    (#"echo '{"nonce": "x", "digest": "y"}' >&3"#, .trialCrashed),
    // Endless output.
    ("yes >&3", .trialCrashed), ("yes", .trialTimedOut),
  ])
  func whatEndsTheProcessCountsAgainstTheModel(body: String, code: DeliveryError.Code) throws {
    let script = try script("\(TrialScript.ready); note tried; \(body)")
    expect(code) { try install(script.policy(seconds: code == .trialTimedOut ? 1 : 60)) }
    #expect(script.notes.count == 1 && script.notes.allSatisfy { !TrialScript.isAlive($0.process) })
    #expect(try store.digests().isEmpty)
  }

  @Test func theLastWordsAreTold() throws {
    let script = try script("\(TrialScript.ready); echo 'Fatal error: index out of range' >&2; kill -TRAP $$")
    let error = #expect(throws: DeliveryError.self) { try install(script.policy()) }
    #expect(error?.message.contains("signal 5") == true && error?.message.contains("index out of range") == true)
  }

  @Test func whatTheProcessStartedGoesWithIt() throws {
    let script = try script("(note child; exec sleep 600) & sleep 0.2; note $!; \(TrialScript.ready); kill -ABRT $$")
    expect(.trialCrashed) { try install(script.policy()) }
    let child = try #require(script.notes.first { Int32($0.word) != nil }.flatMap { Int32($0.word) })
    for _ in 0..<12000 where TrialScript.isAlive(child) { usleep(10_000) }
    #expect(!TrialScript.isAlive(child))
  }

  @Test func theProcessHasNothingOpenOfThisOne() throws {
    // An inheritable descriptor opened by other code.
    let file = open("/dev/null", O_RDONLY)
    defer { close(file) }
    let script = try script("for f in /proc/$$/fd/*; do note ${f##*/}; done; \(TrialScript.goOn)")
    try install(script.policy())
    // 255 is the script itself.
    let open = Set(script.notes.map(\.word)).subtracting(["255"])
    #expect(open.isSuperset(of: ["0", "1", "2", "3"]) && !open.contains("\(file)"), "\(open)")
  }

  @Test func aProgramThatCannotTryModelsIsNotUsed() throws {
    let script = try script("echo usage >&2; exit 64")
    expect(.noTrialHelper) { try install(script.policy()) }
    expect(.noTrialHelper) {
      try install(script.policy { $0.helper = .program(URL(filePath: "/nowhere")) })
    }
    expect(.noTrialHelper) { try install(script.policy { $0.helper = TrialPolicy.Helper.none }) }
    // If permitted, the model is tried in this process.
    try install(script.policy { $0.requiresHelper = false })
  }

  /// A compiled model that never ends, with an input for it.
  private func endless() throws -> (model: URL, golden: GoldenFiles) {
    let program = """
      program(1.3) { func main<ios18>(tensor<fp32, [1]> x) {
        tensor<fp32, [1]> y = while_loop(loop_vars = (x)) block(tensor<fp32, [1]> v) { bool m = const()[val = bool(true)]; } -> (m)
          block(tensor<fp32, [1]> v) { tensor<fp32, [1]> w = abs(x = v); } -> (w);
      } -> (y); }
      """
    try folder.write(program, to: "Loop.mlmodelc/model.mil")
    func feature(_ name: String) -> [UInt8] {
      let array = SmallModel.field(1, [1]) + SmallModel.field(2, 65568)
      return SmallModel.field(1, Array(name.utf8)) + SmallModel.field(3, SmallModel.field(5, array))
    }
    try folder.write(
      SmallModel.field(1, feature("x")) + SmallModel.field(10, feature("y")), to: "Loop.mlmodelc/coremldata.bin")
    try folder.write(
      #"[{"coremlRuntimeFormat": 1, "modelType": "mlProgram", "specificationVersion": 9, "arrayMapping": "exact", "imageMapping": "exact"}]"#,
      to: "Loop.mlmodelc/metadata.json")
    let golden = GoldenFiles(
      inputs: try folder.write(#"{"x": [1]}"#, to: "x.json"), outputs: try folder.write(#"{"y": [1]}"#, to: "y.json"))
    return (folder.url.appending(path: "Loop.mlmodelc", directoryHint: .isDirectory), golden)
  }

  @Test(arguments: [TrialPolicy.Helper.none, .automatic])
  func aModelThatNeverEndsIsStoppedAlsoInThisProcess(helper: TrialPolicy.Helper) throws {
    let (model, golden) = try endless()
    var policy = TrialPolicy()
    // A helper process needs time to start.
    (policy.helper, policy.seconds) = (helper, helper == .none ? 1 : 10)
    let cache = CompiledModelCache(directory: store.places.compiledModels, runtimeVersion: "1")
    let installer = ModelInstaller(store: store, cache: cache, trials: policy) {
      let configuration = MLModelConfiguration()
      configuration.computeUnits = .cpuOnly
      return configuration
    }
    var request = ModelInstaller.Request()
    request.golden = [golden]
    expect(.trialTimedOut) { try installer.install(model, as: "Loop", request) }
    #expect(try store.digests().isEmpty)
  }

  @Test func layersOfTheApplicationAreTriedWhereTheApplicationIs() throws {
    let script = try script(
      #"""
      value() { grep -oP "\"$1\":\"\\K[^\"]*" <<< "$order" | sed -e 's#\\/#/#g' -e 's#^file://##' -e 's#/$##'; }
      compiled=$(value compiled); mkdir -p "$compiled"; echo half > "$compiled/model.mil"; note "$compiled"
      \#(TrialScript.ready)
      printf '{"nonce":"%s","digest":"%s","code":"delivery.needs-application","message":"a layer"}' "$(value nonce)" "$(value digest)" >&3
      """#)
    expect(.noTrialHelper) { try install(script.policy()) }
    try install(script.policy { $0.requiresHelper = false })
    #expect(script.notes.count == 2 && script.notes.allSatisfy { $0.word.hasSuffix("/model.mlmodelc") })
    #expect(try store.active(name: "m") != nil)
  }

  @Test func settingsComeFromTheEnvironment() throws {
    let settled = try TrialPolicy().settled(environment: [
      "COREML_TRIAL_HELPER": "/opt/runtime", "COREML_TRIAL_SECONDS": "7", "COREML_TRIAL_MEMORY": "3G",
    ])
    #expect(settled.helper == .program(URL(filePath: "/opt/runtime")) && settled.seconds == 7)
    #expect(settled.memory == 3 << 30 && settled.sideBySide <= 3 && settled.shared.memory <= 3 << 30)
    for (name, value) in [
      ("COREML_TRIAL_HELPER", "runtime"), ("COREML_TRIAL_SECONDS", "soon"), ("COREML_TRIAL_SECONDS", "-1"),
      ("COREML_TRIAL_MEMORY", "much"),
    ] {
      expect(.badSetting) { _ = try TrialPolicy().settled(environment: [name: value]) }
    }
  }

  @Test func whoeverIsToldToStopSaysNothingOfTheModel() async throws {
    let script = try script("\(TrialScript.ready); note tried; sleep 600")
    let work = Task.detached { try install(script.policy()) }
    try await script.waitForNotes(1)
    work.cancel()
    await #expect(throws: CancellationError.self) { try await work.value }
    #expect(script.notes.allSatisfy { !TrialScript.isAlive($0.process) })
  }

  /// A service manager signals all processes of a service. The helper may end before this process is notified.
  @Test(arguments: ["TERM", "INT", "HUP"]) func aSignalToAllSaysNothingOfTheModel(signal: String) async throws {
    let script = try script("\(TrialScript.ready); note tried; kill -\(signal) $$; sleep 600")
    let work = Task.detached { try install(script.policy()) }
    // On a separate thread, like a signal handler's, because tests share few threads.
    Thread {
      while script.notes.isEmpty { usleep(1000) }
      for note in script.notes { while TrialScript.isAlive(note.process) { usleep(1000) } }
      work.cancel()
    }.start()
    await #expect(throws: CancellationError.self) { try await work.value }
    #expect(script.notes.count == 1)
  }

  @Test func aPredictionThatWasStoppedIsNoFailureOfTheModel() {
    #expect(throws: CancellationError.self) {
      try SmokeTest.run([], named: "m") { throw MLModelError(.predictionCancelled, "the work was stopped") }
    }
    func code(_ code: MLModelError.Code, _ underlying: String) -> DeliveryError.Code? {
      Fixture.code {
        try SmokeTest.run([], named: "m") { throw MLModelError(code, "no", underlyingCode: underlying) }
      }
    }
    #expect(code(.generic, "runtime.generic") == .doesNotLoad)
    // A timeout is a limit on the model; exhausted device memory is a limit of the machine.
    #expect(code(.predictionCancelled, "mil.over-time") == .trialTimedOut)
    #expect(code(.generic, "opencl.memory") == .trialOutOfMemory && code(.generic, "opencl.call") == .doesNotLoad)
  }
}
