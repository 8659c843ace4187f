"""Entry point of the command ``runtime`` in the wheel."""
import os
import sys
from pathlib import Path


def main():
    program = Path(__file__).resolve().parent / "_native" / "runtime"
    os.execv(program, ["runtime", *sys.argv[1:]])
