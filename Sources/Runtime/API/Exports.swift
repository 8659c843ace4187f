import CoreMLBase

// Public names that are defined in lower modules.
@_exported import struct CoreMLBase.RuntimeError
@_exported import enum CoreMLExecution.Processor
@_exported import enum CoreMLExecution.CacheDirectories
@_exported import enum CoreMLBase.RuntimeLimit
@_exported import struct CoreMLBase.RuntimeLimits
