import Foundation

extension Publisher {
  /// Signs a statement that a channel's manifest and the root are the newest ones. It must be renewed before it
  /// expires.
  ///
  /// - Parameters:
  ///   - keys: enough keys of the role `freshness`.
  ///   - lifetime: in seconds; nil for the lifetime of the settings.
  /// - Throws: ``DeliveryError`` `cannotPublish` if the root has no freshness role or the channel has no manifest;
  ///   `unknownKey`, `thresholdNotMet`; `expired` if the manifest or the root has expired.
  @discardableResult
  public func freshen(
    _ channel: String, with keys: [any DocumentSigner], lifetime: Int64? = nil
  ) throws -> FreshnessStatement {
    let lifetime = lifetime ?? settings.statementLifetime ?? 2 * 86_400
    return try StatementSigning(files: files, repository: settings.repository, now: now, lifetime: lifetime).sign(
      channel, with: keys)
  }
}
