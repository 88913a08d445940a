// The 3D view of a scene (scene.js): its meshes and one level of their trees.

import { createCamera } from "./camera.js";
import { HIGHLIGHT, PART_COLOURS } from "./colours.js";
import { createScreen } from "./screen.js";

// Returns null if the browser has no WebGL 2.
export function createViewer(canvas, palette) {
  const state = { tree: null, level: 0, look: "solid", volumes: true, faces: true, byVolume: false, edges: false };
  let scene = null;

  // The tree of a kind and label, from a part that has one.
  const shownTree = ({ trees }) => trees.find(({ kind, label }) => kind === state.tree?.kind && label === state.tree?.label);

  function uploadPart(gpu, part, number) {
    const tree = shownTree(part);
    const depth = tree ? Math.min(state.level, tree.shown - 1) : 0;
    const nodes = tree ? tree.cut(depth) : [];
    const colours = tree ? palette[tree.kind] : [];
    const own = PART_COLOURS[number % PART_COLOURS.length];
    const places = tree && state.byVolume && nodes.length > 0 ? tree.places(nodes, depth) : null;
    gpu.addSurface(part.surface, (triangle) => (places ? colours[places[triangle] % colours.length] : own));
    if (part.highlighted) gpu.addHighlight(part.highlighted, () => HIGHLIGHT);
    if (nodes.length > 0 && state.volumes) gpu.addVolumes(tree.kind === "sphere" ? "ball" : "box", nodes.map(tree.volume), colours);
  }

  const screen = createScreen(canvas, {
    upload(gpu) {
      scene?.parts.forEach((part, number) => uploadPart(gpu, part, number));
      canvas.dataset.volumes = gpu.volumeCount();
    },
    look: (aspect) => scene && { ...camera.look(aspect, scene.world.outline), ...state },
  });
  if (!screen) return null;
  const camera = createCamera(canvas, screen.redraw);

  function update(changes) {
    Object.assign(state, changes);
    if (scene) screen.upload();
  }

  return {
    show(decoded, changes) {
      scene = decoded;
      update(changes);
    },
    update,
    state: () => ({ ...state }),
    redraw: screen.redraw,
    picture: screen.picture,
    resetCamera: camera.reset,
  };
}
