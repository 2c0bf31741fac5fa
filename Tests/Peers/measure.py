"""Runs programs in turn and records the cost of each run."""

import os
import statistics
import subprocess
import time


class Run:
    """The cost of one process: elapsed seconds, processor seconds, and peak memory."""

    def __init__(self, wall, processor, peak):
        self.wall, self.processor, self.peak = wall, processor, peak


class Program:
    """A command with its name. `missing` is the reason why it can't run.

    `prepare` runs before each run and isn't timed. `allowed` are the exit codes of success.
    `processors` are the ones that it may use, or None for all.
    """

    def __init__(self, name, command=None, prepare=None, missing=None, allowed=(0,),
                 processors=None):
        self.name, self.command, self.prepare = name, command, prepare
        self.missing, self.allowed, self.runs = missing, allowed, []
        self.processors = processors

    def run(self):
        if self.prepare:
            self.prepare()
        if not self.processors:
            return self.run_here()
        # A child process inherits the affinity.
        before = os.sched_getaffinity(0)
        os.sched_setaffinity(0, self.processors)
        try:
            return self.run_here()
        finally:
            os.sched_setaffinity(0, before)

    def run_here(self):
        null = os.open(os.devnull, os.O_RDWR)
        begin = time.perf_counter()
        try:
            process = os.posix_spawnp(
                self.command[0], self.command, os.environ,
                file_actions=[(os.POSIX_SPAWN_DUP2, null, 0), (os.POSIX_SPAWN_DUP2, null, 1)])
        finally:
            os.close(null)
        _, status, usage = os.wait4(process, 0)
        wall = time.perf_counter() - begin
        code = os.waitstatus_to_exitcode(status)
        if code not in self.allowed:
            raise SystemExit(f"{' '.join(self.command)} ended with {code}")
        # Linux counts in KiB, Apple's systems in bytes.
        unit = 1 << 20 if os.uname().sysname == "Darwin" else 1 << 10
        return Run(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / unit)


class Row:
    """A task: the first program is eventlog, the others are its peers."""

    def __init__(self, section, task, size, programs):
        self.section, self.task, self.size, self.programs = section, task, size, programs

    def measure(self, rounds):
        """Runs all programs in turn, after a warm-up round."""
        present = [program for program in self.programs if not program.missing]
        for number in range(rounds + 1):
            for program in present:
                run = program.run()
                if number > 0:
                    program.runs.append(run)


def spread(values, form="{:.2f}"):
    """The median, the minimum and the maximum."""
    middle, least, most = (form.format(f(values)) for f in (statistics.median, min, max))
    return f"{middle} ({least}–{most})" if len(values) > 1 else middle


def seconds(values):
    """Seconds with three significant digits."""
    middle = statistics.median(values)
    return spread(values, "{:.4f}" if middle < 0.1 else "{:.3f}" if middle < 1 else "{:.2f}")


def output(*command):
    """The output of a program, or an empty string if it doesn't exist."""
    try:
        run = subprocess.run(command, capture_output=True, text=True, check=True)
        return run.stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def machine():
    """The machine and the date, in a sentence."""
    name = output("sysctl", "-n", "machdep.cpu.brand_string")
    if os.path.exists("/proc/cpuinfo"):
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            names = [line.split(":")[1].strip() for line in file if line.startswith("model name")]
        name = names[0] if names else os.uname().machine
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / (1 << 30)
    system = os.uname()
    swift = output("swift", "--version").splitlines()
    swift = next((line for line in swift if "Swift version" in line), "no Swift")
    load = os.getloadavg()[0]
    return (f"{os.cpu_count()} cores of {name}, {memory:.0f} GiB, {system.sysname}"
            f" {system.release}, {swift.split(' (')[0]}; load average {load:.1f} at the start;"
            f" {time.strftime('%Y-%m-%d')}")
