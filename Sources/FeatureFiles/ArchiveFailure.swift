import CArchive
import Foundation

/// Why a call of libarchive failed.
package struct ArchiveFailure {
  /// The errno of the system's call that failed. Nil if the archive is at fault.
  package let number: Int32?
  /// The system's reason, or libarchive's. Nil if libarchive gives none.
  package let reason: String?

  package init(_ archive: OpaquePointer) {
    let number = archive_errno(archive)
    // libarchive's own numbers: below zero, EILSEQ for a malformed archive, EINVAL for a wrong call.
    let isOfTheSystem = number > 0 && number != EILSEQ && number != EINVAL
    self.number = isOfTheSystem ? number : nil
    reason =
      isOfTheSystem
      ? String(cString: strerror(number)) : archive_error_string(archive).map { String(cString: $0) }
  }
}
