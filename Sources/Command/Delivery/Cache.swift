import ArgumentParser
import CoreMLDelivery
import CoreMLKernels
import CoreMLModels
import Foundation

/// `runtime cache`: the disk space of models and caches.
struct Cache: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cache",
    abstract: "Shows, checks and prunes models and caches on disk.",
    subcommands: [CacheUse.self, CacheVerify.self, CachePrune.self], defaultSubcommand: CacheUse.self)
}

struct CacheUse: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "du", abstract: "Shows the disk space of each item.")

  @Flag(help: "Print JSON.")
  var json = false

  private struct Report: Encodable {
    let total: Int64
    let kinds: [String: Int64]
    /// The part of `cache` with weights in the layouts of kernels.
    let packedBytes: Int
    let freeForData: Int64?
    let freeForCache: Int64?
    let items: [StoreUsage.Item]
  }

  func run() throws {
    let user = try UserStore()
    let usage = try user.store.usage(CompiledModels.cache(user.places))
    let kinds = Dictionary(uniqueKeysWithValues: StoreUsage.Item.Kind.allCases.map { ($0.rawValue, usage.bytes($0)) })
    let packed = ArtifactCache.standard?.entries() ?? []
    let packedBytes = packed.reduce(0) { $0 + $1.bytes }
    if json || !Console.outputIsTerminal {
      return try Console.say(
        json: Report(
          total: usage.total, kinds: kinds, packedBytes: packedBytes, freeForData: usage.freeForData,
          freeForCache: usage.freeForCache,
          items: usage.items))
    }
    var rows = usage.items.filter { $0.bytes > 0 }.map { item in
      [
        item.kind.rawValue, Console.bytes(Int(item.bytes)),
        name(of: item),
        item.usedBy.joined(separator: ", "),
      ]
    }
    if !packed.isEmpty {
      rows.append(["of cache", Console.bytes(packedBytes), "packed weights", "\(packed.count) files"])
    }
    rows.append(["total", Console.bytes(Int(usage.total)), "", ""])
    Console.say(Console.table(rows, rightAligned: [1]))
  }
}

extension CacheUse {
  /// A short name for people. The first 16 digits of a digest are enough.
  private func name(of item: StoreUsage.Item) -> String {
    guard let source = item.source else {
      return TreeDigest.isDigest(item.name) ? String(item.name.prefix(16)) : item.name
    }
    return "\(source)\(item.sourceDigest.map { ", compiled from \($0.prefix(16))" } ?? "")"
  }
}

struct CacheVerify: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Reads every model and compiled model again and compares digests; exit status 1 if one differs.")

  @Flag(help: "Move damaged items aside; the next update or installation restores them.")
  var repair = false
  @Flag(help: "Print JSON.")
  var json = false

  private struct Report: Encodable {
    let passed: Bool
    let findings: [StoreFinding]
  }

  func run() throws {
    let user = try UserStore()
    let cache = try CompiledModels.cache(user.places)
    let findings = try ProgressBar.during("Reading all models") {
      let found = try user.store.verify(cache)
      return repair ? try user.store.repair(found, cache) : found
    }
    if json || !Console.outputIsTerminal {
      try Console.say(json: Report(passed: findings.isEmpty, findings: findings))
    } else if findings.isEmpty {
      Console.say("all models are intact")
    } else {
      for finding in findings {
        Console.say("\(finding.path): \(finding.message)\(finding.outcome.map { "; \($0)" } ?? "")")
      }
    }
    guard findings.isEmpty else { throw Failure.negative }
  }
}

struct CachePrune: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prune",
    abstract: "Removes files of interrupted processes, unused models and old compiled models.",
    discussion: """
      Models in use, the active version of each name, the earlier versions to keep, pinned models and personal models are never removed. \
      SIZE is a number of bytes, or a number with kB, MB, GB or TB.
      """)

  @Option(
    help: ArgumentHelp("The maximum total size; the oldest compiled models are removed first.", valueName: "size"))
  var maxSize: ByteCount?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Remove compiled models that were not used for this long.", valueName: "days"))
  var maxAge: Double?
  @Option(
    help: ArgumentHelp("The minimum free disk space; the oldest compiled models are removed first.", valueName: "size"))
  var minFree: ByteCount?
  @Option(parsing: .unconditional, help: "Earlier versions to keep for each name.")
  var keepPrevious = 1
  @Option(
    parsing: .unconditional, help: ArgumentHelp("How long to keep a model without a name.", valueName: "seconds"))
  var grace = 3600.0
  @Option(
    help: ArgumentHelp("The maximum size of packed weights; the least recently used are removed.", valueName: "size"))
  var maxPacked: ByteCount?
  @Flag(name: .shortAndLong, help: "Only print what would be removed.")
  var dryRun = false
  @Flag(help: "Print JSON.")
  var json = false

  func validate() throws {
    if let maxAge, !(maxAge >= 0 && maxAge < 1e6) {
      throw ValidationError("--max-age is \(maxAge), expected a number of days")
    }
    if !(0...1000).contains(keepPrevious) {
      throw ValidationError("--keep-previous is \(keepPrevious), expected 0 to 1000")
    }
    if !(grace >= 0 && grace < 1e9) { throw ValidationError("--grace is \(grace), expected a number of seconds") }
  }

  private struct Report: Encodable {
    let dryRun: Bool
    let bytes: Int64
    let removed: [PruneReport.Item]
    let packedBytes: Int
    let failed: [String]
  }

  func run() throws {
    let user = try UserStore()
    var policy = PrunePolicy()
    policy.maximumBytes = maxSize?.bytes
    policy.minimumFree = minFree?.bytes
    policy.maximumAge = maxAge.map { .seconds($0 * 86_400) }
    policy.keepsPrevious = keepPrevious
    policy.grace = .seconds(grace)
    policy.isDryRun = dryRun
    let report = try user.store.prune(policy, CompiledModels.cache(user.places))
    let packed = maxPacked.flatMap { size in
      ArtifactCache.standard?.prune(to: Int(clamping: size.bytes), isDryRun: dryRun)
    }
    let packedBytes = (packed ?? []).reduce(0) { $0 + $1.bytes }
    if json || !Console.outputIsTerminal {
      try Console.say(
        json: Report(
          dryRun: dryRun, bytes: report.bytes, removed: report.removed, packedBytes: packedBytes, failed: report.failed)
      )
    } else {
      for item in report.removed {
        Console.say("\(item.reason.rawValue)  \(Console.bytes(Int(item.bytes)))  \(item.path)")
      }
      if maxPacked != nil { Console.say("packed  \(Console.bytes(packedBytes))") }
      Console.say("\(Console.bytes(Int(report.bytes) + packedBytes)) \(dryRun ? "would be freed" : "freed")")
    }
    if let failure = report.failed.first { throw Failure(.cannotWrite, failure) }
  }
}

/// A size such as `750`, `64kB` or `1.5GB`.
struct ByteCount: ExpressibleByArgument {
  let bytes: Int64

  init?(argument: String) {
    let units: [(String, Double)] = [("tb", 1e12), ("gb", 1e9), ("mb", 1e6), ("kb", 1e3), ("", 1)]
    let text = argument.lowercased().filter { $0 != " " }
    if let exact = Int64(text), exact >= 0 {
      bytes = exact
      return
    }
    guard let unit = units.first(where: { text.hasSuffix($0.0) }),
      let number = Double(text.dropLast(unit.0.count)), number >= 0, number * unit.1 < 9e18
    else { return nil }
    bytes = Int64(number * unit.1)
  }
}
