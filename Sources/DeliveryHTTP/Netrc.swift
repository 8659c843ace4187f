import CoreMLDelivery
import Foundation

/// User names and passwords of hosts from a `.netrc` file (ftp(1)): `machine HOST login NAME password WORD`, and
/// `default` for all other hosts. A file that other users can read is rejected.
public struct Netrc: Sendable, Hashable {
  struct Login: Sendable, Hashable {
    var name = ""
    var password = ""
  }

  private var machines: [String: Login] = [:]
  private var others: Login?

  /// Creates an empty set of credentials.
  public init() {}

  /// Reads the credentials of a file, up to its first MiB. A missing file has no credentials.
  ///
  /// - Throws: `DeliveryError` `untrusted` if other users own or can read the file; `unreadable`.
  public init(file: URL) throws {
    let descriptor = open(file.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      if errno == ENOENT || errno == ENOTDIR {
        self.init()
        return
      }
      throw DeliveryError(
        .unreadable, "the passwords of hosts cannot be read: \(String(cString: strerror(errno)))", file: file.path)
    }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      [geteuid(), 0].contains(status.st_uid), status.st_mode & 0o077 == 0
    else {
      throw DeliveryError(
        .untrusted, "expected a file of passwords that its owner alone can read (mode 600)", file: file.path)
    }
    let data = (try? handle.read(upToCount: 1 << 20)).flatMap { $0 } ?? Data()
    self.init(text: String(decoding: data, as: UTF8.self))
  }

  init(text: String) {
    // Macros are only for ftp; they end at the next empty line.
    var words: [Substring] = []
    var isMacro = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.allSatisfy(\.isWhitespace) { isMacro = false }
      if isMacro || line.drop(while: \.isWhitespace).hasPrefix("#") { continue }
      let parts = line.split(whereSeparator: \.isWhitespace)
      if let macro = parts.firstIndex(of: "macdef") {
        words += parts[..<macro]
        isMacro = true
      } else {
        words += parts
      }
    }
    var (host, login): (String?, Login?) = (nil, nil)
    func keep(_ netrc: inout Netrc) {
      guard let login else { return }
      if let host { netrc.machines[host] = netrc.machines[host] ?? login } else { netrc.others = login }
    }
    var index = words.startIndex
    func next() -> String {
      index += 1
      return index < words.endIndex ? String(words[index]) : ""
    }
    while index < words.endIndex {
      switch words[index] {
      case "machine":
        keep(&self)
        (host, login) = (next().lowercased(), Login())
      case "default":
        keep(&self)
        (host, login) = (nil, Login())
      case "login": login?.name = next()
      case "password": login?.password = next()
      case "account": _ = next()
      default: break
      }
      index += 1
    }
    keep(&self)
  }

  func login(for host: String) -> Login? { machines[host.lowercased()] ?? others }
}
