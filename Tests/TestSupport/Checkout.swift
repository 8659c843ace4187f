import Foundation

/// Files of the checkout that tests read.
package enum Checkout {
  package static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  package static let cases = root.appending(path: "Tests/Cases")
  /// Large models beside the checkout. The folder may be missing.
  package static let shared = root.appending(path: "../shared").standardizedFileURL
}
