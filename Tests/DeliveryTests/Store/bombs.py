"""Creates archives that unpack to 10 GB, and runs commands with resource limits. Used by BombTests.

    bombs.py make KIND FORM FILE     KIND: tar.bz2, tar.gz, tar.xz, tar.zst, zip
                                     FORM: one (one file of 10 GB), many (160 files of 64 MB),
                                           liar (one file with a false, small size; zip only)
    bombs.py run BYTES COMMAND...    runs COMMAND with a file size limit of BYTES; prints its status, peak memory in bytes
                                     and standard error as JSON

Each archive repeats one compressed chunk of 64 MB of zeros. All of these formats permit concatenated chunks.
"""

import bz2
import ctypes
import gzip
import json
import lzma
import resource
import struct
import subprocess
import sys
import zlib

PIECE = 64 << 20
COUNT = 160
ZEROS = bytes(PIECE)


def zstd(data):
    """Compresses with the library that libarchive uses."""
    library = ctypes.CDLL("libzstd.so.1")
    library.ZSTD_compressBound.restype = library.ZSTD_compress.restype = ctypes.c_size_t
    room = library.ZSTD_compressBound(ctypes.c_size_t(len(data)))
    packed = ctypes.create_string_buffer(room)
    size = library.ZSTD_compress(packed, ctypes.c_size_t(room), data, ctypes.c_size_t(len(data)), 3)
    return packed.raw[:size]


PACK = {"tar.gz": lambda data: gzip.compress(data, 9, mtime=0), "tar.bz2": bz2.compress, "tar.xz": lzma.compress, "tar.zst": zstd}


def header(name, size):
    """Returns a ustar header. Sizes of 8 GB and above are in base 256, as in GNU tar."""
    number = b"%011o\0" % size if size < 8 << 30 else b"\x80" + size.to_bytes(11, "big")
    block = bytearray(512)
    for offset, field in [
        (0, name.encode()), (100, b"0000644\0"), (108, b"0000000\0"), (116, b"0000000\0"), (124, number),
        (136, b"00000000000\0"), (148, b" " * 8), (156, b"0"), (257, b"ustar\x0000"),
    ]:
        block[offset:offset + len(field)] = field
    block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block)


def make_tar(kind, form, path):
    pack = PACK[kind]
    piece = pack(ZEROS)
    with open(path, "wb") as file:
        for index in range(COUNT):
            if form == "many" or index == 0:
                file.write(pack(header(f"bomb{index}.mlmodel", PIECE if form == "many" else PIECE * COUNT)))
            file.write(piece)
        file.write(pack(bytes(1024)))


def make_zip(form, path):
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    # After a full flush, the chunk does not refer to preceding data, so it can be repeated.
    piece = packer.compress(ZEROS) + packer.flush(zlib.Z_FULL_FLUSH)
    end = b"\x03\x00"
    files = COUNT if form == "many" else 1
    pieces = COUNT // files
    size, packed = PIECE * pieces, len(piece) * pieces + len(end)
    checksum = 0
    for _ in range(pieces):
        checksum = zlib.crc32(ZEROS, checksum)
    told = 1000 if form == "liar" else size
    directory, count = b"", 0
    with open(path, "wb") as file:
        for index in range(files):
            name, offset = f"bomb{index}.mlmodel".encode(), file.tell()
            extra = struct.pack("<HHQQ", 1, 16, told, packed)
            # Version 4.5 (zip64), UTF-8 name, deflate.
            common = struct.pack("<HHHHHIIIHH", 45, 0x800, 8, 0, 0x21, checksum, 0xFFFFFFFF, 0xFFFFFFFF, len(name), len(extra))
            file.write(b"PK\x03\x04" + common + name + extra)
            for _ in range(pieces):
                file.write(piece)
            file.write(end)
            extra = struct.pack("<HHQQQ", 1, 24, told, packed, offset)
            common = struct.pack("<HHHHHIIIHH", 45, 0x800, 8, 0, 0x21, checksum, 0xFFFFFFFF, 0xFFFFFFFF, len(name), len(extra))
            directory += b"PK\x01\x02" + struct.pack("<H", 45) + common + struct.pack("<HHHII", 0, 0, 0, 0, 0xFFFFFFFF) + name + extra
            count += 1
        start = file.tell()
        file.write(directory)
        end64 = file.tell()
        file.write(b"PK\x06\x06" + struct.pack("<QHHIIQQQQ", 44, 45, 45, 0, 0, count, count, len(directory), start))
        file.write(b"PK\x06\x07" + struct.pack("<IQI", 0, end64, 1))
        file.write(b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0))


def run(limit, command):
    def bound():
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    done = subprocess.run(command, preexec_fn=bound, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss << 10
    print(json.dumps({"status": done.returncode, "peak": peak, "errors": done.stderr}))


if sys.argv[1] == "make":
    kind, form, path = sys.argv[2:5]
    make_zip(form, path) if kind == "zip" else make_tar(kind, form, path)
else:
    run(int(sys.argv[2]), sys.argv[3:])
