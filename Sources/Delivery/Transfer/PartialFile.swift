import CoreMLBase
import CoreMLSpec
import CPlatform
import Foundation

/// A file being downloaded. Until it is complete, it has a temporary name that only one process writes to and only its
/// user can read. A record next to it describes the received bytes, so that a later run of the same user can resume.
///
/// Bytes written by a process that died are intact. After a crash of the machine, only bytes that were synchronized and
/// still match their recorded digest are used.
actor PartialFile: TransferSink {
  private let folder: PartialFolder
  private let path: String
  private let expected: String?
  private let descriptor: Int32
  private var sha = SHA256Digest()
  private var durable: Int64 = 0
  private var durableSHA256 = ""
  private(set) var held = HeldBytes()
  /// The source of the received bytes, for the record.
  private var origin: (url: String, place: String)?
  private var isOpen = true
  private let executor = QueueExecutor(label: "coreml.delivery.partial")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// The number of bytes after which the file is synchronized.
  private static let checkpoint: Int64 = 32 << 20

  private init(_ folder: PartialFolder, path: String, expected: String?, isNew: Bool) throws {
    self.folder = folder
    self.path = path
    self.expected = expected
    descriptor = Foundation.open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | (isNew ? O_CREAT | O_EXCL : 0), 0o600)
    guard descriptor >= 0 else {
      PartialFolder.release(path)
      throw Self.failure("created", at: folder.target, errno)
    }
  }

  /// Whether only this user can access the file. Checked on the open descriptor, so that the file cannot be exchanged
  /// afterwards.
  private nonisolated var isOwn: Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && PartialFolder.isOwn(status)
  }

  deinit {
    guard isOpen else { return }
    close(descriptor)
    PartialFolder.release(path)
  }

  /// Opens the partial file of an earlier run, or creates a new one.
  ///
  /// - Throws: ``DeliveryError`` if the folder of the target is not writable.
  static func open(for target: URL, beside place: URL?, item: TransferItem) async throws -> PartialFile {
    let folder = PartialFolder(target, beside: place)
    if let claim = try folder.claim(for: item) {
      let file = try PartialFile(folder, path: claim.path, expected: item.sha256, isNew: false)
      if file.isOwn {
        try await file.adopt(claim.record, isWhole: claim.isWhole, from: claim.record.source(in: item))
        return file
      }
      await file.discard()
    }
    return try PartialFile(folder, path: folder.makeName(), expected: item.sha256, isNew: true)
  }

  /// Resumes from the bytes of an earlier run, as far as they are reliable.
  private func adopt(_ record: PartialRecord, isWhole: Bool, from url: URL?) throws {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw failure("examined", errno) }
    let size = isWhole ? Int64(status.st_size) : min(record.durable, Int64(status.st_size))
    guard size >= record.durable, size <= record.total ?? .max, try hash(size, checking: record) else {
      return try restart()
    }
    guard ftruncate(descriptor, off_t(size)) == 0, lseek(descriptor, off_t(size), SEEK_SET) == off_t(size) else {
      throw failure("written", errno)
    }
    origin = (record.url, record.place)
    held = HeldBytes(count: size, url: url, validator: record.validator, total: record.total)
    (durable, durableSHA256) = (record.durable, record.durableSHA256)
    try writeRecord()
  }

  /// Hashes the first `size` bytes. Returns false if the synchronized bytes do not match their recorded digest.
  private func hash(_ size: Int64, checking record: PartialRecord) throws -> Bool {
    var (sha, offset) = (SHA256Digest(), Int64(0))
    let buffer = try WorkingMemory.take()
    defer { WorkingMemory.giveBack(buffer) }
    while true {
      if offset == record.durable && offset > 0 && sha.hexadecimal() != record.durableSHA256 { return false }
      if offset == size { break }
      let end = offset < record.durable ? record.durable : size
      let read = pread(descriptor, buffer.baseAddress, Int(min(Int64(buffer.count), end - offset)), off_t(offset))
      if read < 0 && errno == EINTR { continue }
      guard read > 0 else { throw failure("read", read < 0 ? errno : EIO) }
      sha.append(UnsafeRawBufferPointer(rebasing: buffer[..<read]))
      offset += Int64(read)
    }
    self.sha = sha
    return true
  }

  func expect(_ held: HeldBytes) throws {
    self.held = held
    if let url = held.url { origin = (url.display, url.placeDigest) }
    if let total = held.total { try reserve(total - held.count) }
    try writeRecord()
  }

  /// Reserves disk space for the bytes to come.
  private func reserve(_ bytes: Int64) throws {
    guard bytes > 0 else { return }
    var system = statvfs()
    if statvfs(folder.target.deletingLastPathComponent().path, &system) == 0 {
      let (free, overflow) = UInt64(system.f_bavail).multipliedReportingOverflow(by: UInt64(system.f_frsize))
      if !overflow && free < UInt64(bytes) {
        throw DeliveryError(
          .noSpace, "expected room for \(bytes) bytes in the file system, found \(free)", file: folder.target.path)
      }
    }
    // A file system without preallocation reports a lack of space during the writes.
    let failure = cplatform_reserve(descriptor, held.count, bytes)
    if failure == ENOSPC || failure == EDQUOT { throw self.failure("given room", failure) }
  }

  func append(_ bytes: [UInt8]) throws {
    try bytes.withUnsafeBytes { bytes in
      var done = 0
      while let base = bytes.baseAddress, done < bytes.count {
        let written = write(descriptor, base + done, bytes.count - done)
        if written < 0 && errno == EINTR { continue }
        guard written > 0 else { throw failure("written", written < 0 ? errno : ENOSPC) }
        done += written
      }
      sha.append(bytes)
    }
    held.count += Int64(bytes.count)
    if held.count - durable >= Self.checkpoint { try makeDurable() }
  }

  func restart() throws {
    guard ftruncate(descriptor, 0) == 0, lseek(descriptor, 0, SEEK_SET) == 0 else { throw failure("written", errno) }
    (sha, held, durable, durableSHA256, origin) = (SHA256Digest(), HeldBytes(), 0, "", nil)
    unlink(PartialFolder.record(of: path))
  }

  func digest() -> String { sha.hexadecimal() }

  private func makeDurable() throws {
    guard fsync(descriptor) == 0 else { throw failure("written to disk", errno) }
    (durable, durableSHA256) = (held.count, sha.hexadecimal())
    try writeRecord()
  }

  private func writeRecord() throws {
    guard let origin else { return }
    let record = PartialRecord(
      url: origin.url, place: origin.place, validator: held.validator, total: held.total, expected: expected,
      durable: durable,
      durableSHA256: durableSHA256)
    do {
      let writer = try FileWriter(path: PartialFolder.record(of: path), mode: 0o600)
      try writer.append(Array(try JSONEncoder().encode(record)))
      try writer.commit(namingDurably: false)
    } catch let error as SpecError {
      throw DeliveryError(.unwritable, error.message, file: folder.target.path)
    }
  }

  /// Moves the complete file to its target, durably.
  func commit() throws {
    guard fchmod(descriptor, 0o644 & ~Self.mask) == 0, fsync(descriptor) == 0 else {
      throw failure("written to disk", errno)
    }
    // In a folder where other users may rename files, another file may have taken the temporary name.
    var (opened, named) = (stat(), stat())
    guard fstat(descriptor, &opened) == 0, lstat(path, &named) == 0, opened.st_ino == named.st_ino,
      opened.st_dev == named.st_dev
    else { throw failure("put in its place: another file has taken its private name", ESTALE) }
    guard rename(path, folder.target.path) == 0 else { throw failure("put in its place", errno) }
    unlink(PartialFolder.record(of: path))
    end()
    let directory = Foundation.open(folder.target.deletingLastPathComponent().path, O_RDONLY | O_CLOEXEC)
    guard directory >= 0 else { throw failure("put in its place", errno) }
    defer { close(directory) }
    // Some network file systems return EINVAL because they cannot synchronize folders. That is not an error.
    guard fsync(directory) == 0 || errno == EINVAL else { throw failure("put in its place", errno) }
  }

  /// Keeps the partial file if a later run can resume from it; otherwise removes it. Returns the number of bytes kept.
  @discardableResult func keep() -> Int64? {
    guard isOpen else { return nil }
    let isUseful = held.count > 0 && origin != nil && (held.validator != nil || expected != nil)
    guard isUseful, (try? makeDurable()) != nil else {
      discard()
      return nil
    }
    end()
    return held.count
  }

  /// Removes the partial file.
  func discard() {
    guard isOpen else { return }
    unlink(path)
    unlink(PartialFolder.record(of: path))
    end()
  }

  /// The process's umask, read from /proc. `umask` itself could only read it by changing it for a moment.
  private static var mask: mode_t {
    let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix("Umask:") }
    return line.flatMap { mode_t($0.dropFirst(6).trimmingCharacters(in: .whitespaces), radix: 8) } ?? 0o022
  }

  private func end() {
    close(descriptor)
    isOpen = false
    PartialFolder.release(path)
  }

  private func failure(_ doing: String, _ number: Int32) -> DeliveryError {
    Self.failure(doing, at: folder.target, number)
  }

  private static func failure(_ doing: String, at target: URL, _ number: Int32) -> DeliveryError {
    let code: DeliveryError.Code = number == ENOSPC || number == EDQUOT ? .noSpace : .unwritable
    return DeliveryError(code, "the file cannot be \(doing)", at: target, errno: number)
  }
}
