"""Calls everything that is public with good, extreme and wrong arguments, in supervised processes.

    python tests/adversary/run.py --calls 20000 --jobs 2 --out tests/adversary/results/calls.md

A call is drawn from seed and number alone, so that any of them can be made again:

    python tests/adversary/run.py --seed 0 --call 1234
"""

from __future__ import annotations

import argparse
import json
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
HANGS_AFTER = 60.0
"""Seconds; no fit here is asked for more than a second, on a machine that may be busy."""

STARTS_WITHIN = 600.0
"""Seconds in which a worker has made its examples."""

SOUND = ("answered", "refused")
"""Verdicts that are no faults."""

CALLS_OF_A_WORKER = 1000


def main() -> None:
    """Run, print the table, fail on any fault."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--calls", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path)
    parser.add_argument(
        "--log", type=Path, help="where calls are kept as they end; those in it are not made again"
    )
    parser.add_argument("--call", type=int, help="make this one alone, and show what it says")
    asked = parser.parse_args()
    if asked.call is not None:
        print(*supervised(asked.seed, asked.call, 1), sep="\n")
        return
    began = time.monotonic()
    told = run(asked.seed, asked.calls, asked.jobs, asked.log)
    text = table(told, asked.seed, time.monotonic() - began)
    print(text)
    if asked.out:
        asked.out.parent.mkdir(exist_ok=True)
        asked.out.write_text(text, encoding="utf-8")
    sys.exit(any(not is_sound(call) for call in told))


def run(seed: int, calls: int, jobs: int, log: Path | None = None) -> list[dict[str, Any]]:
    """Make so many calls, in several processes at a time."""
    kept = (
        [json.loads(line) for line in log.read_text().splitlines()] if log and log.exists() else []
    )
    made = {call["number"] for call in kept}

    def part(first: int) -> list[dict[str, Any]]:
        last = min(calls, first + CALLS_OF_A_WORKER)
        while first in made:
            first += 1
        new = []
        for call in supervised(seed, first, max(0, last - first)):
            new.append(call)
            if log:
                with log.open("a") as file:
                    print(json.dumps(call), file=file)
        return new

    with ThreadPoolExecutor(jobs) as pool:
        parts = pool.map(part, range(0, calls, CALLS_OF_A_WORKER))
        new = [call for part in parts for call in part]
    return sorted(kept + new, key=lambda call: call["number"])


def is_sound(call: dict[str, Any]) -> bool:
    """Whether it was answered or refused as it should be."""
    return call["verdict"] in SOUND


def supervised(seed: int, first: int, count: int) -> Iterator[dict[str, Any]]:
    """Outcomes of the calls; a process that dies or does not answer is replaced by another."""
    last = first + count
    while first < last:
        command = [sys.executable, HERE / "worker.py", str(seed), str(first), str(last - first)]
        # Files are written by names that are drawn, too.
        with (
            tempfile.TemporaryDirectory(prefix="softwood-adversary-") as folder,
            subprocess.Popen(command, stdout=subprocess.PIPE, cwd=folder) as worker,
        ):
            for call in answers(worker):
                first = call["number"] + 1
                yield call
            worker.kill()


def answers(worker: subprocess.Popen[bytes]) -> Iterator[dict[str, Any]]:
    """What a process says, to the end or to the call it does not return from."""
    lines: queue.Queue[bytes] = queue.Queue()

    def read() -> None:
        assert worker.stdout is not None
        for line in worker.stdout:
            lines.put(line)
        lines.put(b"")

    threading.Thread(target=read, daemon=True).start()
    number, began, patience = None, time.monotonic(), STARTS_WITHIN
    while True:
        try:
            line = lines.get(timeout=patience)
        except queue.Empty:
            yield {"number": number, "name": "?", "verdict": "hang", "remark": f"{patience} s"}
            return
        if not line:
            if number is not None:
                remark = f"exit code {worker.wait()}"
                yield {"number": number, "name": "?", "verdict": "crash", "remark": remark}
            elif worker.wait():
                raise RuntimeError(f"{worker.args} does not start")
            return
        told = json.loads(line)
        if "begins" in told:
            number, began = told["begins"], time.monotonic()
        elif "ended" in told:
            told["number"], told["seconds"] = told.pop("ended"), time.monotonic() - began
            number = None
            yield told
        patience = HANGS_AFTER


def table(calls: list[dict[str, Any]], seed: int, seconds: float) -> str:
    """Outcomes by name, and every fault with the number of its call."""
    verdicts = Counter((call["name"], call["verdict"]) for call in calls)
    shown = [*SOUND, *sorted({v for _, v in verdicts} - set(SOUND))]
    faults = [call for call in calls if not is_sound(call)]
    slowest = max(call.get("seconds", 0) for call in calls)
    command = f"`python tests/adversary/run.py --seed {seed} --calls {len(calls)}`"
    found = f"{len(calls)} calls, {len(faults)} faults, {seconds:.0f} s, slowest {slowest:.1f} s"
    lines = [
        "# Calls with good, extreme and wrong arguments",
        "",
        f"{command}: {found}",
        "",
        "| name | " + " | ".join(shown) + " |",
        "|---|" + "---:|" * len(shown),
    ]
    for name in sorted({name for name, _ in verdicts}):
        lines.append(f"| `{name}` | " + " | ".join(str(verdicts[name, v]) for v in shown) + " |")
    total = Counter(call["verdict"] for call in calls)
    lines.append("| all | " + " | ".join(str(total[v]) for v in shown) + " |")
    if faults:
        lines += ["", "## Faults", ""]
        lines += [f"- {c['number']} `{c['name']}` {c['verdict']}: {c['remark']}" for c in faults]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
