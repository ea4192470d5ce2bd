"""A file of runs that grows by a line as each run ends, so that an interrupted call can go on."""

import csv

import pandas as pd

from record import RESULTS, provenance_comment


class ResumableRuns:
    """Runs told apart by `key`, with `fields` measured; those among `numbers` may be missing."""

    def __init__(self, name, key, fields, packages, numbers=()):
        self.path = RESULTS / f"{name}.csv"
        self.key, self.fields, self.packages, self.numbers = key, fields, packages, numbers

    def read(self):
        missing = dict.fromkeys(self.numbers, "")
        return pd.read_csv(self.path, comment="#", keep_default_na=False, na_values=missing)

    def carry_out(self, runs, resume):
        """Do the runs, pairs of key and function, that are not yet in the file; return all of them."""
        RESULTS.mkdir(exist_ok=True)
        done = set()
        if resume and self.path.exists():
            self._require_same_origin()
            done = set(self.read()[self.key].itertuples(index=False, name=None))
        else:
            header = provenance_comment(self.packages) + ",".join([*self.key, *self.fields]) + "\n"
            self.path.write_text(header, encoding="utf-8")
        wanted = []
        with self.path.open("a", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, [*self.key, *self.fields], lineterminator="\n")
            for key, work in runs:
                wanted.append(key)
                if key in done:
                    continue
                row = dict(zip(self.key, key, strict=True)) | work()
                writer.writerow(row)
                file.flush()
                first = self.fields[:2]
                print(*key, *(f"{name} {row[name]:.4g}" for name in first), flush=True)
        return self.read().merge(pd.DataFrame(wanted, columns=self.key), on=self.key)

    def _require_same_origin(self):
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
