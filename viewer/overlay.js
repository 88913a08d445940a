// Marks of a constant size on the screen, above the 3D view: dots, rings, and lines with a label.

// The place in CSS pixels where the view shows a point of the world, or null behind the eye.
export function projected({ matrix }, [width, height], [x, y, z]) {
  const row = (k) => matrix[k] * x + matrix[4 + k] * y + matrix[8 + k] * z + matrix[12 + k];
  const w = row(3);
  return w > 0 ? [(0.5 + row(0) / w / 2) * width, (0.5 - row(1) / w / 2) * height] : null;
}

// Of dots that nearly cover each other, one is drawn: in squares of this many pixels.
const DOT_GRID = 3;
// From this number on, dots are drawn smaller.
const MANY_DOTS = 500;

function drawDots(context, view, size, { points, colour }) {
  const taken = new Set();
  const radius = points.length < MANY_DOTS ? 4 : 2.2;
  context.fillStyle = colour;
  context.beginPath();
  for (const point of points) {
    const at = projected(view, size, point);
    if (!at || !at.every((x, k) => x >= 0 && x <= size[k])) continue;
    const square = Math.floor(at[0] / DOT_GRID) * 65_536 + Math.floor(at[1] / DOT_GRID);
    if (taken.has(square)) continue;
    taken.add(square);
    context.moveTo(...at);
    context.arc(...at, radius, 0, 7);
  }
  context.fill();
}

const MARKS = {
  ring(context, { at: [x, y], colour }) {
    for (const [width, style] of [[4.5, "#fff"], [2, colour]]) {
      Object.assign(context, { lineWidth: width, strokeStyle: style });
      context.beginPath();
      context.arc(x, y, 10, 0, 7);
      for (const [dx, dy] of [[1, 0], [-1, 0], [0, 1], [0, -1]]) {
        context.moveTo(x + 10 * dx, y + 10 * dy);
        context.lineTo(x + 16 * dx, y + 16 * dy);
      }
      context.stroke();
    }
  },
  line(context, { at, to, colour, label }) {
    for (const [width, style] of [[4.5, "#fff"], [2, colour]]) {
      Object.assign(context, { lineWidth: width, strokeStyle: style });
      context.beginPath();
      context.moveTo(...at);
      context.lineTo(...to);
      context.stroke();
    }
    const [x, y] = at.map((value, k) => (value + to[k]) / 2);
    Object.assign(context, { font: "600 14px system-ui, sans-serif", textAlign: "center", textBaseline: "middle" });
    const width = context.measureText(label).width + 16;
    context.fillStyle = colour;
    context.beginPath();
    context.roundRect(x - width / 2, y - 28, width, 24, 6);
    context.fill();
    context.fillStyle = "#fff";
    context.fillText(label, x, y - 16);
  },
};

// Dots have a `colour` and `points` of the world; rings and lines have a `kind`, a `point`, a `colour` and, for lines,
// an `end` and a `label`.
export function drawMarks(context, view, size, marks) {
  for (const mark of marks) {
    if (mark.points) {
      drawDots(context, view, size, mark);
      continue;
    }
    const at = projected(view, size, mark.point);
    const to = mark.end && projected(view, size, mark.end);
    if (at && (to || !mark.end)) MARKS[mark.kind](context, { ...mark, at, to });
  }
}

// A canvas for marks that lies on the view's canvas.
export function createOverlay(canvas) {
  const sheet = document.createElement("canvas");
  sheet.className = "overlay";
  sheet.setAttribute("aria-hidden", "true");
  canvas.after(sheet);
  return {
    draw(view, marks) {
      const size = [canvas.clientWidth, canvas.clientHeight];
      Object.assign(sheet, { width: canvas.width, height: canvas.height });
      const context = sheet.getContext("2d");
      context.scale(canvas.width / size[0], canvas.height / size[1]);
      drawMarks(context, view, size, marks);
    },
    // Copies the marks of the last drawing.
    copyTo: (context) => context.drawImage(sheet, 0, 0),
  };
}
