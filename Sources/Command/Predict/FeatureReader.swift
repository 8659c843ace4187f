import CoreML
import FeatureFiles
import Foundation

/// Converts files and command line arguments to features that a model declares.
struct FeatureReader {
  private let declarations: [String: MLFeatureDescription]
  private let images: [MLFeatureDescription]
  /// How pictures are fitted.
  private let pictures: [MLFeatureValue.ImageOption: Any]?

  /// Reads the inputs of a prediction.
  init(_ description: MLModelDescription, pictures: [MLFeatureValue.ImageOption: Any]? = nil) {
    self.init(description.inputDescriptionsByName, pictures: pictures)
  }

  init(_ declarations: [String: MLFeatureDescription], pictures: [MLFeatureValue.ImageOption: Any]? = nil) {
    self.declarations = declarations
    self.pictures = pictures
    images = declarations.values.filter { $0.type == .image }
  }

  /// Whether a row may name picture files.
  var takesImages: Bool { !images.isEmpty }

  /// Whether a feature is a picture.
  func isImage(_ name: String) -> Bool { declarations[name]?.type == .image }

  /// Whether one picture is a complete row.
  var takesOnePictureAlone: Bool {
    images.count == 1 && declarations.values.allSatisfy { $0.type == .image || $0.mayBeLeftOut }
  }

  /// The picture files that a JSON row names as its features, ordered by feature name.
  func pictures(in row: JSONValue, images source: ImageSource) -> [String] {
    guard takesImages, case .object(let members) = row else { return [] }
    return members.sorted { $0.key < $1.key }.filter { isImage($0.key) }.compactMap { name, value in
      FeatureJSON.picture(value).flatMap { try? source.path(of: $0, for: name) }
    }
  }

  /// The picture files that a file names, if it is a JSON row.
  func pictures(ofFile path: String) -> [String] {
    guard takesImages, path.lowercased().hasSuffix(".json"), let row = try? JSONValue(file: path) else { return [] }
    return pictures(in: row, images: .beside(path))
  }

  func declared(_ name: String) throws -> MLFeatureDescription {
    guard let feature = declarations[name] else {
      let names = declarations.keys.sorted().joined(separator: ", ")
      throw Failure(.data, "the model has no input '\(name)'; it has \(names.isEmpty ? "none" : names)")
    }
    return feature
  }

  /// Merges `--input` and `--set`. Each option may give a feature once; `--set` overrides files.
  func features(inputs: [String], settings: [String]) throws -> CommonFeatures {
    var (files, words): ([String: MLFeatureValue], [String: MLFeatureValue]) = ([:], [:])
    var places: [String: String] = [:]
    func place(_ name: String, _ option: String) throws {
      if let first = places.updateValue(option, forKey: name) {
        throw Failure(.usage, "the feature '\(name)' is given twice, by \(first) and by \(option)")
      }
    }
    for input in inputs {
      let (name, path) = Self.split(input)
      for (name, value) in try read(path, name: name) {
        try place(name, "--input \(input)")
        files[name] = value
      }
    }
    places = [:]
    for setting in settings {
      guard let equals = setting.firstIndex(of: "="), equals != setting.startIndex else {
        throw Failure(.usage, "--set is '\(setting)', expected NAME=VALUE")
      }
      let name = String(setting[..<equals])
      try place(name, "--set \(setting)")
      words[name] = try value(
        Self.unquoted(setting[setting.index(after: equals)...]), of: declared(name), images: .workingFolder)
    }
    return CommonFeatures(inputs: files, settings: words)
  }

  /// The text of a JSON string; any other word stays unchanged.
  private static func unquoted(_ word: Substring) -> String {
    var text = String(word)
    guard text.hasPrefix("\""),
      case .string(let string)? = try? text.withUTF8({ try JSONValue(UnsafeRawBufferPointer($0)) })
    else { return text }
    return string
  }

  /// Splits `NAME=FILE` or `FILE`. If a file with the whole name exists, the equals sign is part of the path.
  static func split(_ argument: String) -> (name: String?, path: String) {
    guard let equals = argument.firstIndex(of: "="), equals != argument.startIndex,
      !FileManager.default.fileExists(atPath: argument)
    else { return (nil, argument) }
    return (String(argument[..<equals]), String(argument[argument.index(after: equals)...]))
  }

  /// The features in one file.
  func read(_ path: String, name: String? = nil) throws -> [String: MLFeatureValue] {
    if path == StandardInput.path || StandardInput.isStream(path) {
      return try stream(try StandardInput.read(path), path == StandardInput.path ? StandardInput.name : path, name)
    }
    let kind = URL(filePath: path).pathExtension.lowercased()
    if name != nil, kind == "npz" || kind == "json" {
      throw Failure(.usage, "--input \(name ?? "")=\(path): the file names its features itself, expected no NAME")
    }
    switch kind {
    case "npz":
      return try NPZ.read(path) { name, elements in
        try about(path) { try FeatureConversion.feature(elements, declared(name)) }
      }
    case "json":
      guard case .object(let members) = try JSONValue(file: path) else {
        throw Failure(.data, "\(path): expected an object, feature -> value")
      }
      return try features(members, path, images: .beside(path))
    case "npy":
      guard let name else {
        throw Failure(.usage, "--input \(path): expected NAME=FILE, an array does not name its feature")
      }
      return try NPYFile.read(path) { elements in
        [name: try about(path) { try FeatureConversion.feature(elements, declared(name)) }]
      }
    default: return try picture(path, name)
    }
  }

  /// The picture in a file. Its first bytes identify it if its name does not.
  private func picture(_ path: String, _ name: String?) throws -> [String: MLFeatureValue] {
    switch RowFile(path) {
    case .picture:
      let feature = try name.map(declared) ?? onlyImage(path)
      guard feature.type == .image else {
        throw Failure(.data, "\(path): the input '\(feature.name)' is of type \(feature.type), an image is given")
      }
      return [feature.name: try ImageFiles.feature(path, feature, pictures)]
    case .unreadablePicture(let kind):
      throw Failure(
        .data,
        "\(path): it is a picture of the kind \(kind), expected PNG, JPEG, WebP, TIFF, GIF or BMP; convert it first")
    default:
      throw Failure(
        .usage, "\(path): expected .npz, .npy, .json or a picture (.png, .jpg, .webp, .tiff, .gif, .bmp) by its name")
    }
  }

  /// The features of a stream, which has no file name: a picture, by its first bytes, or JSON.
  private func stream(_ data: Data, _ source: String, _ name: String?) throws -> [String: MLFeatureValue] {
    try data.withUnsafeBytes { bytes in
      if ImageFiles.isPicture(bytes) {
        let feature = try name.map(declared) ?? onlyImage(source)
        return [feature.name: try about(source) { try ImageFiles.feature(bytes, feature, pictures) }]
      }
      if let name { throw Failure(.usage, "--input \(name)=: \(source) holds no picture, expected no NAME") }
      guard case .object(let members) = try about(source, { try JSONValue(bytes) }) else {
        throw Failure(.data, "\(source): expected an object, feature -> value")
      }
      return try features(members, source, images: .workingFolder)
    }
  }

  private func onlyImage(_ path: String) throws -> MLFeatureDescription {
    guard images.count == 1, let image = images.first else {
      let names = images.map(\.name).sorted().joined(separator: ", ")
      throw Failure(
        .usage,
        "\(path): expected NAME=FILE, the model has \(images.isEmpty ? "no image input" : "the image inputs \(names)")")
    }
    return image
  }

  /// Features from arrays by name.
  func features(_ arrays: [String: NPYArray], _ path: String) throws -> [String: MLFeatureValue] {
    try Dictionary(
      uniqueKeysWithValues: arrays.sorted { $0.key < $1.key }.map { name, array in
        (name, try about(path) { try FeatureConversion.feature(array, declared(name)) })
      })
  }

  /// Features from JSON values by name.
  func features(
    _ members: [String: JSONValue], _ place: String, images source: ImageSource
  ) throws -> [String: MLFeatureValue] {
    // Sorted, so that the same one of several wrong features is reported in every run.
    try Dictionary(
      uniqueKeysWithValues: members.sorted { $0.key < $1.key }.compactMap { name, value in
        let feature = try about(place) { try declared(name) }
        // An optional feature that is null is omitted, like an empty cell of a table.
        if value == .null, feature.mayBeLeftOut { return nil }
        return (name, try about(place) { try FeatureJSON.feature(value, feature, images: source, options: pictures) })
      })
  }

  /// A word of the command line or of a table: text for strings, a path for images, JSON for everything else.
  func value(_ word: String, of feature: MLFeatureDescription, images source: ImageSource) throws -> MLFeatureValue {
    switch feature.type {
    case .string: return MLFeatureValue(string: word)
    case .image: return try ImageFiles.feature(source.path(of: word, for: feature.name), feature, pictures)
    default:
      let json: JSONValue
      do {
        var word = word
        json = try word.withUTF8 { try JSONValue(UnsafeRawBufferPointer($0), isWord: true) }
      } catch let error as FeatureFileError {
        let reason = error.messageOfLine(column: "character")
        throw Failure(.data, "the value '\(word.prefix(60))' of the feature '\(feature.name)': \(reason)")
      }
      return try FeatureJSON.feature(json, feature, images: source, options: pictures)
    }
  }

  /// Runs `body`. An error that does not mention `place` gets it as a prefix.
  private func about<Result>(_ place: String, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch {
      let failure = Failure(error)
      guard !failure.sentence.contains(place) else { throw failure }
      throw Failure(failure.status, "\(place): \(failure.sentence)")
    }
  }
}

extension ImageSource {
  /// The user's files. Paths that are not absolute start at the folder of a file.
  static func beside(_ path: String) -> ImageSource {
    .files(relativeTo: URL(filePath: path).deletingLastPathComponent().path)
  }

  /// The user's files. Paths that are not absolute start at the working folder.
  static let workingFolder = ImageSource.files(relativeTo: ".")
}
