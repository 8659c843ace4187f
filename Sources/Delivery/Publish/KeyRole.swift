import Foundation

/// The purpose of a key.
public enum KeyRole: String, Sendable, Hashable, CaseIterable {
  /// Signs roots, which assign keys to roles.
  case root
  /// It signs the manifests of channels.
  case release
  /// Signs only freshness statements.
  case freshness
}

extension TrustRoot {
  /// Returns the keys and threshold of a role; nil if the root does not define the role.
  public func role(_ role: KeyRole) -> Role? {
    switch role {
    case .root: roles.root
    case .release: roles.release
    case .freshness: roles.freshness
    }
  }
}
