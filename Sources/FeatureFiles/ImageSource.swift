/// The files that a reader may open because its input names them: paths of pictures in JSON and in cells of tables.
///
/// A reader of such input takes a source without a default, so that each caller decides. A program that reads the input
/// of strangers, such as a server, passes `none`.
public enum ImageSource: Sendable, Hashable {
  /// The reader opens no file. It refuses input that names one.
  case none
  /// The reader opens every file that the process can read. An absolute path stays as it is. Any other path starts at
  /// the folder, may contain `..`, and may lead through links.
  case files(relativeTo: String)

  /// The path of the file that the input names.
  ///
  /// - Throws: `FeatureFileError` `noImageSource` if this source has no files. `feature` is the feature's name.
  public func path(of name: String, for feature: String) throws -> String {
    switch self {
    case .none:
      throw FeatureFileError(
        .noImageSource, "the feature '\(feature)' names the file '\(name.prefix(60))', expected a value without files")
    case .files(let folder): return name.hasPrefix("/") ? name : "\(folder)/\(name)"
    }
  }
}
