#!/usr/bin/env python3
"""Builds the wheel, before auditwheel repairs it: the package, the stripped library and command, and the licenses."""
import argparse
import base64
import hashlib
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

FOLDER = pathlib.Path(__file__).resolve().parent
# Libraries that auditwheel does not copy into the wheel.
SYSTEM = re.compile(r"^(ld-linux|lib(c|m|dl|rt|pthread|stdc\+\+|gcc_s|resolv|util|z)\.so)")


def version(root):
    header = (root / "Sources/CInterface/include/coreml_runtime.h").read_text()
    return re.search(r'COREML_RUNTIME_VERSION "([^"]+)"', header).group(1)


def project():
    try:
        import tomllib
    except ImportError:
        sys.exit("python/build_wheel.py needs Python 3.11 or later")
    return tomllib.loads((FOLDER / "pyproject.toml").read_text())["project"]


def metadata(told, number):
    lines = [
        "Metadata-Version: 2.4", f"Name: {told['name']}", f"Version: {number}", f"Summary: {told['description']}",
        f"Requires-Python: {told['requires-python']}", f"License-Expression: {told['license']}", "License-File: LICENSE"]
    lines += [f"Classifier: {each}" for each in told["classifiers"]]
    lines += [f"Requires-Dist: {each}" for each in told["dependencies"]]
    for extra, needs in told["optional-dependencies"].items():
        lines += [f"Provides-Extra: {extra}"] + [f"Requires-Dist: {need}; extra == '{extra}'" for need in needs]
    return "\n".join(lines) + "\nDescription-Content-Type: text/markdown\n\n" + (FOLDER / told["readme"]).read_text()


def licences(root, binaries):
    """{name: text} of the licenses of all contents: statically linked code, and libraries that auditwheel will add."""
    found = {"LICENSE": (root / "LICENSE").read_bytes()}
    swift = pathlib.Path(shutil.which("swift") or "/usr/bin/swift").resolve().parent.parent / "share/swift/LICENSE.txt"
    if not swift.exists():
        sys.exit(f"{swift} is missing: the Swift runtime's licence belongs into the wheel")
    found["swift/LICENSE.txt"] = swift.read_bytes()
    for checkout in sorted((root / ".build/checkouts").iterdir()):
        for name in ("LICENSE.txt", "LICENSE", "NOTICE.txt"):
            if (checkout / name).exists():
                found[f"{checkout.name}/{name}"] = (checkout / name).read_bytes()
    packages = {"libarchive-dev", "libopenblas-dev", "libopenblas-pthread-dev", "libgfortran5"}
    for binary in binaries:
        for line in subprocess.run(["ldd", binary], capture_output=True, text=True, check=True).stdout.splitlines():
            words = line.split()
            if len(words) > 2 and words[1] == "=>" and not SYSTEM.match(words[0]):
                path = pathlib.Path(words[2])
                for place in (path, path.resolve(), pathlib.Path("/usr" + str(path))):
                    owner = subprocess.run(["dpkg-query", "-S", str(place)], capture_output=True, text=True).stdout
                    if owner:
                        packages.add(owner.split(":")[0])
                        break
                else:
                    sys.exit(f"{path} belongs to no package: its licence is not known")
    for package in sorted(packages):
        path = pathlib.Path(f"/usr/share/doc/{package}/copyright")
        if path.exists():
            found[f"{package}/copyright"] = path.read_bytes()
    return found


class Wheel:
    def __init__(self, path):
        self.file, self.record = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1), []

    def add(self, name, data, mode=0o644):
        told = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
        told.external_attr, told.compress_type = (0o100000 | mode) << 16, zipfile.ZIP_DEFLATED
        self.file.writestr(told, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self.record.append(f"{name},sha256={digest},{len(data)}")

    def close(self, info):
        self.record.append(f"{info}/RECORD,,")
        self.file.writestr(f"{info}/RECORD", "\n".join(self.record) + "\n")
        self.file.close()


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--built", type=pathlib.Path, required=True)
    options.add_argument("--root", type=pathlib.Path, required=True)
    options.add_argument("--out", type=pathlib.Path, required=True)
    given = options.parse_args()
    told, number = project(), version(given.root)
    binaries = [given.built / "libcoreml_runtime.so", given.built / "runtime"]
    path = given.out / f"{told['name']}-{number}-py3-none-linux_x86_64.whl"
    wheel, info = Wheel(path), f"{told['name']}-{number}.dist-info"
    for source in sorted(FOLDER.glob("coreml_runtime/**/*")):
        if source.suffix in (".py", ".typed"):
            wheel.add(str(source.relative_to(FOLDER)), source.read_bytes())
    for name in ("_coreml_runtime_finder.py", "coreml_runtime_coremltools.pth"):
        wheel.add(name, (FOLDER / name).read_bytes())
    with tempfile.TemporaryDirectory() as folder:
        for binary in binaries:
            stripped = pathlib.Path(folder) / binary.name
            subprocess.run(["strip", "--strip-all" if binary.name == "runtime" else "--strip-unneeded", "-o", stripped, binary], check=True)
            wheel.add(f"coreml_runtime/_native/{binary.name}", stripped.read_bytes(), 0o755)
    for name, text in licences(given.root, binaries).items():
        wheel.add(f"{info}/licenses/{name}", text)
    wheel.add(f"{info}/METADATA", metadata(told, number).encode())
    wheel.add(f"{info}/WHEEL", b"Wheel-Version: 1.0\nGenerator: build_wheel\nRoot-Is-Purelib: false\nTag: py3-none-linux_x86_64\n")
    wheel.add(f"{info}/entry_points.txt", ("[console_scripts]\n" + "".join(f"{a} = {b}\n" for a, b in told["scripts"].items())).encode())
    wheel.close(info)
    print(path)


if __name__ == "__main__":
    main()
