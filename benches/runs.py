"""Runs of a benchmark kept one by one in a file, so that an interrupted call can be resumed."""

import csv

import pandas as pd

from record import RESULTS, provenance_comment


class Runs:
    """results/NAME.csv: a row per run; `key` tells one run from another, `numbers` may be empty."""

    def __init__(self, name, key, fields, numbers, packages):
        self.path, self.key, self.fields = RESULTS / f"{name}.csv", key, fields
        self.numbers, self.packages = numbers, packages

    def read(self):
        """All runs in the file."""
        return pd.read_csv(
            self.path,
            comment="#",
            keep_default_na=False,
            na_values=dict.fromkeys(self.numbers, ""),
        )

    def require_same_origin(self):
        """Runs of different versions or machines must not be averaged together; only the command may differ."""
        now = provenance_comment(self.packages).splitlines()[1:]
        with self.path.open(encoding="utf-8") as file:
            then = [next(file).rstrip("\n") for _ in range(len(now) + 1)][1:]
        if then != now:
            raise SystemExit(
                "cannot resume, the stored runs come from\n"
                + "\n".join(then)
                + "\nand these would come from\n"
                + "\n".join(now)
            )

    def carry_out(self, runs, resume, show):
        """Run what is not yet in the file, adding each result at once: an interrupted call loses one run at most."""
        RESULTS.mkdir(exist_ok=True)
        done = set()
        if resume and self.path.exists():
            self.require_same_origin()
            done = set(self.read()[self.key].itertuples(index=False, name=None))
        else:
            header = provenance_comment(self.packages) + ",".join(self.fields) + "\n"
            self.path.write_text(header, encoding="utf-8")
        wanted = []
        with self.path.open("a", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, self.fields, lineterminator="\n")
            for key, work in runs:
                wanted.append(key)
                if key in done:
                    continue
                row = dict(zip(self.key, key, strict=True)) | work()
                writer.writerow(row)
                file.flush()
                print(*key, show(row), flush=True)
        return self.read().merge(pd.DataFrame(wanted, columns=self.key), on=self.key)
