// The 3D view of the robot and the world around it: links are moved by the joints, two bodies are highlighted.

const ROBOT = [0.73, 0.75, 0.79];
const WORLD = [0.66, 0.72, 0.62];
const COLLIDING = [0.93, 0.72, 0.42];
const PICKED = [[0.88, 0.26, 0.3], [0.24, 0.48, 0.98]];

// `place(values)` returns the links' poses. Returns null if the browser has no WebGL 2.
function createRobotViewer(canvas, { bodies, scene: given, start }, place) {
  const first = place(start);
  const poseOf = (poses, { link }) => (link == null ? STILL : poses[link]);
  const parts = bodies.map((body) => ({ ...given.parts[body.mesh], name: body.name, pose: poseOf(first, body) }));
  const scene = decodeScene({ up: given.up, parts });
  const { center, radius } = scene.world;
  // Surfaces are decoded where the first configuration places them, in the scene's own unit.
  const placements = bodies.map(() => ({ matrix: UNMOVED.matrix }));
  const origins = bodies.map((body) => inverse(poseOf(first, body)));
  let shown = { colliding: new Set(), picked: [] };

  const screen = createScreen(canvas, {
    upload,
    look: (aspect) => ({ ...camera.look(aspect, scene.world.outline), look: "solid", faces: false, edges: false }),
  });
  if (!screen) return null;
  const camera = createCamera(canvas, screen.redraw);

  function upload(gpu) {
    gpu.clear();
    scene.parts.forEach(({ surface }, body) => {
      const own = shown.colliding.has(body) ? COLLIDING : bodies[body].link == null ? WORLD : ROBOT;
      gpu.addSurface(surface, () => own, placements[body]);
    });
    shown.picked.forEach((body, place) => gpu.addHighlight(scene.parts[body].surface, () => PICKED[place], placements[body]));
  }
  screen.upload();

  return {
    redraw: screen.redraw,
    resetCamera: camera.reset,
    move(values) {
      const poses = place(values);
      bodies.forEach((body, number) => {
        const [a, b, c, x, d, e, f, y, g, h, i, z] = product(poseOf(poses, body), origins[number]);
        const at = [[a, b, c, x], [d, e, f, y], [g, h, i, z]].map((row, k) => (dot(row, center) + row[3] - center[k]) / radius);
        placements[number].matrix = [a, d, g, 0, b, e, h, 0, c, f, i, 0, ...at, 1];
      });
      canvas.dataset.placed = poses.at(-1).join(" ");
      screen.redraw();
    },
    // `colliding` and `picked` are indices of bodies; of `picked` there are two, or none.
    highlight(colliding, picked) {
      shown = { colliding: new Set(colliding), picked };
      canvas.dataset.picked = picked.join(" ");
      screen.change(upload);
      screen.redraw();
    },
  };
}
