"""Charts as SVG and PDF, from the same strokes, with the standard library alone."""

import math
import zlib
from html import escape

COLOURS = {"aabb": "#1b6ca8", "obb": "#c2571a", "sphere": "#2e8b57", "kdop": "#7b4fa6"}
GREYS = ["#111111", "#666666", "#999999"]
SIZE = 9
#: Left, right, top and bottom of a chart; above it are the names of its series.
MARGINS = 52, 12, 28, 40


class Drawing:
    """Lines, circles and text on a page whose y points down, in points."""

    def __init__(self, width, height):
        self.width, self.height, self.strokes = width, height, []

    def line(self, points, colour="#333333", width=0.8, dash=None):
        self.strokes.append(("line", points, colour, width, dash))

    def dot(self, x, y, colour, radius=2.2):
        self.strokes.append(("dot", (x, y), colour, radius, None))

    def text(self, x, y, text, anchor="start", colour="#222222", turned=False):
        self.strokes.append(("text", (x, y), colour, text, (anchor, turned)))

    def svg(self, caption):
        """The file's text, with the caption as its description."""
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}pt" height="{self.height}pt" '
            f'viewBox="0 0 {self.width} {self.height}" font-family="Helvetica, Arial, sans-serif" font-size="{SIZE}">',
            f"<desc>{escape(caption)}</desc>",
            f'<rect width="{self.width}" height="{self.height}" fill="#ffffff"/>',
        ]
        for kind, place, colour, own, more in self.strokes:
            if kind == "line":
                points = " ".join(f"{x:.2f},{y:.2f}" for x, y in place)
                dash = f' stroke-dasharray="{more}"' if more else ""
                parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="{own}"{dash}/>')
            elif kind == "dot":
                parts.append(f'<circle cx="{place[0]:.2f}" cy="{place[1]:.2f}" r="{own}" fill="{colour}"/>')
            else:
                (x, y), (anchor, turned) = place, more
                turn = f' transform="rotate(-90 {x:.2f} {y:.2f})"' if turned else ""
                parts.append(f'<text x="{x:.2f}" y="{y:.2f}" text-anchor="{anchor}" fill="{colour}"{turn}>{escape(own)}</text>')
        return "\n".join([*parts, "</svg>", ""])

    def pdf(self):
        """The file's bytes: a page of PDF 1.4, with Helvetica, which every reader has."""
        strokes = [self._in_pdf(*stroke) for stroke in self.strokes]
        content = zlib.compress("\n".join(strokes).encode("latin-1", "replace"), 9)
        objects = [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {self.width} {self.height}] /Contents 4 0 R "
            "/Resources << /Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >> >> >> >>".encode(),
            f"<< /Length {len(content)} /Filter /FlateDecode >>\nstream\n".encode() + content + b"\nendstream",
        ]
        file, offsets = b"%PDF-1.4\n", []
        for number, body in enumerate(objects, 1):
            offsets.append(len(file))
            file += f"{number} 0 obj\n".encode() + body + b"\nendobj\n"
        table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
        return file + (
            f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\n"
            f"startxref\n{len(file)}\n%%EOF\n"
        ).encode()

    def _in_pdf(self, kind, place, colour, own, more):
        red, green, blue = (int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5))
        up = lambda y: self.height - y
        if kind == "line":
            path = " ".join(f"{x:.2f} {up(y):.2f} {'l' if i else 'm'}" for i, (x, y) in enumerate(place))
            dash = more.replace(",", " ") if more else ""
            return f"{red:.3f} {green:.3f} {blue:.3f} RG {own} w [{dash}] 0 d {path} S"
        if kind == "dot":
            # A round cap makes a point a disc.
            x, y = place[0], up(place[1])
            return f"{red:.3f} {green:.3f} {blue:.3f} RG {2 * own} w [] 0 d 1 J {x:.2f} {y:.2f} m {x:.2f} {y:.2f} l S 0 J"
        (x, y), (anchor, turned) = place, more
        back = text_width(own) * {"start": 0, "middle": 0.5, "end": 1}[anchor]
        matrix = f"0 1 -1 0 {x:.2f} {up(y) - back:.2f}" if turned else f"1 0 0 1 {x - back:.2f} {up(y):.2f}"
        words = own.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
        return f"BT /F {SIZE} Tf {red:.3f} {green:.3f} {blue:.3f} rg {matrix} Tm ({words}) Tj ET"


def text_width(text):
    """About the width of Helvetica: digits are 0.556 of the size, and most letters near that."""
    narrow, wide = "ijlt.,:;|' !fr()[]", "mwMW%@"
    return SIZE * sum(0.28 if c in narrow else 0.85 if c in wide else 0.556 for c in text)


def ticks(lower, upper, is_log):
    if is_log:
        powers = range(math.floor(math.log10(lower)), math.ceil(math.log10(upper)) + 1)
        steps = (1, 1.5, 2, 3, 5, 7) if upper < 8 * lower else (1, 2, 5) if len(powers) < 4 else (1,)
        found = [step * 10.0**power for power in powers for step in steps]
    else:
        step = 10 ** math.floor(math.log10((upper - lower) / 2))
        step *= next(k for k in (1, 2, 5, 10) if (upper - lower) / (k * step) <= 6)
        found = [step * k for k in range(math.ceil(lower / step), math.floor(upper / step) + 1)]
    return [tick for tick in found if lower * (1 - 1e-9) <= tick <= upper * (1 + 1e-9)]


def chart(width, height, x_axis, y_axis, series):
    """Draws series of (name, colour, dash, points) with points (x, y) or (x, y, lower, upper) over two axes.

    An axis is (title, is logarithmic, names of places or None); a dash of "none" leaves out the lines between points.
    """
    drawing = Drawing(width, height)
    left, right, top, bottom = MARGINS
    points = [point for *_, own in series for point in own]
    spans = []
    for k, (_, is_log, names) in enumerate((x_axis, y_axis)):
        values = [v for point in points for v in ([point[0]] if k == 0 else point[1:])] or [1, 2]
        lower, upper = (-0.4, len(names) - 0.6) if names else (min(values), max(values))
        if not names:
            room = (upper / lower) ** 0.06 if is_log else 0.06 * (upper - lower)
            room = room if room not in (0, 1) else 1.5
            lower, upper = (lower / room, upper * room) if is_log else (lower - room, upper + room)
        spans.append((lower, upper))

    def place(k, value):
        (lower, upper), (_, is_log, _) = spans[k], (x_axis, y_axis)[k]
        scale = math.log if is_log else float
        part = (scale(value) - scale(lower)) / (scale(upper) - scale(lower))
        return left + part * (width - left - right) if k == 0 else height - bottom - part * (height - top - bottom)

    for k, (title, is_log, names) in enumerate((x_axis, y_axis)):
        marks = list(enumerate(names)) if names else [(tick, f"{tick:g}") for tick in ticks(*spans[k], is_log)]
        for value, name in marks:
            if k == 0:
                x = place(0, value)
                drawing.line([(x, top), (x, height - bottom)], "#e4e4e4", 0.5)
                drawing.text(x, height - bottom + 12, name, "middle")
            else:
                y = place(1, value)
                drawing.line([(left, y), (width - right, y)], "#e4e4e4", 0.5)
                drawing.text(left - 4, y + 3, name, "end")
        if k == 0:
            drawing.text((left + width - right) / 2, height - 12, title, "middle")
        else:
            drawing.text(12, (top + height - bottom) / 2, title, "middle", turned=True)
    drawing.line([(left, top), (left, height - bottom), (width - right, height - bottom)])
    at = left
    for name, colour, dash, own in series:
        places = [(place(0, point[0]), place(1, point[1])) for point in own]
        if len(places) > 1 and dash != "none":
            drawing.line(places, colour, 1.2, dash)
        for (x, y), point in zip(places, own):
            drawing.dot(x, y, colour)
            if len(point) > 2:
                drawing.line([(x, place(1, point[2])), (x, place(1, point[3]))], colour, 0.8)
        drawing.dot(at + 7, 12, colour)
        if dash != "none":
            drawing.line([(at, 12), (at + 14, 12)], colour, 1.2, dash)
        drawing.text(at + 18, 15, name, "start", colour)
        at += 18 + text_width(name) + 12
    return drawing
