"""Asks a program or a Python function all questions of the oracle, and writes a scorecard.

    python3 run.py --command "my-program --its-options" --name mine
    python3 run.py --callable adapters/bvtree_adapter.py:answer

README.md says what a program reads and writes, and how answers are scored. Needs Python 3.9 or newer and nothing else.
"""

import argparse
import csv
import importlib.util
import queue
import shlex
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
SCORES = ("right", "wrong", "refused")
RESTARTS = 200


class Mesh:
    """A mesh of the oracle, as callables get it: its path, vertices and faces, lists of three numbers each."""

    def __init__(self, path):
        self.path, self.vertices, self.faces = str(path), [], []
        for line in Path(path).read_text().splitlines():
            kind, *words = line.split()
            if kind == "v":
                self.vertices.append([float(word) for word in words])
            else:
                self.faces.append([int(word) - 1 for word in words])


def read_table(name):
    with open(HERE / name, newline="") as file:
        return list(csv.DictReader(file))


def questions(only=None):
    """All questions: (case, question, class, line for a program, expected answer, tolerance)."""
    cases = {row["case"]: row for row in read_table("cases.csv")}
    for row in read_table("truth.csv"):
        case = cases[row["case"]]
        if only and row["question"] not in only:
            continue
        numbers = [word for word in list(case.values())[5:] if word]
        line = [row["case"], row["question"], f"meshes/{case['mesh_a']}.obj", f"meshes/{case['mesh_b']}.obj", *numbers]
        yield row["case"], row["question"], case["class"], " ".join(line), row["answer"], float(row["tolerance"] or 0)


# Scores


def score(question, expected, answered, tolerance):
    """right, wrong or refused."""
    words = answered.split()
    if words[:1] == ["refused"]:
        return "refused"
    try:
        if question in ("hit", "relation"):
            right = words == [expected]
        elif question == "pairs":
            right = sorted(words) == sorted(expected.split())
        elif expected == "none" or words == ["none"]:
            right = words == [expected]
        else:
            low, high = float(words[0]), float(words[-1])
            true_low, true_high = float(expected.split()[0]), float(expected.split()[-1])
            if len(words) > 2 or not low <= high:
                return "wrong"
            right = low - tolerance <= true_high and true_low <= high + tolerance
            if right and high - low > 0.1 * high + tolerance:
                return "refused"
    except (ValueError, IndexError):
        right = False
    return "right" if right else "wrong"


# Programs


def serve(function):
    """Answers lines from stdin by a Python function: what --callable runs in a process of its own."""
    meshes = {}

    def mesh(path):
        return meshes.setdefault(path, Mesh(HERE / path))

    for line in sys.stdin:
        case, question, a, b, *numbers = line.split()
        numbers = [float(word) for word in numbers]
        poses = [
            [*(numbers[k + 4 * row : k + 4 * row + 4] for row in range(3)), [0.0, 0.0, 0.0, 1.0]]
            for k in range(0, len(numbers), 12)
        ]
        try:
            answer = text_of(function(question, mesh(a), mesh(b), *poses))
        except Exception as error:  # whatever a library raises is a refusal
            answer = f"refused {type(error).__name__}: {error}"
        print(case, question, " ".join(answer.split()), flush=True)


def text_of(answer):
    if answer is None:
        return "none"
    if isinstance(answer, str):
        return answer
    if not hasattr(answer, "__len__"):
        return str(int(answer)) if str(answer) in ("True", "False") else repr(float(answer))
    if isinstance(answer, tuple):
        return " ".join(repr(float(x)) for x in answer)
    return " ".join(f"{int(i)}-{int(j)}" for i, j in answer)


def load(where):
    """The function that `path.py:function` or `module:function` names."""
    module, _, name = where.rpartition(":")
    if module.endswith(".py"):
        spec = importlib.util.spec_from_file_location(Path(module).stem, module)
        loaded = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(loaded)
    else:
        loaded = importlib.import_module(module)
    return getattr(loaded, name)


def ask(command, asked, seconds):
    """The answers by (case, question). A program that ends or hangs too early has refused its next question, and is
    started anew for the others."""
    answers, waiting, starts = {}, list(asked), 0
    while waiting and starts <= RESTARTS:
        starts += 1
        try:
            process = subprocess.Popen(command, cwd=HERE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        except OSError as error:
            sys.exit(f"{command[0]} cannot be started: {error}")
        lines = queue.Queue()

        def feed(process=process, text="".join(line + "\n" for *_, line in waiting)):
            try:
                process.stdin.write(text)
                process.stdin.close()
            except OSError:
                pass  # it has ended, which the reader notices

        def read(process=process, lines=lines):
            for line in process.stdout:
                lines.put(line)
            lines.put(None)

        for work in (feed, read):
            threading.Thread(target=work, daemon=True).start()
        why = "ended early"
        try:
            while (line := lines.get(timeout=seconds)) is not None:
                case, question, *words = line.split()
                answers[case, question] = " ".join(words)
        except queue.Empty:
            why = f"no answer within {seconds} s"
            process.kill()
        process.wait()
        waiting = [row for row in waiting if row[:2] not in answers]
        if waiting:
            answers[waiting.pop(0)[:2]] = f"refused {why}"
    answers.update({row[:2]: "refused not answered" for row in waiting})
    return answers


# Scorecards


def scorecard(rows):
    """CSV of counts by question and class."""
    counts = Counter((question, group, result) for _, question, group, result, *_ in rows)
    lines = ["question,class," + ",".join(SCORES)]
    order = list(dict.fromkeys((question, group) for _, question, group, *_ in rows))
    for question, group in sorted(order):
        lines.append(",".join([question, group, *(str(counts[question, group, s]) for s in SCORES)]))
    return "\n".join(lines) + "\n"


def summary(name, rows):
    lines = [f"{name}", "", f"{'':12}" + "".join(f"{s:>9}" for s in SCORES)]
    for question in dict.fromkeys(row[1] for row in rows):
        results = Counter(row[3] for row in rows if row[1] == question)
        lines.append(f"{question:12}" + "".join(f"{results[s]:9}" for s in SCORES))
        groups = Counter(row[2] for row in rows if row[1] == question and row[3] == "wrong")
        lines += [f"    wrong in {group}: {count}" for group, count in sorted(groups.items())]
        reasons = Counter(row[5] for row in rows if row[1] == question and row[3] == "refused")
        lines += [f"    {count} times: {reason[:90]}" for reason, count in reasons.most_common(2)]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    who = parser.add_mutually_exclusive_group(required=True)
    who.add_argument("--command", help="a program that reads questions on stdin and answers on stdout")
    who.add_argument("--callable", metavar="FILE.py:FUNCTION", help="or module:function")
    who.add_argument("--serve", metavar="FILE.py:FUNCTION", help="answer questions on stdin by this function")
    parser.add_argument("--name", default="answers", help="the first part of the names of written files")
    parser.add_argument("--out", type=Path, help="folder for the scorecard and the disagreements, as CSV")
    parser.add_argument(
        "--questions", help="only these, separated by commas: hit,pairs,distance,relation,depth,impact"
    )
    parser.add_argument("--tolerance-factor", type=float, default=1.0, help="multiplies all tolerances")
    parser.add_argument("--timeout", type=float, default=60.0, help="seconds to wait for an answer")
    args = parser.parse_args()
    if args.serve:
        return serve(load(args.serve))
    asked = list(questions(args.questions and args.questions.split(",")))
    if args.callable:
        path, _, function = args.callable.rpartition(":")
        where = str(Path(path).resolve()) if path.endswith(".py") else path
        command = [sys.executable, str(HERE / "run.py"), "--serve", f"{where}:{function}"]
        # Without questions it only loads the function.
        if subprocess.run(command, cwd=HERE, stdin=subprocess.DEVNULL).returncode != 0:
            sys.exit(f"{args.callable} cannot be loaded")
    else:
        command = shlex.split(args.command)
    answers = ask(command, [(case, question, line) for case, question, _, line, *_ in asked], args.timeout)
    rows = []
    for case, question, group, _, expected, tolerance in asked:
        answered = answers[case, question]
        result = score(question, expected, answered, tolerance * args.tolerance_factor)
        rows.append((case, question, group, result, expected, answered))
    print(summary(args.name, rows))
    differing = [row for row in rows if row[3] != "right"]
    if args.out:
        args.out.mkdir(parents=True, exist_ok=True)
        (args.out / f"{args.name}.csv").write_text(scorecard(rows))
        with open(args.out / f"{args.name}-disagreements.csv", "w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["case", "question", "class", "score", "expected", "answered"])
            writer.writerows(row for row in differing if row[3] == "wrong")
    else:
        for case, question, _, result, expected, answered in differing:
            if result == "wrong":
                print(f"{case} {question}: expected {expected[:80]!r}, answered {answered[:80]!r}")
    return 1 if any(row[3] == "wrong" for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
