"""Scores the conformance cases and real models on a device and on the CPU. The device must pass what the CPU passes."""

import json
import pathlib
import subprocess
import sys
import tarfile
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
# Part -> (its archive, the folder of cases in the archive).
COLLECTIONS = {"cases": ("corpus-dev.tar.gz", "dev"), "models": ("models-dev.tar.xz", "models-dev/real")}


def unpack(archive, split, folder, sample):
    """Unpacks all cases, or `sample` of each group, evenly spread."""
    with tarfile.open(archive) as packed:
        members = packed.getmembers()
        if sample is not None:
            groups = {}
            for member in members:
                path = pathlib.PurePosixPath(member.name)
                if path.name == "meta.json" and member.name.startswith(split + "/"):
                    groups.setdefault(path.parent.parent, []).append(str(path.parent))
            kept = tuple(
                case + "/" for cases in groups.values()
                for case in sorted(cases)[:: max(len(cases) // sample, 1)][:sample])
            members = [member for member in members if member.name.startswith(kept)]
        packed.extractall(folder, members)


def score(machine, folder, place, out, jobs):
    """Scores the cases of `folder`; returns the results by case."""
    command = " ".join(f"'{word}'" for word in machine.command("conformance", *place, "--threads", 2)) + " {out}"
    report = out / "scores.json"
    scorer = [sys.executable, "-s", str(HERE / "cases" / "score.py"), str(folder), "--cmd", command]
    if machine.loader:
        scorer = [*machine.loader, *scorer]
    scorer += ["--jobs", str(jobs), "--batch", "50", "--timeout", "900", "--report", str(report)]
    run = subprocess.run(scorer, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, stdin=subprocess.DEVNULL)
    if run.returncode != 0 or not report.exists():
        raise RuntimeError(f"the scorer ended with {run.returncode}: {run.stdout[-500:]}")
    return {case["id"]: case for case in json.loads(report.read_text())["cases"]}


def check(machine, report, device, parts, options, table):
    """Scores the parts; reports the cases that pass on the CPU but not on the device."""
    rows, cases = [], {}
    for part in parts:
        name, split = COLLECTIONS[part]
        archive = HERE / "cases" / name
        if not archive.exists():
            report.skips(f"{part}: not in the pack")
            continue
        with tempfile.TemporaryDirectory(prefix="gpu-check-") as folder:
            folder = pathlib.Path(folder)
            report.say(f"{part}: unpacking {name}")
            unpack(archive, split, folder, options.sample)
            report.say(f"{part}: on the CPU")
            cpu = score(machine, folder / split, ["--compute-units", "cpuOnly"], folder, options.jobs)
            report.say(f"{part}: {sum(case['status'] == 'PASS' for case in cpu.values())} of {len(cpu)} pass; on {device}")
            found = score(machine, folder / split, ["--device", device], folder, options.jobs)
        good = sum(case["status"] == "PASS" for case in found.values())
        report.say(f"{part}: {good} of {len(found)} pass on {device}")
        report.passes(sum(case["status"] == "PASS" for case in found.values()))
        for group in sorted({case["group"] for case in found.values()}):
            of = [case for case in found.values() if case["group"] == group]
            on_cpu = [cpu[case["id"]] for case in of]
            rows.append([
                f"{part} {group}", len(of), sum(case["status"] == "PASS" for case in on_cpu),
                sum(case["status"] == "PASS" for case in of), sum(case["strict"] for case in on_cpu), sum(case["strict"] for case in of)])
        for identity, case in found.items():
            crashed = case["status"] == "CRASH"
            if crashed or (case["status"] != "PASS" and cpu[identity]["status"] == "PASS"):
                report.fails(f"{part} {identity} ({case['status'].lower()}): {case['why'][:200]}")
            elif case["status"] != "PASS":
                report.skips(f"{part} {identity}: does not pass on the CPU either")
        cases[part] = list(found.values())
    if rows:
        head = ["cases", "n", "pass on the CPU", "pass on the device", "strict on the CPU", "strict on the device"]
        report.section("Correctness", table(head, rows), cases=cases)
