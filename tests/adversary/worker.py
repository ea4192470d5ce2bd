"""Makes calls one by one and tells of each before and after: `worker.py SEED FIRST COUNT`."""

from __future__ import annotations

import json
import os
import resource
import sys
import traceback

os.environ.setdefault("MPLBACKEND", "agg")

MOST_MEMORY = 6 << 30


def make(seed: int, number: int) -> tuple[str, str, str]:
    """Name, verdict and remark of a call."""
    from draw import Draw
    from parameters import Call
    from registry import entries
    from verdict import judge

    draw = Draw(seed, number)
    known = entries()
    entry = draw.random.choices(known, [entry.share for entry in known])[0]
    call = Call(draw, entry.target)
    function, arguments = entry.arguments(call)
    verdict, remark = judge(function, arguments)
    if "matplotlib" in sys.modules:
        import matplotlib.pyplot as plt

        plt.close("all")
    return entry.name, verdict, remark


def main() -> None:
    """Make the calls; a fault of the harness itself ends it."""
    seed, first, count = map(int, sys.argv[1:])
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2) if not os.environ.get("SHOW") else None
    from registry import entries

    entries()  # fits the examples, which is no part of any call
    print(json.dumps({"ready": first}), file=out, flush=True)
    for number in range(first, first + count):
        print(json.dumps({"begins": number}), file=out, flush=True)
        try:
            name, verdict, remark = make(seed, number)
        except Exception:
            name, verdict, remark = "harness", "harness", traceback.format_exc()
        told = {"ended": number, "name": name, "verdict": verdict, "remark": remark[:1500]}
        print(json.dumps(told), file=out, flush=True)


if __name__ == "__main__":
    main()
