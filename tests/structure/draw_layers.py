#!/usr/bin/env python3
"""Draws the order of the folders: docs/architecture.svg, from layers.txt.

    draw_layers.py            writes the drawing
    draw_layers.py --check    fails when the drawing is not what would be written

check_layers.py compares layers.txt with the code in both directions, so what is drawn is what the code does. Every
arrow points down, from a folder to one that it uses; arrows that follow from others (a path leads there already) are
left out. The layout is the usual one of layered graphs: a folder stands one row above the highest that it uses, arrows
over several rows get a point in each row, and folders move sideways to the mean of what they are connected to."""
import os
import sys
from xml.sax.saxutils import escape

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from check_layers import LIST, read_layers  # noqa: E402
from habits import ROOT, finish, read  # noqa: E402

DRAWING = "docs/architecture.svg"
COLUMNS = (("tsmc", ("exporter",)), ("libtsmobile", ("runtime", "schema")), ("platform", ("platform",)))
COLORS = (("exporter/passes", "#cfe8cf"), ("exporter", "#e3f1e3"), ("runtime/kernels", "#fbe0b8"), ("runtime", "#fdf0da"),
          ("schema", "#fdf0da"), ("platform", "#d9e6f5"))
ROW, BOX_HEIGHT, CHARACTER, GAP, POINT, MARGIN, TOP = 54, 26, 7.2, 16, 10, 22, 58
FONT = 'font-family="DejaVu Sans, Verdana, sans-serif"'


def reduced(layers):
    """Folder -> the folders that it uses and reaches by no other way."""
    reach = {}
    for folder, uses in layers.items():  # bottom up
        reach[folder] = set(uses).union(*(reach[u] for u in uses))
    return {f: [u for u in layers if u in uses and not any(u in reach[v] for v in uses)] for f, uses in layers.items()}


def rows_of(layers, edges):
    """Folder -> its row, 0 the lowest. What uses nothing stands just below the lowest of its users."""
    row = {}
    for folder in layers:
        row[folder] = 1 + max((row[u] for u in layers[folder]), default=-1)
    for folder in layers:
        users = [row[f] for f in layers if folder in edges[f]]
        if not layers[folder] and users:
            row[folder] = min(users) - 1
    return row


def column_of(folder):
    return next(i for i, (_, tops) in enumerate(COLUMNS) if folder.split("/")[0] in tops)


def label(folder):
    """Without the part that the column's title tells."""
    for top in ("exporter/", "runtime/", "platform/"):
        if folder.startswith(top):
            return folder[len(top):]
    return {"exporter": "main, options", "platform": "platform.h"}.get(folder, folder)


class Point:
    """A folder's box, or a bend of an arrow."""

    def __init__(self, row, folder=None):
        self.row, self.folder, self.x, self.neighbours = row, folder, 0.0, []
        self.width = CHARACTER * len(label(folder)) + 18 if folder else POINT

    def wanted(self):
        """The mean of the neighbours. For a bend other bends count twice, so that long arrows are straight."""
        weights = [1 if self.folder or q.folder else 2 for q in self.neighbours]
        return sum(w * q.x for w, q in zip(weights, self.neighbours)) / sum(weights) if weights else self.x


class Column:
    """The boxes of a column, and the arrows between them as lists of points, from above to below."""

    def __init__(self, folders, edges, row):
        self.boxes = {f: Point(row[f], f) for f in folders}
        self.rows = {}
        for f in folders:
            self.rows.setdefault(row[f], []).append(self.boxes[f])
        self.arrows = []
        for f in folders:
            for u in edges[f]:
                if u in self.boxes:
                    self.add_arrow(self.boxes[f], self.boxes[u])
        self.order()
        self.place()

    def add_arrow(self, above, below):
        points = [above] + [Point(r) for r in range(above.row - 1, below.row, -1)] + [below]
        for p in points[1:-1]:
            self.rows.setdefault(p.row, []).append(p)
        for a, b in zip(points, points[1:]):
            a.neighbours.append(b)
            b.neighbours.append(a)
        self.arrows.append(points)

    def crossings(self):
        """Pairs of arrows that cross between neighbouring rows."""
        count, at = 0, {id(p): i for points in self.rows.values() for i, p in enumerate(points)}
        for points in self.rows.values():
            ends = [(at[id(p)], at[id(q)]) for p in points for q in p.neighbours if q.row < p.row]
            count += sum((a - c) * (b - d) < 0 for i, (a, b) in enumerate(ends) for c, d in ends[:i])
        return count

    def order(self):
        """Sorts each row by the mean place of the neighbours below, then above; keeps the order with the fewest
        crossings."""
        best = None
        for turn in range(24):
            up = turn % 2 == 0
            for r in sorted(self.rows, reverse=not up):
                at = {id(p): i for points in self.rows.values() for i, p in enumerate(points)}

                def mean(p):
                    places = [at[id(q)] for q in p.neighbours if (q.row < r) == up]
                    return sum(places) / len(places) if places else at[id(p)]
                self.rows[r].sort(key=mean)
            count = self.crossings()
            if best is None or count < best[0]:
                best = count, {r: list(points) for r, points in self.rows.items()}
        self.rows = best[1]

    def place(self):
        """Moves points towards the mean of their neighbours, as far as the row's order and gaps allow."""
        for points in self.rows.values():
            x = -sum(p.width + GAP for p in points) / 2
            for p in points:
                p.x = x + p.width / 2
                x += p.width + GAP
        for turn in range(100):
            for r in sorted(self.rows, reverse=turn % 2 == 1):
                points = self.rows[r]
                for p, x in zip(points, apart(points, [p.wanted() for p in points])):
                    p.x = x
        left = min(p.x - p.width / 2 for points in self.rows.values() for p in points)
        for points in self.rows.values():
            for p in points:
                p.x -= left
        self.width = max(p.x + p.width / 2 for points in self.rows.values() for p in points)


def apart(points, wanted):
    """Places nearest to the wanted ones (by squares) at which neighbours keep their gap: means of blocks that touch."""
    offsets, total = [], 0.0
    for i, p in enumerate(points):
        total += (points[i - 1].width + p.width) / 2 + GAP if i else 0
        offsets.append(total)
    blocks = []
    for x, offset in zip(wanted, offsets):
        blocks.append([x - offset, 1])
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            (a, n), (b, m) = blocks[-2:]
            blocks[-2:] = [[(a * n + b * m) / (n + m), n + m]]
    starts = [mean for mean, n in blocks for _ in range(n)]
    return [s + o for s, o in zip(starts, offsets)]


def curve(places):
    """A path through places, upright at each of them."""
    (x, y), path = places[0], "M%.0f,%.0f" % places[0]
    for x2, y2 in places[1:]:
        path += " C%.0f,%.0f %.0f,%.0f %.0f,%.0f" % (x, (y + y2) / 2, x2, (y + y2) / 2, x2, y2)
        x, y = x2, y2
    return path


def rounded(places):
    """A path of straight lines with round corners."""
    def towards(a, b):
        length = max(abs(b[0] - a[0]) + abs(b[1] - a[1]), 1)
        return a[0] + (b[0] - a[0]) * min(8 / length, 0.5), a[1] + (b[1] - a[1]) * min(8 / length, 0.5)

    path = "M%.0f,%.0f" % places[0]
    for before, at, after in zip(places, places[1:], places[2:]):
        path += " L%.0f,%.0f Q%.0f,%.0f %.0f,%.0f" % (towards(at, before) + at + towards(at, after))
    return path + " L%.0f,%.0f" % places[-1]


class Drawing:
    def __init__(self, layers):
        self.edges = reduced(layers)
        self.row = rows_of(layers, self.edges)
        self.height = TOP + ROW * (max(self.row.values()) + 1) + MARGIN
        self.lines, self.boxes, self.gutters, self.left = [], {}, [], MARGIN
        for i, (title, _) in enumerate(COLUMNS):
            self.add_column(title, Column([f for f in layers if column_of(f) == i], self.edges, self.row))
            self.gutters.append(self.left - MARGIN / 2)
        for f in layers:
            for u in self.edges[f]:
                if column_of(f) != column_of(u):
                    self.add_crossing(self.boxes[f], self.boxes[u])
        for box in self.boxes.values():
            self.add_box(box)

    def y(self, row):
        return self.height - MARGIN - ROW * row - ROW / 2

    def add_column(self, title, column):
        width = max(column.width, 150)
        for points in column.rows.values():
            for p in points:
                p.x += self.left + MARGIN + (width - column.width) / 2
        self.lines.append('<rect x="%.0f" y="14" width="%.0f" height="%.0f" rx="8" fill="#fafafa" stroke="#cccccc"/>' %
                          (self.left, width + 2 * MARGIN, self.height - 28))
        self.lines.append('<text x="%.0f" y="40" font-size="17" font-weight="bold" text-anchor="middle">%s</text>' %
                          (self.left + MARGIN + width / 2, title))
        for points in column.arrows:
            places = [(points[0].x, self.y(points[0].row) + BOX_HEIGHT / 2)] + [(p.x, self.y(p.row)) for p in points[1:-1]]
            self.add_arrow(curve(places + [(points[-1].x, self.y(points[-1].row) - BOX_HEIGHT / 2 - 5)]), "#777777")
        self.boxes.update(column.boxes)
        self.left += width + 3 * MARGIN

    def add_arrow(self, path, color):
        self.lines.append('<path d="%s" fill="none" stroke="%s" stroke-width="1.2" marker-end="url(#%s)"/>' %
                          (path, color, "head" + color[1:]))

    def add_box(self, box):
        color = next(c for top, c in COLORS if box.folder.startswith(top))
        x, y = box.x - box.width / 2, self.y(box.row) - BOX_HEIGHT / 2
        self.lines.append('<rect x="%.0f" y="%.0f" width="%.0f" height="%d" rx="4" fill="%s" stroke="#666666"/>' %
                          (x, y, box.width, BOX_HEIGHT, color))
        self.lines.append('<text x="%.0f" y="%.0f" font-size="12" text-anchor="middle">%s</text>' %
                          (box.x, y + 17, escape(label(box.folder))))

    def add_crossing(self, above, below):
        """An arrow from one column into another: between rows and columns, and into the other box from above."""
        side = 1 if below.x > above.x else -1
        x, x2 = above.x + side * (above.width / 2 - 12), below.x - side * (below.width / 2 - 12)
        gap, gap2 = self.y(above.row) + ROW / 2, self.y(below.row) - ROW / 2
        gutter = self.gutters[min(column_of(above.folder), column_of(below.folder))]
        corners = [(x, gap), (gutter, gap), (gutter, gap2), (x2, gap2)] if gap != gap2 else [(x, gap), (x2, gap)]
        self.add_arrow(rounded([(x, self.y(above.row))] + corners + [(x2, self.y(below.row) - BOX_HEIGHT / 2 - 5)]), "#c0392b")

    def text(self):
        width = self.left
        heads = "".join('<marker id="head%s" viewBox="0 0 8 8" refX="4" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
                        '<path d="M0,0 L8,4 L0,8 z" fill="#%s"/></marker>' % (c, c) for c in ("777777", "c0392b"))
        return "\n".join(['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" %s>' %
                          (width, self.height, width, self.height, FONT),
                          "<!-- Made by tests/structure/draw_layers.py from %s. -->" % LIST,
                          '<defs>%s</defs><rect width="100%%" height="100%%" fill="white"/>' % heads] + self.lines + ["</svg>"]) + "\n"


def main():
    faults = []
    text = Drawing(read_layers(faults)).text()
    if "--check" not in sys.argv:
        with open(os.path.join(ROOT, DRAWING), "w", encoding="utf-8") as f:
            f.write(text)
    elif text != read(DRAWING):
        faults.append("%s is not up to date; tests/structure/draw_layers.py writes it" % DRAWING)
    finish(faults, DRAWING)


if __name__ == "__main__":
    main()
