import Foundation

/// Finds delta bases: older models on this device whose files a download can reuse.
struct DeltaBases: Sendable {
  let records: ChannelRecords
  private var store: ModelStore { records.store }

  /// Returns the delta bases for a variant: trees on this device that may share files with it. The trees that the
  /// variant has deltas from come first, then installed releases, then the baseline. The leases keep the trees in the
  /// store.
  func bases(for variant: Variant, of model: String) throws -> (bases: [PayloadFetch.Base], leases: [ModelLease]) {
    var bases: [PayloadFetch.Base] = []
    var leases: [ModelLease] = []
    for digest in variant.deltas.map(\.from) + records.installedState().digests(of: model)
    where !bases.contains(where: { $0.tree == digest }) {
      // An encrypted model shares no bytes with its plain form or with another encryption of the same model.
      guard let lease = try? store.lease(digest), let stored = try? store.model(digest), stored.form != .encrypted
      else { continue }
      leases.append(lease)
      bases.append(.init(folder: stored.form == .mlmodel ? store.folder(of: digest) : stored.url, tree: digest))
    }
    if let baseline = records.options.baselines[model], baseline.pathExtension == variant.form.rawValue {
      // The digest serves only to find a delta. A bundled `.mlmodel` file has another name than the file in the
      // published tree, so its digest would match no delta.
      let isFile = variant.form.isFile
      let digest = variant.deltas.isEmpty || isFile ? nil : try? TreeDigest.digest(of: baseline)
      bases.append(.init(folder: baseline, tree: digest))
    }
    return (bases, leases)
  }
}
