// Public names that are defined in the modules beneath.
@_exported import struct CoreMLErrors.RuntimeError
@_exported import enum CoreMLExecution.Processor
@_exported import enum CoreMLExecution.CacheDirectories
@_exported import enum MIL.RuntimeLimit
@_exported import struct MIL.RuntimeLimits
