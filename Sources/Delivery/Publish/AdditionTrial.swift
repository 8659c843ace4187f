import CoreMLRuntime
import Foundation

/// A private copy of a model that is to be added, and its trial.
struct AdditionTrial {
  /// The folder of the copy.
  let work: URL

  /// Makes a private copy of the model's own files, so that the trial and the release use the same bytes.
  func stage(_ source: URL, _ form: Variant.Form) throws -> URL {
    let name = form.isFile ? TreeDigest.fileName : "model.\(form.rawValue)"
    let copy = work.appending(path: name, directoryHint: form.isFile ? .notDirectory : .isDirectory)
    for path in try ModelFiles(of: source).referenced {
      try FileCopy.copy(
        path.isEmpty ? source : source.appending(path: path), to: path.isEmpty ? copy : copy.appending(path: path))
    }
    return copy
  }

  /// Makes private copies of the golden inputs and outputs, so that the trial and the release use the same bytes. They
  /// must be regular files, not links.
  func stage(_ golden: [(inputs: URL, outputs: URL)]) throws -> [(inputs: URL, outputs: URL)] {
    let folder = work.appending(path: "golden", directoryHint: .isDirectory)
    if !golden.isEmpty { try DeliveryDirectories.makeFolder(folder) }
    func copy(_ file: URL, _ name: String) throws -> URL {
      var status = stat()
      guard lstat(file.path, &status) == 0 else {
        throw DeliveryError(.unreadable, "the features cannot be examined", at: file, errno: errno)
      }
      guard status.st_mode & S_IFMT == S_IFREG else {
        throw DeliveryError(.cannotPublish, "expected a file of features, found something else", file: file.path)
      }
      let copy = folder.appending(path: "\(name).\(file.pathExtension)", directoryHint: .notDirectory)
      try FileCopy.copy(file, to: copy)
      return copy
    }
    return try golden.enumerated().map { index, test in
      (try copy(test.inputs, "\(index)-inputs"), try copy(test.outputs, "\(index)-outputs"))
    }
  }

  /// Compiles and loads a model, and tries it with its golden inputs, as devices do.
  ///
  /// - Throws: ``DeliveryError`` as ``ModelInstaller/install(_:as:_:)`` does; `CancellationError`.
  func tryOut(_ copy: URL, _ form: Variant.Form, _ addition: Publisher.Addition) throws {
    guard addition.isTried else { return }
    guard let storedForm = StoredModel.Form(rawValue: form.rawValue) else { return }
    let trial = ModelTrial(policy: try addition.trials.settled(), configuration: addition.configuration)
    var task = ModelTrial.Task(
      model: copy, form: storedForm, digest: try TreeDigest.digest(of: copy), name: addition.source.lastPathComponent)
    task.golden = addition.golden.map { test in
      GoldenFiles(
        inputs: test.inputs, outputs: test.outputs, absoluteTolerance: addition.absoluteTolerance,
        relativeTolerance: addition.relativeTolerance)
    }
    if form == .encrypted {
      guard let key = addition.key else {
        throw DeliveryError(
          .noModelKey, "the model is encrypted, and no key was given to try it with", file: addition.source.path)
      }
      task.key = try key.key()
    } else if form != .mlmodelc {
      let folder = work.appending(path: "compiled", directoryHint: .isDirectory)
      try DeliveryDirectories.makeFolder(folder)
      task.compiled = folder.appending(path: "model.mlmodelc", directoryHint: .isDirectory)
    }
    try trial.run(task)
  }
}
