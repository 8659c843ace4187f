import CoreMLErrors
import CoreMLSpec
import Foundation

/// A file that was generated and is not written yet.
package struct GeneratedFile: Sendable {
  package let name: String
  package let text: String

  package init(name: String, text: String) {
    self.name = name
    self.text = text
  }

  /// Writes the file into a folder, whole or not at all; what stands there with the same text is left as it is, so that builds do not take
  /// it for new.
  package func write(into folder: URL) throws -> URL {
    let url = folder.appending(path: name)
    if let standing = try? Data(contentsOf: url), standing.elementsEqual(text.utf8) { return url }
    let file = try FileWriter(path: url.path)
    try file.append(Array(text.utf8))
    try file.commit()
    return url
  }
}
