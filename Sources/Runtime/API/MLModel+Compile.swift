import CoreMLImport
import Foundation

extension MLModel {
  /// Compiles a model file or package into an existing folder and returns the `.mlmodelc` there, which has the source's
  /// base name. For callers that manage compiled models themselves: nothing needs to be moved afterwards.
  public class func compileModel(at url: URL, into folder: URL) throws -> URL {
    try compiling { try ModelCompiler.compile(url, into: folder, check: DescriptionReader.check) }
  }
}
