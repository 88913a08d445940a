"""The public oracle, `oracle/`: its files are as generated, its runner scores as it says, and bvtree's adapter works."""

import importlib.util
import pathlib
import subprocess
import sys

import pytest

FOLDER = pathlib.Path(__file__).parents[2] / "oracle"


def run(*arguments):
    return subprocess.run([sys.executable, *map(str, arguments)], capture_output=True, text=True)


@pytest.fixture(scope="module")
def runner():
    spec = importlib.util.spec_from_file_location("run", FOLDER / "run.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_files_are_as_generated():
    result = run(FOLDER / "generate.py", "--check")
    assert result.returncode == 0, result.stderr


def test_answers_of_the_adapter_are_right(tmp_path):
    # Depths take longest; tests/public_oracle.rs asks for them.
    adapter = f"{FOLDER / 'adapters/bvtree_adapter.py'}:answer"
    result = run(FOLDER / "run.py", "--callable", adapter, "--questions", "hit,relation,impact", "--out", tmp_path)
    assert result.returncode == 0, result.stdout + result.stderr
    rows = [row.split(",") for row in (tmp_path / "answers.csv").read_text().splitlines()]
    assert rows[0] == ["question", "class", "right", "wrong", "refused"]
    assert len(rows) > 20 and all(int(row[2]) > 0 and row[3:] == ["0", "0"] for row in rows[1:])


@pytest.mark.parametrize(
    "question, expected, answered, result",
    [
        ("hit", "1", "1", "right"),
        ("hit", "1", "0", "wrong"),
        ("hit", "1", "refused too hard", "refused"),
        ("hit", "0", "", "wrong"),
        ("pairs", "0-1 2-3", "2-3 0-1", "right"),
        ("pairs", "0-1 2-3", "0-1", "wrong"),
        ("pairs", "", "", "right"),
        ("pairs", "", "0-0", "wrong"),
        ("relation", "a_in_b", "b_in_a", "wrong"),
        ("distance", "1.5", "1.5005", "right"),
        ("distance", "1.5", "1.502", "wrong"),
        ("distance", "1.5", "nan", "wrong"),
        ("distance", "1.5 1.6", "1.6", "right"),
        ("depth", "1.5", "1.45 1.55", "right"),
        ("depth", "1.5", "1.51 1.55", "wrong"),
        ("depth", "1.5", "1.0 2.0", "refused"),
        ("depth", "1.5", "1.55 1.45", "wrong"),
        ("impact", "none", "none", "right"),
        ("impact", "none", "0.5", "wrong"),
        ("impact", "0.5", "none", "wrong"),
    ],
)
def test_scores(runner, question, expected, answered, result):
    assert runner.score(question, expected, answered, 0.001) == result


PROGRAM = """
import sys, time
for line in sys.stdin:
    case, question, *_ = line.split()
    if case == "b":
        sys.exit(3)
    if case == "d":
        time.sleep(60)
    print(case, question, 1, flush=True)
"""


def test_a_program_that_ends_or_hangs_is_started_again(runner, tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    asked = [(case, "hit", f"{case} hit") for case in "abcde"]
    answers = runner.ask([sys.executable, str(tmp_path / "program.py")], asked, seconds=3)
    words = {case: answers[case, "hit"].split()[0] for case in "abcde"}
    assert words == {"a": "1", "b": "refused", "c": "1", "d": "refused", "e": "1"}
    assert "ended early" in answers["b", "hit"] and "no answer" in answers["d", "hit"]


def test_the_readme_shows_a_line_as_it_is_written(runner):
    readme = (FOLDER / "README.md").read_text()
    questions = list(runner.questions())
    assert questions[0][3] in readme and len(readme.splitlines()) <= 150
    assert f"{len(questions):,} questions" in readme
    assert f"{len({case for case, *_ in questions})} cases" in readme
    assert f"{len(list((FOLDER / 'meshes').iterdir()))} meshes" in readme
