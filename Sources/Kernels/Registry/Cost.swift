import MIL

extension DeviceProfile {
  /// Estimated seconds of a kernel that does `work`: `max(flops / (peak x efficiency), bytes / (bandwidth x share),
  /// latency) + launches x launch`. A candidate that only aliases its input costs nothing.
  package func cost(of candidate: Candidate, _ work: Work) -> Double {
    guard candidate.alias == nil else { return 0 }
    let work = candidate.work ?? work
    let arithmetic = work.flops / (peakFlops * max(candidate.efficiency, 1e-6))
    let latency = candidate.latency * launch / DeviceProfile.gpu.launch
    let movement = work.bytes / (bandwidth * max(candidate.bandwidth, 1e-6))
    return max(arithmetic, movement, latency) + Double(candidate.launches) * launch
  }

  /// Estimated seconds of a kernel that is prepared for a single run. Packing reads the packed operands, writes them,
  /// and the kernel reads them again: three times their bytes.
  func costOnce(of candidate: Candidate, _ work: Work, at problem: KernelProblem) -> Double {
    let packed = candidate.packed.reduce(0.0) { $0 + Double(problem.operands[$1].type.byteCount ?? 0) }
    return cost(of: candidate, work) + 3 * packed / bandwidth
  }
}
