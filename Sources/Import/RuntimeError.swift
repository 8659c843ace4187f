// Every file of this module may throw it.
@_exported import struct CoreMLErrors.RuntimeError
