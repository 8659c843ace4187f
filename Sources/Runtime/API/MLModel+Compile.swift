import CoreMLImport
import Foundation

extension MLModel {
  /// Compiles a model file or package into a folder that exists, for those who keep compiled models themselves: nothing is moved
  /// afterwards. Gives a `.mlmodelc` of the source's base name in that folder.
  public class func compileModel(at url: URL, into folder: URL) throws -> URL {
    try compiling { try ModelCompiler.compile(url, into: folder, check: DescriptionReader.check) }
  }
}
