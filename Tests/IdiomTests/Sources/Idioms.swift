// swift-format-ignore-file
import CoreML

enum Idioms {
    static func compiled(_ path: String, file: String = #filePath) async throws -> URL {
        // The folder of this file, after resolving symbolic links.
        var folder = URL(fileURLWithPath: file).resolvingSymlinksInPath()
        while folder.lastPathComponent != "Tests" { folder = folder.deletingLastPathComponent() }
        return try await MLModel.compileModel(at: folder.deletingLastPathComponent().appendingPathComponent(path))
    }
}
