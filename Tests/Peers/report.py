"""Writes the measurements as Markdown tables and as plots."""

import math
import os
import re
import statistics

from measure import seconds, spread


def median_wall(row):
    """The median time of eventlog."""
    return statistics.median(run.wall for run in row.programs[0].runs)


def ratios(ours, theirs, part):
    """Eventlog's times divided by the peer's, run by run."""
    return [getattr(one, part) / max(getattr(other, part), 1e-6)
            for one, other in zip(ours.runs, theirs.runs)]


def table(rows):
    """A line for each program. A ratio is eventlog's time divided by the peer's."""
    lines = [
        "|task|program|wall, s|processor, s|peak, MiB|ratio, wall|ratio, processor|",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        ours = row.programs[0]
        for program in row.programs:
            task = row.task if program is ours else ""
            if program.missing:
                lines.append(f"|{task}|{program.name}|did not run: {program.missing}|||||")
                continue
            cells = [
                task, program.name, seconds([run.wall for run in program.runs]),
                seconds([run.processor for run in program.runs]),
                spread([run.peak for run in program.runs], "{:.0f}"),
            ]
            for part in ("wall", "processor"):
                cells.append("" if program is ours else spread(ratios(ours, program, part)))
            lines.append("|" + "|".join(cells) + "|")
    return "\n".join(lines)


def replace(path, name, text):
    """Writes between the marks with that name, which the page must contain."""
    with open(path, encoding="utf-8") as file:
        page = file.read()
    pattern = re.compile(rf"(<!-- peers: {name} -->\n).*?(<!-- peers: end -->)", re.S)
    if not pattern.search(page):
        raise SystemExit(f"{path} has no mark for {name}")
    page = pattern.sub(lambda match: f"{match[1]}\n{text}\n\n{match[2]}", page)
    with open(path, "w", encoding="utf-8") as file:
        file.write(page)


COLORS = ["#0b62a4", "#c0392b", "#1e8449", "#8e44ad", "#b9770e", "#566573"]


def plot(path, title, axis, lines):
    """A plot of seconds with logarithmic axes. `lines` maps names to points (x, seconds)."""
    width, height, left, top, right, bottom = 720, 420, 70, 40, 190, 50
    points = [point for line in lines.values() for point in line]
    if not points:
        return
    low_x, high_x = (f(math.log10(x) for x, _ in points) for f in (min, max))
    low_y = math.floor(min(math.log10(y) for _, y in points))
    high_y = math.ceil(max(math.log10(y) for _, y in points))
    high_x, high_y = max(high_x, low_x + 0.1), max(high_y, low_y + 1)

    def place(x, y):
        across = (math.log10(x) - low_x) / (high_x - low_x) * (width - left - right)
        up = (math.log10(y) - low_y) / (high_y - low_y) * (height - top - bottom)
        return f"{left + across:.1f}", f"{height - bottom - up:.1f}"

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
        ' font-family="sans-serif" font-size="13">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="{left}" y="22" font-weight="bold">{title}</text>',
    ]
    for power in range(low_y, high_y + 1):
        _, y = place(10 ** low_x, 10 ** power)
        parts.append(f'<path d="M{left} {y}H{width - right}" stroke="#ddd"/>')
        parts.append(f'<text x="{left - 8}" y="{y}" text-anchor="end">{10 ** power:g} s</text>')
    for x in sorted({x for x, _ in points}):
        across, _ = place(x, 10 ** low_y)
        parts.append(
            f'<text x="{across}" y="{height - bottom + 18}" text-anchor="middle">{x:,}</text>')
    parts.append(f'<text x="{left}" y="{height - 10}">{axis}</text>')
    # The slowest comes first, in the order of the lines' ends.
    slowest = sorted(lines.items(), key=lambda item: -max(item[1])[1])
    for index, (name, line) in enumerate(slowest):
        color = COLORS[index % len(COLORS)]
        path_text = "L".join(" ".join(place(x, y)) for x, y in sorted(line))
        parts.append(f'<path d="M{path_text}" fill="none" stroke="{color}" stroke-width="2"/>')
        for x, y in line:
            across, up = place(x, y)
            parts.append(f'<circle cx="{across}" cy="{up}" r="3" fill="{color}"/>')
        parts.append(
            f'<text x="{width - right + 12}" y="{top + 18 + index * 20}" fill="{color}">{name}'
            "</text>")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(parts + ["</svg>"]) + "\n")
    print(f"wrote {os.path.relpath(path)}")
