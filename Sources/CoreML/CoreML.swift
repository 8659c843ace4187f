@_exported import CoreMLRuntime
