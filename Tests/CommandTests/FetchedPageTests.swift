import Foundation
import TestSupport
import Testing

/// A web page that a host returns instead of a model does not replace a model.
@Suite(.tags(.process)) struct FetchedPageTests {
  @Test(arguments: ["<html>please log in</html>", ""]) func aPageReplacesNoModel(_ page: String) throws {
    let folder = try Scratch()
    try SmallModels.write(SmallModels.mixed, to: "good.mlmodel", in: folder)
    let before = try Data(contentsOf: folder.url.appending(path: "good.mlmodel"))
    let url = try folder.write(page, to: "host/good.mlmodel").absoluteString
    try CommandRun(["fetch", url, "-o", "good.mlmodel"], in: folder).failed(65, naming: "expected a model, found")
    #expect(try Data(contentsOf: folder.url.appending(path: "good.mlmodel")) == before)
    try before.write(to: folder.url.appending(path: "host/good.mlmodel"))
    #expect(try CommandRun(["fetch", url, "-o", "new.mlmodel"], in: folder).status == 0)
  }
}
