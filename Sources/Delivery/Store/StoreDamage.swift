import Foundation

/// The damaged items of a store that were set aside.
struct StoreDamage: Sendable {
  let models: DamagedItems
  let records: DamagedItems

  init(_ places: DeliveryDirectories) {
    models = DamagedItems(folder: places.data.appending(path: "store/damaged", directoryHint: .isDirectory))
    // The limit is higher than for models, because records are small and name the affected models.
    records = DamagedItems(
      folder: places.data.appending(path: "store/damaged-records", directoryHint: .isDirectory), limit: 64)
  }

  /// Returns the models, oldest first, then the records of names.
  func items() -> [URL] { models.items() + records.items() }

  /// Returns the names whose records were set aside.
  func namesOfRecords() -> Set<String> {
    Set(
      records.items().compactMap { url in
        let file = url.lastPathComponent
        return file.range(of: ".installed-", options: .backwards).map { String(file[..<$0.lowerBound]) }
      })
  }
}
