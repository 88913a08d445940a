// Reads meshes, also from cooked files, and builds trees in a worker, so the page stays responsive; trees are sent to the page as cooked bytes.

import init, { Mesh, Tree } from "./bvtree/index.js";
import { knot } from "./generated.js";

const started = init();
// The number of the load, the mesh and the pending builds of each of the two slots.
const slots = new Map();
let working = false;

onmessage = async ({ data }) => {
  try {
    await started;
    if (data.order) slots.forEach((slot) => sort(slot.waiting, data.order));
    else await load(data);
    work();
  } catch (error) {
    postMessage({ slot: data.slot, load: data.load, error: error.message });
  }
};

async function load({ slot, load, name, bytes, generated, up, trees }) {
  slots.get(slot)?.mesh.free();
  slots.delete(slot);
  const mesh = generated ? ofArrays(knot(...generated)) : isCooked(name) ? ofTree(bytes) : Mesh.read(bytes, name, { up });
  const { positions, indices, bounds } = mesh;
  slots.set(slot, { load, mesh, waiting: trees });
  postMessage({ slot, load, mesh: { positions, indices, bounds } }, [positions.buffer, indices.buffer]);
}

const isCooked = (name) => name.toLowerCase().endsWith(".bvt");

function ofTree(bytes) {
  const tree = Tree.fromBytes(bytes);
  try {
    return tree.toMesh();
  } finally {
    tree.free();
  }
}

const ofArrays = ({ positions, indices }) => new Mesh(positions, indices);

const sort = (waiting, [kind, preset]) => waiting.sort((x, y) => (y[0] === kind && y[1] === preset) - (x[0] === kind && x[1] === preset));

// Builds one tree after the other, alternating between the meshes, and handles messages in between.
async function work() {
  if (working) return;
  working = true;
  for (;;) {
    const [next] = [...slots].filter(([, { waiting }]) => waiting.length > 0).sort(([, x], [, y]) => y.waiting.length - x.waiting.length);
    if (!next) break;
    const [slot, { load, mesh, waiting }] = next;
    const [kind, preset] = waiting.shift();
    try {
      const began = performance.now();
      const tree = new Tree(mesh, kind, preset);
      const time = performance.now() - began;
      const bytes = tree.toBytes();
      tree.free();
      postMessage({ slot, load, tree: { kind, preset, time, bytes } }, [bytes.buffer]);
    } catch (error) {
      postMessage({ slot, load, error: error.message });
    }
    await new Promise((done) => setTimeout(done));
  }
  working = false;
}
