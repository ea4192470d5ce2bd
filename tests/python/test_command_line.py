"""The program `softwood`: from CSV files to trees and predictions, and what it refuses."""

import csv
import gzip
import io
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import softwood
from softwood.command_line import main

QUICK = ["--depth", "1", "--starts", "2", "--quiet"]


def lines_of(X, y, names):
    yield [*names, "diagnosis"]
    yield from ([*map(repr, row), label] for row, label in zip(X.tolist(), y, strict=True))


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """200 rows of the example with four columns, as a file."""
    X, y, names = softwood.load_example()
    path = tmp_path_factory.mktemp("csv") / "cells.csv"
    with path.open("w", newline="") as stream:
        csv.writer(stream).writerows(lines_of(X[:200, :4], y[:200], names[:4]))
    return path


@pytest.fixture
def run(capsys):
    """Run the program; return its exit code, what it printed and what it complained of."""

    def call(*arguments):
        code = main([str(argument) for argument in arguments])
        return code, *capsys.readouterr()

    return call


@pytest.fixture
def written(tmp_path):
    """Write a file; return its path."""

    def write(text, name="data.csv"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_a_fit_prints_and_saves_the_tree_of_the_function(run, file, tmp_path):
    out = tmp_path / "tree.json"
    code, printed, _ = run("fit", file, "--target", "diagnosis", "--out", out, *QUICK)
    X, y, names = softwood.load_example()
    model = softwood.fit_orct(X[:200, :4], y[:200], 1, n_starts=2, feature_names=names[:4])
    saved = softwood.load(out)
    assert code == 0
    assert str(model).splitlines()[4:] == printed.splitlines()[4 : len(str(model).splitlines())]
    assert (saved.coefficients == model.coefficients).all()
    right = (model.predict(X[:200, :4]) == y[:200]).sum()
    assert f"{right} of 200 right" in printed


def test_predictions_are_those_of_the_model_by_column_names(run, file, tmp_path):
    out, answers = tmp_path / "tree.json", tmp_path / "answers.csv"
    run("fit", file, "--target", "diagnosis", "--out", out, *QUICK)
    rows = list(csv.reader(file.read_text().splitlines()))
    turned = tmp_path / "turned.csv"
    with turned.open("w", newline="") as stream:
        csv.writer(stream, delimiter=";").writerows(row[::-1] for row in rows)
    assert run("predict", out, turned, "--proba", "--out", answers)[0] == 0
    header, *lines = csv.reader(answers.read_text().splitlines())
    model, X = softwood.load(out), softwood.load_example()[0][:200, :4]
    assert header == ["prediction", "probability of benign", "probability of malignant"]
    assert [line[0] for line in lines] == model.predict(X).tolist()
    assert np.array([line[1:] for line in lines], float) == pytest.approx(model.predict_proba(X))


def test_a_target_of_many_numbers_is_a_regression(run, file, tmp_path):
    out = tmp_path / "tree.json"
    arguments = ["--target", "radius_mean", "--drop", "diagnosis", "--out", out, *QUICK]
    code, printed, _ = run("fit", file, *arguments)
    assert code == 0
    assert isinstance(softwood.load(out), softwood.SrtModel)
    assert float(printed.split("R² ")[1].split()[0]) > 0.9
    code, printed, _ = run("predict", out, file)
    assert code == 0
    assert len(printed.splitlines()) == 201
    code, _, complaint = run("predict", out, file, "--proba")
    assert (code, "no probabilities" in complaint) == (2, True)


@pytest.mark.parametrize(
    ("task", "kind"),
    [
        ("auto", softwood.OrctModel),
        ("classification", softwood.OrctModel),
        ("regression", softwood.SrtModel),
    ],
)
def test_few_whole_numbers_are_classes_unless_said_otherwise(run, written, tmp_path, task, kind):
    rng = np.random.default_rng(0)
    x = rng.normal(size=60)
    data = written("x,y\n" + "".join(f"{v},{int(v > 0)}\n" for v in x))
    out = tmp_path / "tree.json"
    arguments = ["--target", "y", "--task", task, "--out", out, *QUICK]
    assert run("fit", data, *arguments)[0] == 0
    assert isinstance(softwood.load(out), kind)


def test_weights_and_seed_reach_the_fit(run, written, tmp_path):
    rng = np.random.default_rng(1)
    X, w = rng.normal(size=(80, 2)), rng.integers(1, 4, 80)
    y = np.where(X[:, 0] + X[:, 1] > 0.3, "yes", "no")
    rows = zip(X.tolist(), w, y, strict=True)
    data = written("a,b,w,y\n" + "".join(f"{a},{b},{v},{c}\n" for (a, b), v, c in rows))
    out = tmp_path / "tree.json"
    arguments = ["--target", "y", "--weight", "w", "--seed", "3", "--out", out, *QUICK]
    assert run("fit", data, *arguments)[0] == 0
    wanted = softwood.fit_orct(X, y, 1, n_starts=2, sample_weight=w, random_state=3)
    assert (softwood.load(out).coefficients == wanted.coefficients).all()


def test_the_choice_by_cross_validation_is_kept(run, file, tmp_path):
    out = tmp_path / "tree.json"
    arguments = ["--target", "diagnosis", "--cv", "--starts", "1", "--quiet", "--out", out]
    assert run("fit", file, *arguments)[0] == 0
    assert softwood.load(out).report.cross_validation is not None


def test_gzipped_files_and_marks_of_order_are_read(run, file, tmp_path):
    packed = tmp_path / "cells.csv.gz"
    packed.write_bytes(gzip.compress(b"\xef\xbb\xbf" + file.read_bytes()))
    code, printed, _ = run("fit", packed, "--target", "diagnosis", *QUICK)
    assert code == 0
    assert printed == run("fit", file, "--target", "diagnosis", *QUICK)[1]


def test_show_prints_the_tree_of_a_file(run, file, tmp_path):
    out = tmp_path / "tree.json"
    run("fit", file, "--target", "diagnosis", "--out", out, *QUICK)
    assert run("show", out)[1] == f"{softwood.load(out)}\n"
    code, printed, _ = run("show", out, "--terms", "4", "--report")
    assert code == 0
    assert printed.startswith(softwood.load(out).describe(4))
    assert "best_start" in printed


def test_notices_are_printed_and_no_warnings(run, file):
    code, printed, complaint = run("fit", file, "--target", "diagnosis", "--time-limit", "1e-9")
    assert code == 0
    assert "Saved" not in printed
    assert "Note: the fit ended at time_limit" in complaint
    assert "Warning" not in complaint


BAD = {
    "a column short": ("a,y\n1,0\n2\n", ", line 3: 1 fields, the header has 2"),
    "no target": ("a,b\n1,0\n2,1\n", "has no column 'y'; its columns are a, b"),
    "target missing": ("a,y\n1,0\n2,\n", ", line 3, column 'y': missing"),
    "no rows": ("a,y\n", "must have a header and at least one row"),
    "empty": ("", "must have a header and at least one row"),
    "a name twice": ("a,y,a\n1,0,2\n", ", line 1: columns 1 and 3 are both 'a'"),
    "no name": ("a,,y\n1,0,2\n", ", line 1: column 2 has no name"),
    "nothing but the target": ("y\n1\n0\n", "has no column beside y"),
    "infinite": ("a,y\n1,0\ninf,1\n", ", line 3, column 'a': 'inf' is not finite"),
    "one class": ("a,y\n1,0\n2,0\n", "class"),
    "quoted without end": ('a,y\n1,"0\n2,1\n', "line 3: unexpected end of data"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_files_are_refused_by_place(run, written, case):
    text, expected = BAD[case]
    path = written(text)
    code, printed, complaint = run("fit", path, "--target", "y", "--quiet")
    assert (code, printed) == (2, "")
    assert complaint.startswith("softwood: ")
    assert expected in complaint
    assert "Traceback" not in complaint


def test_a_text_among_numbers_is_named_with_its_line(run, written):
    rows = "".join(f"{k},{k % 2}\n" for k in range(40))
    path = written(f"a,y\n{rows}4o,1\n")
    code, _, complaint = run("fit", path, "--target", "y")
    assert code == 2
    assert f"{path}, line 42, column 'a': '4o' is not a number" in complaint
    assert "--text a" in complaint


def test_bytes_that_are_no_text_are_named_with_their_line(run, tmp_path):
    path = tmp_path / "latin.csv"
    path.write_bytes("a,y\n1,0\nÿ,1\n".encode("latin-1"))
    assert f"{path}, line 3: not UTF-8 text" in run("fit", path, "--target", "y")[2]


def test_files_that_are_not_there_are_named(run, file, tmp_path):
    absent = tmp_path / "absent"
    for arguments in (
        ["fit", absent, "--target", "y"],
        ["show", absent],
        ["predict", absent, file],
    ):
        code, _, complaint = run(*arguments)
        assert code == 2
        assert str(absent) in complaint


def test_new_rows_need_the_columns_of_the_model(run, file, written, tmp_path):
    out = tmp_path / "tree.json"
    run("fit", file, "--target", "diagnosis", "--out", out, *QUICK)
    code, _, complaint = run("predict", out, written("radius_mean,a\n1,2\n"))
    assert code == 2
    assert "has no column 'texture_mean'" in complaint
    header = file.read_text().splitlines()[0]
    code, _, complaint = run("predict", out, written(f"{header}\n1,2,x,3,benign\n"))
    assert code == 2
    assert "line 2, column 'perimeter_mean': 'x' is not a number" in complaint


def test_the_program_and_the_module_are_the_same(file):
    script = shutil.which("softwood", path=str(Path(sys.executable).parent))
    assert script, "the console script is not installed"
    arguments = ["fit", str(file), "--target", "diagnosis", *QUICK]
    for program in ([script], [sys.executable, "-m", "softwood"]):
        ended = subprocess.run([*program, *arguments], capture_output=True, text=True, check=True)
        assert "right" in ended.stdout
        assert ended.stderr == ""


def test_without_arguments_it_is_the_demonstration():
    command = [sys.executable, "-m", "softwood", "--starts", "2"]
    alone = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "Held-out rows" in alone
    assert "softwood fit data.csv" in alone


def test_a_reader_that_leaves_early_is_no_error(file, tmp_path):
    command = [sys.executable, "-m", "softwood", "show", str(tmp_path / "tree.json")]
    main(["fit", str(file), "--target", "diagnosis", "--out", command[-1], *QUICK])
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        child.stdout.close()
        complaint = child.stderr.read()
    assert complaint == b""


def test_ctrl_c_keeps_the_best_tree(run, file, tmp_path, monkeypatch):
    model = softwood.fit_orct(*softwood.load_example()[:2], 1, n_starts=1)

    def interrupted(*_, **__):
        stop = KeyboardInterrupt()
        stop.partial = partial
        raise stop

    monkeypatch.setattr("softwood.command_line.fit.fit_orct", interrupted)
    monkeypatch.setattr("softwood.command_line.fit.score_of", lambda *_: "as far as it came")
    out = tmp_path / "tree.json"
    arguments = ["fit", file, "--target", "diagnosis", "--out", out, *QUICK]
    partial = None
    assert run(*arguments) == (130, "", "softwood: interrupted\n")
    partial = model
    code, printed, _ = run(*arguments)
    assert (code, printed.splitlines()[0]) == (0, "Interrupted: this is the best tree so far.")
    assert softwood.load(out) == model


def test_a_field_of_several_lines_does_not_shift_the_count(run, written):
    path = written('a,note,y\n1,"two\nlines",0\n2,x,1\n3,x,\n')
    complaint = run("fit", path, "--target", "y")[2]
    assert f"{path}, line 5, column 'y'" in complaint


def test_predictions_go_to_standard_output(run, file, tmp_path):
    out = tmp_path / "tree.json"
    run("fit", file, "--target", "diagnosis", "--out", out, *QUICK)
    header, *lines = csv.reader(io.StringIO(run("predict", out, file)[1]))
    assert header == ["prediction"]
    assert {line[0] for line in lines} == {"benign", "malignant"}


MIXED = """size,colour,age,code,y
1.5,red,30,1,yes
2.5,blue,,2,no
0.5,red,41,1,yes
3.5,blue,22,2,no
1.0,?,35,1,yes
2.0,green,28,3,no
1.2,red,33,1,yes
2.2,blue,45,2,no
"""


def test_text_and_missing_values_are_those_of_a_mapping(run, written, tmp_path):
    out = tmp_path / "tree.json"
    arguments = ["--target", "y", "--text", "code", "--out", out, *QUICK]
    assert run("fit", written(MIXED), *arguments)[0] == 0
    header, *rows = csv.reader(MIXED.splitlines())
    columns = dict(zip(header, map(list, zip(*rows, strict=True)), strict=True))
    y = columns.pop("y")
    columns["size"] = [float(value) for value in columns["size"]]
    columns["age"] = [float(value) if value else None for value in columns["age"]]
    columns["colour"] = [None if value == "?" else value for value in columns["colour"]]
    wanted = softwood.fit_orct(columns, y, 1, n_starts=2, missing="indicator")
    saved = softwood.load(out)
    assert saved.encoded_names == wanted.encoded_names
    assert (saved.coefficients == wanted.coefficients).all()
    _, printed, _ = run("predict", out, written(MIXED, "new.csv"))
    assert printed.split() == ["prediction", *wanted.predict(columns)]


def test_levels_never_seen_are_noted(run, written, tmp_path):
    out = tmp_path / "tree.json"
    run("fit", written(MIXED), "--target", "y", "--drop", "code", "--out", out, *QUICK)
    new = written("size,colour,age\n1,pink,20\n", "new.csv")
    code, printed, complaint = run("predict", out, new)
    assert (code, len(printed.split())) == (0, 2)
    assert complaint.startswith("Note: column 'colour' holds levels never seen in training")


def test_missing_values_are_refused_if_asked_for(run, written):
    path = written(MIXED)
    code, _, complaint = run("fit", path, "--target", "y", "--missing", "error")
    assert code == 2
    assert f"{path}, line 6, column 'colour': missing" in complaint


def test_other_kinds_of_trees_predict_files_or_say_that_they_cannot(run, file, tmp_path):
    X, y, names = softwood.load_example()
    few, names = X[:200, :4], names[:4]
    softwood.fit_spdt(few, y[:200], 1, C=1.0, feature_names=names).save(tmp_path / "hard.json")
    code, out, _ = run("predict", tmp_path / "hard.json", file, "--proba")
    assert code == 0
    told = list(csv.reader(io.StringIO(out)))
    assert told[0][1:] == ["probability of benign", "probability of malignant"]
    assert [row[0] for row in told[1:]] == softwood.load(tmp_path / "hard.json").predict(
        few
    ).tolist()
    curved = softwood.fit_functional_orct(few, y[:200], 1, n_intervals=1, n_starts=1)
    curved.save(tmp_path / "curved.json")
    code, _, complaint = run("predict", tmp_path / "curved.json", file)
    assert code == 2
    assert "is a tree on curves" in complaint
