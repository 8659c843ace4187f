import CoreMLDelivery
import Foundation
import Testing

@Suite struct PlacesTests {
  private func paths(_ environment: [String: String]) throws -> [String] {
    let places = try DeliveryDirectories(environment: environment)
    return [places.data, places.cache, places.state].map { $0.path }
  }

  @Test func defaultsAreBelowTheHomeFolder() throws {
    #expect(
      try paths(["HOME": "/home/ada"]) == [
        "/home/ada/.local/share/coreml", "/home/ada/.cache/coreml", "/home/ada/.local/state/coreml",
      ])
  }

  @Test func variablesOfTheBaseDirectorySpecificationAreHonoured() throws {
    let environment = ["HOME": "/home/ada", "XDG_DATA_HOME": "/d", "XDG_CACHE_HOME": "/c/", "XDG_STATE_HOME": "/s"]
    #expect(try paths(environment) == ["/d/coreml", "/c/coreml", "/s/coreml"])
  }

  @Test func relativePathsCountAsAbsent() throws {
    let environment = ["HOME": "/h", "XDG_DATA_HOME": "d", "XDG_CACHE_HOME": "", "XDG_STATE_HOME": "../s"]
    #expect(try paths(environment) == ["/h/.local/share/coreml", "/h/.cache/coreml", "/h/.local/state/coreml"])
  }

  @Test func aServiceKeepsThingsWhereItsUnitSays() throws {
    let environment = [
      "HOME": "/h", "XDG_DATA_HOME": "/d", "XDG_CACHE_HOME": "/c",
      "STATE_DIRECTORY": "/var/lib/one:/var/lib/two", "CACHE_DIRECTORY": "/var/cache/one",
    ]
    #expect(try paths(environment) == ["/var/lib/one/data", "/var/cache/one", "/var/lib/one/state"])
  }

  @Test func withoutHomeTheUsersOwnIsTaken() throws {
    let entry = try #require(getpwuid(getuid()))
    let home = String(cString: entry.pointee.pw_dir)
    #expect(
      try DeliveryDirectories(environment: [:]).cache.path == URL(filePath: home).appending(path: ".cache/coreml").path)
  }

  @Test func theCacheIsPrivateAndTagged() throws {
    let folder = try TemporaryFolder()
    let places = try DeliveryDirectories(environment: ["HOME": folder.url.path])
    let cache = try places.makeCache()
    let attributes = try FileManager.default.attributesOfItem(atPath: cache.path)
    #expect(attributes[.posixPermissions] as? Int == 0o700)
    #expect(try folder.read(".cache/coreml/CACHEDIR.TAG").hasPrefix("Signature: 8a477f597d28d172789f06886806bc55\n"))
    try places.makeCache()
    #expect(try folder.list(".cache/coreml") == ["CACHEDIR.TAG"])
  }

  @Test func aCacheThatCannotBeMadeIsAnError() throws {
    let folder = try TemporaryFolder()
    try folder.write("not a folder", to: ".cache")
    let error = #expect(throws: DeliveryError.self) {
      try DeliveryDirectories(environment: ["HOME": folder.url.path]).makeCache()
    }
    #expect(error?.code == .unwritable)
    #expect(error?.file == folder.url.appending(path: ".cache/coreml").path)
  }
}
