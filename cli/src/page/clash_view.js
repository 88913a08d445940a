// The 3D view of the assembly: the selected bodies in colour, the others as the reader wants them.

const BODY = [0.73, 0.75, 0.79];
const CLASHING = [0.86, 0.72, 0.5];
const PICKED = [[0.88, 0.26, 0.3], [0.24, 0.48, 0.98]];
const MARK = "#d6336c";
const SECTION = [0.35, 0.42, 0.55];
// Thickness of the tubes along curves, as a fraction of the selected bodies' size.
const TUBE = 0.006;
// A click this near to a mark, in CSS pixels, means its clash.
const NEAR_MARK = 12;

// `onPick(clash)` runs after a click on a mark, `onMeasure` after the measured points have changed. Returns null if the
// browser has no WebGL 2.
function createClashViewer(canvas, units, onPick, onMeasure) {
  const parts = data.bodies.map(({ name, mesh, pose }) => ({ ...data.scene.parts[mesh], name, pose }));
  const scene = decodeScene({ up: data.scene.up, parts });
  const { radius, outline } = scene.world;
  const whole = joinedSurfaces(scene.parts.map(({ surface }) => surface));
  const clashing = new Set(data.clashes.flatMap(({ bodies }) => bodies));
  const inWorld = (point) => toWorld(scene.world, toUp(data.scene.up, point));
  const tools = { others: "clear", section: null };
  let picked = null;
  let marked = [];
  let assembly = null;
  let seen = null;

  // The half edge of the section box in world coordinates is `tools.section` times the size of the clash.
  function sectionBox() {
    if (!picked || tools.section == null) return null;
    const half = (tools.section * picked.size) / radius;
    const center = inWorld(picked.place);
    return { center, half, lower: center.map((x) => x - half), upper: center.map((x) => x + half) };
  }

  function uploadPicked(gpu) {
    gpu.clearHighlights();
    const own = picked ? [...new Set(picked.bodies)] : [];
    assembly.spans = whole.spansWithout(own);
    own.forEach((body, place) => gpu.addHighlight(scene.parts[body].surface, () => PICKED[place]));
    if (picked?.curves.length) {
      const curves = picked.curves.map((curve) => curve.map(inWorld));
      gpu.addHighlight(tubes(curves, (TUBE * picked.size) / radius), () => CURVE);
    }
    uploadSection(gpu);
    canvas.dataset.picked = own.join(" ");
  }

  function uploadSection(gpu) {
    gpu.clearVolumes();
    const box = sectionBox();
    if (box) gpu.addVolumes("box", [{ center: box.center, axes: AXES.map((axis) => axis.map((x) => x * box.half)) }], [SECTION]);
  }

  const screen = createScreen(canvas, {
    upload(gpu) {
      assembly = gpu.addSurface(whole, (triangle) => (clashing.has(whole.partOf(triangle)) ? CLASHING : BODY));
      uploadPicked(gpu);
    },
    look: (aspect) => ({
      ...camera.look(aspect, outline),
      look: picked ? tools.others : "solid",
      opacity: 0.09,
      section: sectionBox(),
      faces: false,
      edges: false,
    }),
    afterDraw(look) {
      seen = look;
      overlay.draw(look, marks());
    },
  });
  if (!screen) return null;
  const overlay = createOverlay(canvas);
  const measure = createMeasure(hit, () => ({ look: seen, size: [canvas.clientWidth, canvas.clientHeight] }), () => {
    onMeasure();
    screen.redraw();
  });
  // Quick clicks measure; they do not reset the camera.
  canvas.addEventListener("dblclick", (event) => measure.isOn() && event.stopImmediatePropagation(), { capture: true });
  const camera = createCamera(canvas, screen.redraw);
  listenToClicks(canvas, (x, y) => (measure.isOn() ? measure.click(x, y) : pickMark(x, y)));
  screen.upload();

  function marks() {
    const colour = MARK;
    const own = picked
      ? { kind: "ring", point: inWorld(picked.place), colour }
      : { points: marked.map(({ point }) => point), colour: `${colour}b0` };
    return [own, ...measure.marks("#1f2937", (distance) => units.text(distance * radius))];
  }

  function pickMark(x, y) {
    if (picked || !seen) return;
    let best = { away: NEAR_MARK };
    for (const { clash, point } of marked) {
      const at = projected(seen, [canvas.clientWidth, canvas.clientHeight], point);
      const away = at ? Math.hypot(at[0] - x, at[1] - y) : Infinity;
      if (away < best.away) best = { away, clash };
    }
    if (best.clash) onPick(best.clash);
  }

  // The selected bodies are hit through the others unless those are solid.
  function hit(x, y) {
    const box = sectionBox();
    const inBox = (point) => !box || point.every((value, k) => value >= box.lower[k] && value <= box.upper[k]);
    const own = picked ? picked.bodies.map((body) => [whole.starts[body], whole.starts[body + 1] - whole.starts[body]]) : [];
    const all = [[0, whole.count]];
    const turns = !picked || tools.others === "solid" ? [all] : tools.others === "none" ? [own] : [own, all];
    for (const spans of turns) {
      const found = hitSurface(whole, spans, camera.ray(x, y), inBox);
      if (!found) continue;
      const corner = (k) => Array.from(whole.positions.subarray(3 * (found.corner + k), 3 * (found.corner + k) + 3));
      return { ...found, corners: [0, 1, 2].map(corner) };
    }
    return null;
  }

  return {
    redraw: screen.redraw,
    measure,
    // The measured distance in the data's unit; null without one.
    measured: () => (measure.distance() == null ? null : measure.distance() * radius),
    // Marks clashes in the whole model.
    mark(clashes) {
      marked = clashes.map((clash) => ({ clash, point: inWorld(clash.place) }));
      canvas.dataset.marks = marked.length;
      screen.redraw();
    },
    show(clash) {
      picked = clash;
      screen.change(uploadPicked);
      screen.redraw();
      if (!clash) camera.reset();
      else camera.flyTo(inWorld(clash.place), clash.size / radius);
    },
    // `others` is the look of bodies that are not selected; `section` the half edge of the section box, or null.
    use(changes) {
      Object.assign(tools, changes);
      screen.change(uploadSection);
      screen.redraw();
    },
    // The picture with its marks as a PNG.
    photograph() {
      const { width, height } = canvas;
      const target = element("canvas", { width, height });
      screen.picture(target);
      overlay.copyTo(target.getContext("2d"));
      return new Promise((done) => target.toBlob(done));
    },
  };
}
