// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "ModelClasses",
  dependencies: [
    // In other packages: .package(url: ..., from: ...)
    .package(name: "coreml", path: "../..")
  ],
  targets: [
    .executableTarget(
      name: "ReadDigits", dependencies: [.product(name: "CoreML", package: "coreml")],
      plugins: [.plugin(name: "CoreMLPlugin", package: "coreml")])
  ]
)
