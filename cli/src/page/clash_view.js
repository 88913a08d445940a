// The 3D view of the assembly: the selected bodies in colour, the others as the reader wants them.

const BODY = [0.73, 0.75, 0.79];
const CLASHING = [0.86, 0.72, 0.5];
const PICKED = [[0.88, 0.26, 0.3], [0.24, 0.48, 0.98]];
// Thickness of the tubes along curves, as a fraction of the selected bodies' size.
const TUBE = 0.006;

function createClashViewer(canvas, units) {
  const parts = data.bodies.map(({ name, mesh, pose }) => ({ ...data.scene.parts[mesh], name, pose }));
  const scene = decodeScene({ up: data.scene.up, parts });
  const whole = joinedSurfaces(scene.parts.map(({ surface }) => surface));
  const clashing = new Set(data.clashes.flatMap(({ bodies }) => bodies));
  const inWorld = (point) => toWorld(scene.world, toUp(data.scene.up, point));
  let picked = null;
  let assembly = null;

  function highlight(gpu) {
    gpu.clearHighlights();
    const own = picked ? [...new Set(picked.bodies)] : [];
    assembly.spans = whole.spansWithout(own);
    own.forEach((body, place) => gpu.addHighlight(scene.parts[body].surface, () => PICKED[place]));
    if (picked?.curves.length) {
      const curves = picked.curves.map((curve) => curve.map(inWorld));
      gpu.addHighlight(tubes(curves, (TUBE * picked.size) / scene.world.radius), () => CURVE);
    }
    canvas.dataset.picked = own.join(" ");
  }

  const screen = createScreen(canvas, {
    upload(gpu) {
      assembly = gpu.addSurface(whole, (triangle) => (clashing.has(whole.partOf(triangle)) ? CLASHING : BODY));
      highlight(gpu);
    },
    look: (aspect) => ({
      ...camera.look(aspect, scene.world.outline),
      look: picked ? "clear" : "solid",
      faces: false,
      edges: false,
    }),
  });
  if (!screen) return null;
  const camera = createCamera(canvas, screen.redraw);
  screen.upload();

  return {
    redraw: screen.redraw,
    mark() {},
    show(clash, mayFly = true) {
      picked = clash;
      screen.change(highlight);
      screen.redraw();
      if (!clash) camera.reset();
      else if (mayFly) camera.flyTo(inWorld(clash.place), clash.size / scene.world.radius);
    },
  };
}
