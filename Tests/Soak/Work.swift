import ArgumentParser
import CoreML
import CoreMLDelivery
import CoreMLDeliveryHTTP
import Foundation

/// Threads that perform random actions until the time is over. A line of JSON is printed every second.
struct Work: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Works with the models of a channel at random.")

  @OptionGroup var place: Place
  @OptionGroup var channel: Followed
  @Option(help: "What models answer: what 'answers' printed.") var known: String
  @Option(help: "Seconds.") var seconds: Double
  @Option(help: "How many threads work.") var threads = 8
  @Option(help: "What chance starts from.") var seed: UInt64 = 1
  @Option(help: "What is not done, such as install,prune.") var without = ""

  func run() throws {
    let known = try JSONDecoder().decode([KnownModel].self, from: Data(contentsOf: URL(filePath: known)))
    let bench = WorkBench(
      place: place, questions: try place.questions(), channel: try channel.open(place), known: known,
      source: { [channel, place] in try channel.open(place) }, installing: Installing(try place.places()))
    let left = Set(without.split(separator: ",").map(String.init))
    let actions = Action.all.filter { !left.contains($0.name) }
    let end = ContinuousClock.now + .seconds(seconds)
    let done = DispatchGroup()
    for number in 0..<threads {
      done.enter()
      Thread.detachNewThread {
        var chance = Chance(seed: seed &* 1_000 &+ UInt64(number))
        while ContinuousClock.now < end {
          bench.take(chance.pick(actions), &chance)
        }
        done.leave()
      }
    }
    while done.wait(timeout: .now() + 1) == .timedOut { bench.log.tell() }
    bench.log.tell()
  }
}

/// Checks the state after the damage has ended: an update must restore everything.
struct Settle: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Updates, and compares the answers of the newest models.")

  @OptionGroup var place: Place
  @OptionGroup var channel: Followed
  @Option(help: "What models answer: what 'answers' printed.") var known: String

  func run() throws {
    let known = try JSONDecoder().decode([KnownModel].self, from: Data(contentsOf: URL(filePath: known)))
    let (questions, installing) = (try place.questions(), Installing(try place.places()))
    // Names with damaged records are removed. They return when a model is installed again or the channel switches.
    for finding in try installing.store.verify(installing.cache) where finding.kind == .damagedRecord {
      try installing.store.remove(name: URL(filePath: finding.path).deletingPathExtension().lastPathComponent)
    }
    _ = try installing.store.repair(installing.store.verify(installing.cache), installing.cache)
    let opened = try channel.open(place)
    for name in channel.models { _ = try waiting { try await opened.allow(name) } }
    let update = try waiting { try await opened.update() }
    for (name, error) in update.failures { throw ValidationError("\(name): \(error)") }
    for name in channel.models {
      guard let digest = try opened.model(name).version.release?.tree,
        let model = known.first(where: { $0.digest == digest })
      else { throw ValidationError("no release of '\(name)' is in use") }
      let answers = try opened.model(name).withModel { model, _ in try questions.answers(of: model) }
      guard answers == model.answers else {
        throw ValidationError("'\(name)' answers \(answers), not \(model.answers)")
      }
    }
    let findings = try installing.store.verify(installing.cache)
    guard findings.isEmpty else { throw ValidationError("damage is left: \(findings)") }
  }
}

/// The channel that all processes follow.
struct Followed: ParsableArguments {
  @Option(help: "Where the publisher's tree is served.") var host: String
  @Option(help: "The publisher's first root.") var root: String
  @Option(help: "The models' names in the channel.") var models: [String]
  @Option(help: "The models that came with the software, in the same order.") var baselines: [String]

  func open(_ place: Place) throws -> ModelChannel {
    guard let url = URL(string: host) else { throw ValidationError("'\(host)' is no URL") }
    var options = ChannelOptions(
      channel: "stable", hosts: [url], root: try SignedEnvelope(Data(contentsOf: URL(filePath: root))),
      places: try place.places(), runtimeVersion: Installing.runtimeVersion)
    options.baselines = Dictionary(uniqueKeysWithValues: zip(models, baselines.map { URL(filePath: $0) }))
    options.configuration = Installing.configuration
    options.health.provingPredictions = 20
    options.health.provingTime = .zero
    // Many processes share the machine, so latencies are not meaningful.
    options.health.latencyFactor = nil
    let http = HTTPTransport(options: HTTPOptions(runtimeVersion: Installing.runtimeVersion))
    let policy = RetryPolicy(attempts: 3, firstPause: .milliseconds(20))
    return try ModelChannel(
      options,
      downloader: Downloader(transport: SchemeTransport(["http": http, "file": FileTransport()]), policy: policy))
  }
}
