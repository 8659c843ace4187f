extension DeliveryError.Code {
  // What an archive is refused for. Nothing of it is written outside of the folder that it is unpacked into.

  /// An entry with an absolute path.
  public static let archiveAbsolutePath = Self(rawValue: "delivery.archive-absolute-path")
  /// An entry whose path leads upwards (`..`).
  public static let archiveParentPath = Self(rawValue: "delivery.archive-parent-path")
  /// An entry whose path cannot be a file's: empty, too long, not UTF-8, with control characters or backslashes.
  public static let archiveBadPath = Self(rawValue: "delivery.archive-bad-path")
  /// A symbolic or a hard link.
  public static let archiveLink = Self(rawValue: "delivery.archive-link")
  /// A device, a pipe or a socket.
  public static let archiveDevice = Self(rawValue: "delivery.archive-device")
  /// Two entries whose paths differ in case or composition alone: file systems would make one of them.
  public static let archiveCaseClash = Self(rawValue: "delivery.archive-case-clash")
  /// An entry that is there twice, or a file where another entry needs a folder.
  public static let archiveDuplicate = Self(rawValue: "delivery.archive-duplicate")
  /// More bytes than are allowed.
  public static let archiveTooLarge = Self(rawValue: "delivery.archive-too-large")
  /// More bytes than an honest archive of this size unpacks to.
  public static let archiveRatio = Self(rawValue: "delivery.archive-ratio")
  /// More entries than are allowed.
  public static let archiveTooManyFiles = Self(rawValue: "delivery.archive-too-many-files")
  /// Folders nested deeper than is allowed.
  public static let archiveTooDeep = Self(rawValue: "delivery.archive-too-deep")
  /// The archive ends early.
  public static let archiveTruncated = Self(rawValue: "delivery.archive-truncated")
  /// The archive is damaged.
  public static let archiveDamaged = Self(rawValue: "delivery.archive-damaged")
  /// No archive of a form that is read, or one with encrypted or sparse entries.
  public static let archiveUnsupported = Self(rawValue: "delivery.archive-unsupported")
  /// The archive holds no model, or several.
  public static let archiveNotOneModel = Self(rawValue: "delivery.archive-not-one-model")
}
