"""Measures eventlog and other programs in turn, and prints tables of their costs.

Peers: wc, cksum, cat, sort, cmp; SQLite (a C program, or a Python one without its header); DuckDB
(a package of this Python); simdjson and yyjson, if --sources FOLDER contains their sources as
FOLDER/simdjson (include and src) and FOLDER/yyjson (src). The table lists missing peers as such.

Peak memory is the kernel's value. It has a floor of some MiB, the memory of the program that starts
the others.
"""

import argparse
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile

import report
from measure import Program, Row, machine, output

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
DOCS = os.path.join(TOP, "Docs", "Internals")
SIZES = [1_000, 10_000, 100_000, 1_000_000]
DEVICES = [3, 30, 300, 1000]
SECTIONS = ["journals", "appends", "pairs", "devices", "processors"]

# Like the C peers: the last value of each field in file order, and the increments.
DUCKDB_FOLD = '''
import duckdb, sys
c = duckdb.connect()
c.execute("set enable_progress_bar=false")
lines = f"""read_json('{sys.argv[1]}', format='newline_delimited',
  maximum_object_size=2000000, field_appearance_threshold=0, map_inference_threshold=-1)"""
c.execute(f"create temp view e as select row_number() over () n, entity, data from {lines}")
names = [row[0] for row in c.execute("describe select data.* from e").fetchall()]
last = ", ".join(f'arg_max(data."{x}", n) filter (where data."{x}" is not null)' for x in names)
rows = c.execute(f"select count(*), sum(data.by), {last} from e group by entity").fetchall()
events, by = sum(row[0] for row in rows), sum(row[1] or 0 for row in rows)
fields = [value for row in rows for value in row[2:] if value is not None]
total = sum(value for value in fields if type(value) is int)
print(f"{events} events, {len(fields)} fields, sum {total}, increments {by}")
'''


class Bench:
    """The installed programs, a folder for their files, and the rows."""

    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.eventlog = os.path.join(options.bin, "eventlog")
        self.benchmarks = os.path.join(options.bin, "EventLogBenchmarks")
        self.rows = []
        self.built, self.missing = {}, {}
        self.build()

    def path(self, name):
        return os.path.join(self.folder, name)

    def sizes(self, sizes=None):
        """The sizes up to the requested maximum, which is included."""
        most = self.options.events
        return sorted({size for size in sizes or SIZES if size < most} | {most})

    # Building

    def build(self):
        sources = self.options.sources
        for name, needed in [("yyjson", "src/yyjson.c"), ("simdjson", "src/simdjson.cpp")]:
            root = os.path.join(sources, name) if sources else ""
            if not sources:
                self.missing[name] = f"no --sources with {name}"
            elif not os.path.exists(os.path.join(root, needed)):
                self.missing[name] = f"{name}/{needed} is not in the sources"
        common = ["-O3", "-march=native", "-I", HERE]
        compiler = shutil.which("cc") or shutil.which("clang") or "cc"
        if "yyjson" not in self.missing:
            root = os.path.join(sources, "yyjson", "src")
            self.compile("yyjson", [compiler, *common, "-I", root, f"{HERE}/yyjson_fold.c",
                                    f"{root}/yyjson.c"])
        if "simdjson" not in self.missing:
            root = os.path.join(sources, "simdjson")
            self.compile("simdjson", [
                shutil.which("c++") or "clang++", *common, "-std=c++17", "-I", f"{root}/include",
                "-I", f"{root}/src", f"{HERE}/simdjson_fold.cpp", f"{root}/src/simdjson.cpp"])
        self.compile("sqlite", [compiler, *common, f"{HERE}/sqlite_peer.c", "-lsqlite3"])
        if "sqlite" not in self.built:
            self.built["sqlite"] = [sys.executable, f"{HERE}/sqlite_peer.py"]
        if not importlib.util.find_spec("duckdb"):
            self.missing["duckdb"] = "duckdb is not installed"

    def compile(self, name, command):
        product = self.path(name)
        try:
            subprocess.run([*command, "-o", product], check=True, stderr=subprocess.DEVNULL)
            self.built[name] = [product]
        except (OSError, subprocess.CalledProcessError):
            self.missing[name] = f"the peer for {name} does not build here"

    # Journals

    def generate(self, *words):
        subprocess.run([self.benchmarks, *map(str, words)], check=True, stdout=subprocess.DEVNULL)

    def journal(self, events):
        path = self.path(f"{events}.jsonl")
        if not os.path.exists(path):
            self.generate("generate", path, events, 7)
        return path

    def with_checkpoint(self, path):
        """A copy of a journal with one more event and a checkpoint."""
        copy = path.replace(".jsonl", "-kept.jsonl")
        if not os.path.exists(copy):
            shutil.copyfile(path, copy)
            self.append(copy)
        return copy

    def append(self, path):
        """Appends an event, which leaves a checkpoint."""
        subprocess.run([self.eventlog, "append", path, "settings.changed", "theme=dark"],
                       check=True, stdout=subprocess.DEVNULL)

    def keep(self, paths):
        """Adds an event and a checkpoint to each journal. Returns a function that restores them.

        The journals are written in place: a checkpoint belongs to one file."""
        sides = {path: path.replace(".jsonl", ".eventlog") for path in paths}
        for path, side in sides.items():
            self.append(path)
            shutil.copyfile(path, path + ".kept")
            shutil.copytree(side, side + ".kept")

        def restore():
            for path, side in sides.items():
                shutil.rmtree(side)
                shutil.copytree(side + ".kept", side)
                shutil.copyfile(path + ".kept", path)
        return restore

    def database(self, path):
        """A database with the lines of a journal."""
        database = path.replace(".jsonl", ".db")
        if not os.path.exists(database):
            subprocess.run([*self.built["sqlite"], "load", path, database], check=True)
        return database

    # Programs

    def ours(self, *words, **more):
        return Program("eventlog", [self.eventlog, *words], **more)

    def tool(self, name, *words, **more):
        missing = None if shutil.which(name) else f"{name} is not installed"
        return Program(" ".join([name, *[word for word in words if word.startswith("-")]]),
                       [name, *words], missing=missing, **more)

    def peer(self, name, *words, **more):
        title = {"sqlite": "SQLite", "duckdb": "DuckDB"}.get(name, name)
        command = self.built.get(name)
        if not command and name in self.missing:
            return Program(title, missing=self.missing[name])
        if name == "duckdb":
            return Program(title, [sys.executable, "-c", DUCKDB_FOLD, *words])
        if name == "sqlite" and command[0] == sys.executable:
            title = "SQLite (Python)"
        return Program(title, [*command, *words], **more)

    def agree(self, programs):
        """Stops if the peers compute different results, which would be worthless to compare."""
        answers = {program.name: output(*program.command)
                   for program in programs if not program.missing}
        if len(set(answers.values())) > 1:
            raise SystemExit(f"the peers differ: {answers}")

    # Rows

    def add(self, section, task, size, *programs):
        row = Row(section, f"{task}: {size:,}" if size else task, size, programs)
        row.name = task
        row.measure(self.options.rounds)
        self.rows.append(row)
        print(report.table([row]).split("\n", 2)[2], flush=True)

    def journals(self):
        for size in self.sizes():
            path = self.journal(size)
            folds = [self.peer("simdjson", path), self.peer("yyjson", path),
                     self.peer("sqlite", "fold", self.database(path)), self.peer("duckdb", path)]
            self.agree(folds)
            kept = self.with_checkpoint(path)
            self.add("journals", "status", size, self.ours("status", path),
                     self.tool("wc", "-l", path))
            self.add("journals", "status, checkpoint", size, self.ours("status", kept),
                     self.tool("wc", "-l", path))
            self.add("journals", "verify", size, self.ours("verify", path),
                     self.tool("cksum", path))
            self.add("journals", "replay", size, self.ours("replay", path),
                     self.tool("cat", path))
            self.add("journals", "replay --json", size, self.ours("replay", path, "--json"),
                     self.tool("cat", path))
            self.add("journals", "project --json", size, self.ours("project", path, "--json"),
                     *folds)

    def appends(self):
        for size in self.sizes([1_000, 100_000, 1_000_000]):
            path = self.journal(size)
            kept, database = self.with_checkpoint(path), self.database(path)
            self.add("appends", "append", size,
                     self.ours("append", kept, "settings.changed", "theme=dark"),
                     self.peer("sqlite", "append", database))
        # Within one process, compared with writing as many bytes. It takes turns by itself.
        self.inside = output(self.benchmarks, "append", str(self.options.rounds))
        inserts = [*self.built["sqlite"], "inserts", str(min(self.options.rounds, 64)),
                   self.path("inserts.db")]
        self.inside += "\n" + output(*inserts)
        print(self.inside)

    def pairs(self):
        size = self.options.events
        left, right = self.path("left.jsonl"), self.path("right.jsonl")
        self.generate("generate-pair", left, right, size, 7)
        spares = [(path, path + ".spare") for path in (left, right)]
        for path, spare in spares:
            shutil.copyfile(path, spare)

        def restore():
            for path, spare in spares:
                shutil.rmtree(path.replace(".jsonl", ".eventlog"), ignore_errors=True)
                shutil.copyfile(spare, path)

        os.environ["LC_ALL"] = "C"
        self.add("pairs", "diff", size, self.ours("diff", left, right, allowed=(1,)),
                 self.tool("sort", "-u", left, right), self.tool("cmp", left, right, allowed=(1,)))
        self.add("pairs", "sync", size, self.ours("sync", left, right, prepare=restore),
                 self.tool("sort", "-u", left, right))
        restore()
        restore_kept = self.keep([left, right])
        self.add("pairs", "diff, checkpoints", size,
                 self.ours("diff", left, right, allowed=(1,)),
                 self.tool("sort", "-u", left, right), self.tool("cmp", left, right, allowed=(1,)))
        self.add("pairs", "sync, checkpoints", size,
                 self.ours("sync", left, right, prepare=restore_kept),
                 self.tool("sort", "-u", left, right))
        restore()
        subprocess.run([self.eventlog, "sync", left, right], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.add("pairs", "sync, nothing new", size, self.ours("sync", left, right),
                 Program("eventlog status", [self.eventlog, "status", left]),
                 self.tool("cmp", left, right, allowed=(0, 1)))

    def devices(self):
        events = max(10_000, self.options.events // 10)
        for count in DEVICES:
            path = self.path(f"{count}-devices.jsonl")
            self.generate("generate", path, events, 7, count)
            for verb in ["verify", "project"]:
                words = [verb, path] + (["--json"] if verb == "project" else [])
                self.add("devices", " ".join([words[0], *words[2:]]), count, self.ours(*words),
                         self.tool("wc", "-l", path), self.peer("simdjson", path))

    def processors(self):
        """The same journal, read with one processor, with two, and so on."""
        path = self.journal(self.options.events)
        there = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_setaffinity") else []
        for count in [number for number in (1, 2, 4, 8) if number <= len(there)]:
            for words in [["status"], ["verify"], ["project", "--json"]]:
                self.add("processors", " ".join(words), count,
                         self.ours(words[0], path, *words[1:], processors=there[:count]),
                         self.peer("simdjson", path, processors=there[:count]))


def write(bench, sentence):
    """Writes the tables into the page, and the plots next to it."""
    page = os.path.join(DOCS, "Measurements.md")
    for section in SECTIONS:
        rows = [row for row in bench.rows if row.section == section]
        if rows:
            text = f"{sentence}.\n\n{report.table(rows)}"
            if section == "appends":
                text += f"\n\n```text\n{bench.inside}\n```"
            report.replace(page, section, text)
    for section, name, title, axis in [
            ("journals", "journal-length", "Time by the length of the journal", "events"),
            ("devices", "device-count", "Time by the number of devices", "devices"),
            ("processors", "processor-count", "Time by the number of processors",
             "processors")]:
        lines = {}
        for row in bench.rows:
            if row.section == section:
                lines.setdefault(row.name, []).append((row.size, report.median_wall(row)))
        report.plot(os.path.join(DOCS, name + ".svg"), title, axis, lines)


def arguments():
    parser = argparse.ArgumentParser(
        prog="Tests/Peers/run", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=1_000_000, help="of the longest one")
    parser.add_argument("--rounds", type=int, default=7, help="of each row, after a warm-up")
    parser.add_argument("--sources", help="a folder with simdjson and yyjson")
    parser.add_argument("--bin", help="where both programs are, if they are built")
    parser.add_argument("--only", choices=SECTIONS, help="one table alone")
    parser.add_argument("--write", action="store_true", help="write tables and plots")
    return parser.parse_args()


def main():
    options = arguments()
    if options.only and options.write:
        raise SystemExit("--write needs all rows.")
    if not options.bin:
        for product in ["eventlog", "EventLogBenchmarks"]:
            subprocess.run(["swift", "build", "-c", "release", "--product", product], cwd=TOP,
                           check=True)
        options.bin = subprocess.run(
            ["swift", "build", "-c", "release", "--show-bin-path"], cwd=TOP, check=True,
            capture_output=True, text=True).stdout.strip()
    sentence = f"{machine()}; {options.rounds} rounds in turn, median (least–most)"
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options, folder)
        print(f"{sentence}\n\n{report.table([])}", flush=True)
        for section in [options.only] if options.only else SECTIONS:
            getattr(bench, section)()
    if options.write:
        write(bench, sentence)


if __name__ == "__main__":
    main()
