import CoreMLKernels
import MIL

/// A kernel that accepts an operation.
struct KernelOption: Sendable {
  let implementation: KernelImplementation
  let candidate: Candidate
  /// The seconds by which kernels are compared: estimated, or if kernels were timed, derived from the measurements.
  var cost: Double
  /// Measured seconds on this machine.
  var timed: Double?
  /// The work that the kernel does. It is the operation's own work unless the candidate states another.
  var work = Work(flops: 0)
}

/// The kernels of a device for one operation: those that match, cheapest first, and the reasons of those that refused.
/// Kernels of equal cost keep their registration order. This type runs `match` of every registered kernel.
struct KernelOptions: Sendable {
  var all: [KernelOption] = []
  var refusals: [(kernel: String, reason: String)] = []

  /// Known candidates, cheapest first.
  init(_ all: [KernelOption]) { self.all = all }

  init(_ problem: KernelProblem, work: Work, on kind: DeviceKind, profile: DeviceProfile) throws {
    if kind == .cpu, let nothing = KernelRegistry.nothing(at: problem) {
      all = [KernelOption(implementation: nothing.implementation, candidate: nothing.candidate, cost: 0)]
      return
    }
    for implementation in KernelRegistry.implementations(for: problem.invocation.operation, on: kind) {
      do {
        let candidate = try implementation.match(problem)
        all.append(
          KernelOption(
            implementation: implementation, candidate: candidate, cost: profile.cost(of: candidate, work),
            work: candidate.work ?? work))
      } catch let refusal as Refusal {
        refusals.append((implementation.name, refusal.reason))
      }
    }
    sort()
  }

  private mutating func sort() {
    // The reference kernel computes the definition of the operation, element by element. It is ranked last, because
    // every other kernel is faster, whatever the estimates say.
    if let last = all.firstIndex(where: { $0.implementation.name == "reference" }) {
      all.append(all.remove(at: last))
      all[all.count - 1].cost = all.reduce(0) { max($0, $1.cost) }
    }
    // The index breaks ties, which makes the sort stable.
    all = all.enumerated().sorted { ($0.element.cost, $0.offset) < ($1.element.cost, $1.offset) }.map(\.element)
  }

  /// Replaces estimates by measured times. It times only kernels whose estimates are within `farthestTimed` times the
  /// least estimate, and only operations whose least estimate is at least `leastTimed` seconds.
  mutating func time(at problem: KernelProblem, by timings: KernelTimings, _ pool: ThreadPool, mayMeasure: Bool) throws
  {
    guard let least = all.first?.cost, least >= Self.leastTimed else { return }
    let close = all.indices.filter {
      all[$0].cost < Self.farthestTimed * least && all[$0].implementation.name != "reference"
    }
    guard close.count > 1 else { return }
    let times = try timings.seconds(
      of: close.map { (all[$0].implementation.name, all[$0].candidate) }, at: problem, on: pool, mayMeasure: mayMeasure)
    guard let first = zip(close, times).first(where: { $1 != nil }), let time = first.1 else { return }
    // Scales the estimates of untimed kernels by the ratio of measured to estimated time, so that they stay comparable
    // with the timed kernels.
    let scale = time / all[first.0].cost
    for index in all.indices { all[index].cost *= scale }
    for (index, time) in zip(close, times) {
      guard let time else { continue }
      // The kernel that is cheapest by estimate keeps its place unless another one is clearly faster.
      all[index].cost = index == 0 ? Self.clearly * time : time
      all[index].timed = time
    }
    sort()
  }

  private static let (leastTimed, farthestTimed, clearly) = (10e-6, 6.0, 0.98)

  /// Puts the option at index `place` (modulo the count) first and adds one second to the cost of all others. Tests use
  /// this to run every kernel in turn.
  func forcing(_ place: Int) -> KernelOptions {
    guard all.count > 1 else { return self }
    let favoured = place % all.count
    var copy = self
    for other in all.indices where other != favoured { copy.all[other].cost += 1 }
    copy.all.insert(copy.all.remove(at: favoured), at: 0)
    return copy
  }

  /// Why every kernel other than `chosen` was not selected. `failures` has the reasons of kernels that could not be
  /// prepared.
  func passedOver(by chosen: KernelOption, failures: [String: String]) -> RejectedKernels {
    RejectedKernels(
      chosen: RejectedKernels.Cost(chosen),
      costlier: all.compactMap { other in
        let name = other.implementation.name
        guard name != chosen.implementation.name else { return nil }
        return (RejectedKernels.Cost(other), failures[name])
      }, refusals: refusals)
  }
}

/// The kernels that a step does not use. Sentences about costs are written when somebody reads them.
struct RejectedKernels: Sendable {
  struct Cost: Sendable {
    let kernel: String
    /// Seconds.
    let seconds: Double
    let isTimed: Bool

    init(_ option: KernelOption) {
      (kernel, seconds) = (option.implementation.name, option.timed ?? option.cost)
      isTimed = option.timed != nil
    }

    func sentence(as name: String) -> String { "\(name) \((seconds * 1e7).rounded() / 10) us" }
  }

  let chosen: Cost
  let costlier: [(cost: Cost, failure: String?)]
  let refusals: [(kernel: String, reason: String)]

  var reasons: [(kernel: String, reason: String)] {
    costlier.map { cost, failure in
      let costs = "\(cost.sentence(as: cost.isTimed ? "takes" : "costs")), \(chosen.sentence(as: chosen.kernel))"
      return (cost.kernel, failure ?? costs)
    } + refusals
  }
}
