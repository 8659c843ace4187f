#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The mounted file systems from `/proc/self/mountinfo`, for messages about files whose owner and mode come from their
/// mount.
package struct MountTable {
  private let text: String

  package init(_ text: String) { self.text = text }

  /// Nil if the system has no such table.
  package static var current: MountTable? {
    let file = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    return OpenFile.bytes(file, limit: 1 << 22).map { MountTable(String(decoding: $0, as: UTF8.self)) }
  }

  /// File systems without owners and modes, or usually mounted without them.
  private static let plain: Set<Substring> = [
    "vfat", "msdos", "exfat", "ntfs", "ntfs3", "fuseblk", "cifs", "smb3", "9p", "vboxsf", "hfs", "fuse.vmhgfs-fuse",
    "fuse.gcsfuse", "fuse.s3fs", "fuse.rclone", "fuse.blobfuse2",
  ]

  /// The type of a device's file system, if it has no owners and modes.
  package func withoutModes(_ device: dev_t) -> String? {
    let number = UInt64(truncatingIfNeeded: device)
    // The encoding of device numbers in glibc and musl.
    let major = (number >> 8 & 0xFFF) | (number >> 32 & ~0xFFF)
    let minor = (number & 0xFF) | (number >> 12 & 0xFFFF_FF00)
    for line in text.split(separator: "\n") {
      // ID PARENT MAJOR:MINOR ROOT PLACE OPTIONS [MORE ...] - KIND SOURCE OPTIONS
      let words = line.split(separator: " ")
      guard words.count > 2, words[2] == "\(major):\(minor)", let end = words.dropFirst(6).firstIndex(of: "-"),
        end + 1 < words.count, Self.plain.contains(words[end + 1])
      else { continue }
      return String(words[end + 1])
    }
    return nil
  }
}
