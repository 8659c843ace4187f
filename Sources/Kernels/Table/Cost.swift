import MIL

extension DeviceProfile {
  /// Estimated seconds of a kernel that does `work`: `max(flops / (peak x efficiency), bytes / (bandwidth x share), latency) + launches x launch`. What only
  /// hands memory on costs nothing.
  public func cost(of offer: Offer, _ work: Work) -> Double {
    guard offer.alias == nil else { return 0 }
    let work = offer.work ?? work
    let arithmetic = work.flops / (peakFlops * max(offer.efficiency, 1e-6))
    let latency = offer.latency * launch / DeviceProfile.gpu.launch
    let movement = work.bytes / (bandwidth * max(offer.bandwidth, 1e-6))
    return max(arithmetic, movement, latency) + Double(offer.launches) * launch
  }

  /// Estimated seconds of a kernel that is prepared to run once: what it packs is read, written and read again.
  func costOnce(of offer: Offer, _ work: Work, at site: Site) -> Double {
    let packed = offer.packed.reduce(0.0) { $0 + Double(site.operands[$1].type.byteCount ?? 0) }
    return cost(of: offer, work) + 3 * packed / bandwidth
  }
}
