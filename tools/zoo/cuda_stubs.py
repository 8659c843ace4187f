"""Lets torch's x86 wheel load without the CUDA libraries, which take 2.5 GB and are unused on a machine without a GPU.

    python cuda_stubs.py      in the environment that has torch

For each missing library, it writes a stub beside torch's libraries with the expected name and symbol version. The
functions of a stub end the process. The CUDA runtime and CUPTI are not stubs: they are small, and torch calls them
while it loads. Needs a C compiler and nm.
"""
import importlib.util
import os
import pathlib
import re
import subprocess
import tempfile

# (prefix of the library's functions, file name, whether its symbols have a version with the name of the file).
LIBRARIES = [
    ("cublasLt", "libcublasLt.so.12", True),
    ("cublas", "libcublas.so.12", True),
    ("cudnn", "libcudnn.so.9", True),
    ("cuFile", "libcufile.so.0", False),
    ("cufft", "libcufft.so.11", True),
    ("curand", "libcurand.so.10", False),
    ("cusparseLt", "libcusparseLt.so.0", False),
    ("cusparse", "libcusparse.so.12", True),
    ("nccl", "libnccl.so.2", False),
]


def undefined(folder):
    """The names that torch's libraries import."""
    names = set()
    for file in sorted(folder.glob("libtorch*.so")):
        lines = subprocess.run(["nm", "-D", "--undefined-only", str(file)], capture_output=True, text=True, check=True).stdout
        names.update(re.findall(r" U (\w+)", lines))
    return names


def write(folder, file, names, versioned):
    """Compiles one library and moves it into place."""
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        source, script, out = (pathlib.Path(scratch) / name for name in ("stub.c", "stub.map", file))
        source.write_text("".join(f"void {name}(void) {{ __builtin_trap(); }}\n" for name in sorted(names)))
        command = ["cc", "-shared", "-fPIC", "-w", f"-Wl,-soname,{file}", "-o", str(out), str(source)]
        if versioned:
            script.write_text(f"{file} {{ global: *; }};\n")
            command.append(f"-Wl,--version-script={script}")
        subprocess.run(command, check=True)
        os.replace(out, folder / file)


def main():
    folder = pathlib.Path(importlib.util.find_spec("torch").origin).parent / "lib"
    if not (folder / "libtorch_cuda.so").exists():
        return  # a wheel without CUDA
    names = undefined(folder)
    for prefix, file, versioned in LIBRARIES:
        mine = {name for name in names if name.startswith(prefix)}
        names -= mine
        write(folder, file, mine, versioned)


main()
