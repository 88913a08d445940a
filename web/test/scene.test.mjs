// Scenes of bodies whose answers are known in closed form, and beside `Query` and `Probe`.

import assert from "node:assert/strict";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

import { built } from "./program.mjs";

const { Compound, ConvexShape, Mesh, Probe, Query, Scene, Tree, poseFromAxisAngle, poseFromTranslation, relativePose } = await import(pathToFileURL(built("bvtree/node.js")));

// The unit cube about the origin, and one without a lid.
const CORNERS = Array.from({ length: 8 }, (_, i) => [0, 1, 2].map((k) => ((i >> k) & 1) - 0.5)).flat();
const FACES = [0, 2, 3, 0, 3, 1, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 0, 1, 5, 0, 5, 4, 2, 6, 7, 2, 7, 3, 4, 5, 7, 4, 7, 6];
const cube = new Tree(new Mesh(CORNERS, FACES));
const open = new Tree(new Mesh(CORNERS, FACES.slice(6)));
const large = new Tree(new Mesh(CORNERS.map((x) => 8 * x), FACES));
const ball = ConvexShape.sphere(0.5);
const at = (x, y = 0, z = 0) => poseFromTranslation([x, y, z]);

// Cubes 0, 1 and 2 at x = 0, 1 (which touches) and 2.25, and a ball, 3, above the last one.
function row() {
  const scene = new Scene();
  const numbers = [scene.add(cube), scene.add(cube, at(1)), scene.add(cube, at(2.25)), scene.addShape(ball, at(2.25, 0, 1.125))];
  assert.deepEqual(numbers, [0, 1, 2, 3]);
  return scene;
}

test("bodies are added, moved and removed", () => {
  const scene = row();
  assert.equal(scene.size, 4);
  assert.deepEqual([...scene.intersectingPairs()], [0, 1]);
  scene.setPose(2, at(2));
  assert.deepEqual([...scene.intersectingPairs()], [0, 1, 1, 2]);
  scene.setPoses([0, 3], [...at(9), ...at(2, 0, 1)]);
  assert.deepEqual([...scene.pose(0)], [...at(9)]);
  assert.deepEqual([...scene.intersectingPairs()], [1, 2, 1, 3, 2, 3].filter((_, i) => i < 2 || i > 3));
  scene.remove(1);
  // A number is not used again.
  assert.equal(scene.add(cube, at(9)), 4);
  assert.deepEqual([...scene.bodies], [0, 2, 3, 4]);
  assert.deepEqual([...scene.intersectingPairs()], [0, 4, 2, 3]);
  scene.setShape(4, ConvexShape.sphere(0.25));
  scene.setTree(3, cube);
  assert.deepEqual([...scene.intersectingPairs()], [2, 3]);
});

test("groups, ignored and static pairs are left out", () => {
  const scene = new Scene();
  const [a, b, c] = [0, 1, 2].map((k) => scene.add(cube, at(k / 4), { groups: 1 << k }));
  assert.equal(scene.intersectingPairs().length, 6);
  scene.setIgnored(a, b);
  scene.setGroups(c, 4, ~1);
  assert.deepEqual([...scene.intersectingPairs()], [b, c]);
  scene.setIgnored(a, b, false);
  assert.deepEqual([...scene.intersectingPairs()], [a, b, b, c]);
  const standing = (both) => [0, 1].reduce((scene) => (scene.add(cube, null, { isStatic: true }), scene), new Scene(both));
  assert.equal(standing(false).intersectingPairs().length, 0);
  assert.equal(standing(true).intersectingPairs().length, 2);
});

test("a filter chooses the pairs", () => {
  const scene = new Scene();
  const owner = ["Anna", "Anna", "Bela"];
  const [, a, b] = owner.map((_, k) => scene.add(cube, at(k / 4)));
  const asked = [];
  scene.setPairFilter((a, b) => {
    asked.push([a, b]);
    return owner[a] !== owner[b];
  });
  const questions = [
    () => scene.intersectingPairs(),
    () => scene.neighborPairs(),
    () => scene.pairsWithin(0),
    () => scene.closestPair(),
    () => scene.relations(),
    () => scene.overlapDepths(),
    () => scene.penetrationDepths(),
    () => scene.contactManifolds(0.01),
    () => scene.impacts([{ body: b, end: at(0) }]),
    () => scene.firstImpact([{ body: b, end: at(0) }]),
  ];
  assert.deepEqual([...scene.intersectingPairs()], [0, b, a, b]);
  assert.equal(scene.penetrationDepths().length, 2);
  assert.ok(asked.length >= 3 && asked.every(([a, b]) => a < b));
  // It is asked again where it may have changed, and what it throws ends the query.
  owner[2] = "Anna";
  scene.setPairFilter((a, b) => owner[a] !== owner[b]);
  assert.equal(scene.intersectingPairs().length, 0);
  for (const question of questions) {
    const error = new RangeError("no more");
    scene.setPairFilter(() => {
      throw error;
    });
    for (const _ of [0, 1]) assert.throws(question, error);
  }
  // What it throws comes before an error of the scene, for which a motion past the others is too long.
  for (const question of ["impacts", "firstImpact"]) {
    scene.setPose(b, at(10));
    let calls = 0;
    const error = new RangeError("no more");
    scene.setPairFilter(() => {
      if (++calls > 1) throw error;
      return true;
    });
    assert.throws(() => scene[question]([{ body: b, end: at(-1e29) }]), error);
    assert.equal(calls, 2);
    scene.setPairFilter();
    assert.throws(() => scene[question]([{ body: b, end: at(-1e29) }]), { name: "InvalidArgument" });
    scene.setPose(b, at(1 / 2));
    assert.equal(scene.intersectingPairs().length, 6);
  }
  // It cannot use the scene, which stays as it is.
  scene.setPairFilter(() => scene.size > 0);
  assert.throws(questions[0]);
  scene.setPairFilter();
  assert.equal(scene.intersectingPairs().length, 6);
  for (const wrong of [3, "all", {}]) assert.throws(() => scene.setPairFilter(wrong));
});

test("a solid body touches what lies inside it", () => {
  const pairs = (solid) => {
    const scene = new Scene();
    scene.add(large, null, { solid });
    scene.add(cube);
    return scene.intersectingPairs().length / 2;
  };
  assert.deepEqual([undefined, false, true, "if_closed"].map(pairs), [0, 0, 1, 1]);
  const scene = new Scene();
  assert.throws(() => scene.add(open, null, { solid: true }), { name: "InvalidMesh", message: /closed/ });
  assert.throws(() => scene.add(cube, null, { solid: "yes" }), { name: "InvalidArgument" });
  assert.equal(scene.add(open, null, { solid: "if_closed" }), 0);
});

test("clearances, relations and depths of pairs", () => {
  const scene = row();
  const near = scene.pairsWithin(0.25);
  assert.deepEqual(near.map(({ a, b, distance }) => [a, b, distance]), [[0, 1, 0], [1, 2, 0.25], [2, 3, 0.125]]);
  const [, , { onA, onB, faceA, faceB }] = near;
  assert.deepEqual([onA, onB, faceB], [[2.25, 0, 0.5], [2.25, 0, 0.625], -1]);
  assert.ok(faceA >= 10 && faceA < 12, `${faceA}`);
  assert.equal(scene.closestPair().distance, 0);
  assert.deepEqual([scene.relation(0, 1), scene.relation(1, 2)], ["touching", "separate"]);
  scene.setPose(1, at(0));
  scene.setPose(2, at(0.75));
  assert.deepEqual(scene.relations().slice(0, 2), [{ a: 0, b: 1, relation: "coincident" }, { a: 0, b: 2, relation: "crossing" }]);
  scene.remove(1);
  const [{ a, b, lower, upper, deepest }] = scene.overlapDepths(0);
  assert.deepEqual([a, b], [0, 2]);
  assert.ok(lower <= 0.25 && upper >= 0.25 && upper - lower < 1e-9, `${lower} ${upper}`);
  assert.equal(deepest.isOnB, Math.abs(deepest.point[0] - 0.25) < 1e-9);
  const [out] = scene.penetrationDepths(0.01);
  assert.ok(out.lower <= 0.25 && out.upper >= 0.25 && out.upper < 0.2526, JSON.stringify(out));
  const { bodies, normals, starts } = scene.contactManifolds(0.3);
  assert.deepEqual([...bodies], [0, 2]);
  assert.deepEqual([[...normals], [...starts]], [[1, 0, 0], [0, 4]]);
  assert.deepEqual([...scene.neighborPairs()].slice(0, 2), [0, 2]);
});

test("rays, points and capsules find the nearest body", () => {
  const scene = row();
  const down = [[2.25, 0, 9], [0, 0, -2]];
  const hit = scene.closestHit(...down);
  assert.deepEqual([hit.body, hit.normal, hit.face], [3, [0, 0, 1], -1]);
  assert.ok(Math.abs(hit.time - 3.6875) < 1e-9 && Math.abs(hit.point[2] - 1.625) < 1e-9, `${hit.time} ${hit.point}`);
  assert.deepEqual(scene.allHits(...down).map(({ body }) => body).filter((body, i, all) => body !== all[i - 1]), [3, 2]);
  assert.equal(scene.closestHit(...down, 3), undefined);
  assert.equal(scene.anyHit(...down, 3.75), true);
  scene.setGroups(3, 2, ~0);
  assert.equal(scene.closestHit(...down, undefined, 1).body, 2);
  assert.equal(scene.anyHit(...down, undefined, 4), false);
  const { body, distance, point } = scene.closestPoint([-1, 0, 0]);
  assert.deepEqual([body, distance, point], [0, 0.5, [-0.5, 0, 0]]);
  assert.equal(scene.closestPoint([-1, 0, 0], 0.25), undefined);
  const fall = scene.castCapsule([1, 0, 3], [1, 0, 2], 0.25, [0, 0, -5], undefined, 1);
  assert.deepEqual([fall.body, fall.normal], [1, [0, 0, 1]]);
  assert.ok(fall.time <= 0.25 && fall.time > 0.25 - 1e-9, `${fall.time}`);
  assert.equal(scene.castCapsule([1, 0, 3], [1, 0, 2], 0.25, [0, 0, -1]), undefined);
  const box = ConvexShape.cuboid([0.25, 0.25, 0.5]);
  const drop = scene.castConvex(box, [0, 0, -5], at(1, 0, 3), undefined, 1);
  assert.deepEqual([drop.body, drop.normal], [1, [0, 0, 1]]);
  assert.ok(Math.abs(drop.time - 0.4) < 1e-9, `${drop.time}`);
  assert.equal(scene.castConvex(box, [0, 0, -1], at(1, 0, 3)), undefined);
  const contact = scene.closestCapsuleContact([0, 0, 1], [0, 0, 2], 0.25, 1);
  assert.deepEqual([contact.body, contact.distance, contact.point], [0, 0.25, [0, 0, 0.5]]);
  assert.deepEqual([...new Set(scene.capsuleContacts([0.5, 0, 1], [0.5, 0, 2], 0.5, 0.01).map(({ body }) => body))], [0, 1]);
});

test("a mesh outside the scene finds the bodies beside it", () => {
  const scene = row();
  assert.deepEqual([...scene.bodiesIntersecting(cube, at(0.5))], [0, 1]);
  assert.deepEqual([...scene.bodiesIntersecting(cube, at(0.5), 2)], []);
  const near = scene.bodiesWithin(cube, 0.375, at(3.5));
  assert.deepEqual(near.map(({ body, distance }) => [body, distance]), [[2, 0.25]]);
  assert.ok([...scene.bodiesNear(cube, at(2.25, 0, 2.25), 0.125)].includes(3));
});

test("moving bodies meet", () => {
  const scene = row();
  const motions = [{ body: 0, end: at(-1) }, { body: 2, start: at(3), end: at(-1) }];
  const [first, ...others] = scene.impacts(motions);
  assert.deepEqual([first.a, first.b, first.time], [0, 1, 0]);
  const later = others.find(({ a, b }) => a === 1 && b === 2);
  assert.ok(Math.abs(later.time - 0.25) < 1e-9, `${later.time}`);
  assert.deepEqual(scene.firstImpact(motions), first);
  assert.equal(scene.firstImpact([{ body: 3, end: at(2.25, 0, 9) }, { body: 0, end: at(-1) }]).a, 0);
  scene.remove(0);
  assert.equal(scene.firstImpact([{ body: 3, end: at(2.25, 0, 9) }]), undefined);
});

test("pairs are those of a query", () => {
  const [scene, query] = [new Scene(), new Query()];
  const poses = Array.from({ length: 40 }, (_, i) => poseFromAxisAngle([1, i, 3], i, [Math.sin(9 * i) * 2, Math.cos(5 * i) * 2, Math.sin(i)]));
  for (const pose of poses) scene.add(cube, pose);
  const expected = [];
  for (let a = 0; a < poses.length; a++) {
    for (let b = a + 1; b < poses.length; b++) {
      const { distance } = query.distance(cube, cube, relativePose(poses[a], poses[b]));
      if (distance <= 0.5) expected.push([a, b, distance]);
    }
  }
  assert.deepEqual(scene.pairsWithin(0.5).map(({ a, b, distance }) => [a, b, distance]), expected);
  const touching = expected.filter(([, , distance]) => distance === 0).flatMap(([a, b]) => [a, b]);
  assert.deepEqual([...scene.intersectingPairs()], touching);
  assert.ok(touching.length > 20 && touching.length < expected.length * 2);
});

test("errors of a scene change nothing", () => {
  const scene = row();
  const wrong = (name, ask) => assert.throws(ask, { name });
  for (const body of [4, -1, 0.5, NaN, undefined, 2 ** 32]) {
    wrong("InvalidArgument", () => scene.remove(body));
    wrong("InvalidArgument", () => scene.setPose(body, at(1)));
    wrong("InvalidArgument", () => scene.relation(0, body));
  }
  wrong("InvalidPose", () => scene.add(cube, [1, 2]));
  wrong("InvalidPose", () => scene.add(cube, at(1e31)));
  wrong("InvalidPose", () => scene.setPoses([0, 1], at(1)));
  wrong("InvalidArgument", () => scene.setPoses([0, 7], [...at(5), ...at(6)]));
  wrong("InvalidArgument", () => scene.impacts([{ body: 0 }, { body: 0 }]));
  wrong("InvalidArgument", () => scene.impacts([{ end: at(1) }]));
  wrong("InvalidPose", () => scene.impacts([{ body: 0, end: [1] }]));
  // Exceptions of JavaScript's own conversions and of getters.
  wrong("TypeError", () => scene.impacts([undefined]));
  wrong("TypeError", () => scene.firstImpact([{ body: 0n }]));
  wrong("TypeError", () => scene.add(cube, null, { groups: 1n }));
  wrong("RangeError", () => scene.addShape(ball, null, { get mask() { throw new RangeError(); } }));
  wrong("RangeError", () => scene.add(cube, null, { get solid() { throw new RangeError(); } }));
  wrong("InvalidArgument", () => scene.closestHit([0, 0], [0, 0, 1]));
  wrong("InvalidArgument", () => scene.castCapsule([0, 0, 0], [0, 0, 1], -1, [0, 0, 1]));
  wrong("InvalidArgument", () => scene.overlapDepths(-1));
  wrong("InvalidArgument", () => scene.overlapDepths(0, "yes"));
  assert.deepEqual([...scene.intersectingPairs()], [0, 1]);
  assert.deepEqual([...scene.pose(0)], [...at(0)]);
  assert.equal(scene.add(cube, at(20)), 4);
});

test("masks leave out triangles by their layers, and one-sided ones from behind", () => {
  const level = new Tree(new Mesh([0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0, 1, 4, 0, 1, 0, 4, 1], [0, 1, 2, 3, 4, 5]));
  for (const wrong of [2 ** 32, -(2 ** 31) - 1, 0.5, NaN]) {
    assert.throws(() => level.setLayers([wrong, 2]), { name: "InvalidArgument", message: /layers/ });
  }
  level.setLayers(new Uint32Array([3, 2]), new Uint8Array([0, 1]));
  const probe = new Probe();
  const time = (mask, from, direction) => {
    probe.setMask(mask);
    return probe.closestHit(level, from, direction)?.time;
  };
  assert.deepEqual([1, 2, undefined, 4].map((mask) => time(mask, [1, 1, 5], [0, 0, -1])), [5, 4, 4, undefined]);
  assert.deepEqual([2, undefined].map((mask) => time(mask, [1, 1, 0.5], [0, 0, 1])), [undefined, 0.5]);
  const query = new Query();
  query.setMasks(2, undefined);
  assert.equal(query.intersects(level, level), true);
  query.setMasks(4, undefined);
  assert.equal(query.intersects(level, level), false);
  assert.throws(() => level.setLayers(new Uint32Array([1, 1])), { name: "InvalidArgument", message: /already set/ });
  assert.throws(() => new Tree(new Mesh([0, 0, 0, 1, 0, 0, 0, 1, 0], [0, 1, 2])).setLayers(new Uint32Array(2)), { name: "InvalidArgument" });
});

// A compound of a cube at x = -2, a ball at x = 0 and an open cube at x = 2.
function compound() {
  const whole = new Compound();
  assert.deepEqual([whole.addTree(cube, at(-2)), whole.addShape(ball), whole.addTree(open, at(2)), whole.size], [0, 1, 2, 3]);
  return whole;
}

test("results name the parts of compounds", () => {
  const scene = new Scene();
  const whole = scene.addCompound(compound());
  const other = scene.add(cube, at(2, 0, 1.25));
  assert.deepEqual(scene.pairsWithin(0.5).map(({ a, b, distance, partA, partB }) => [a, b, distance, partA, partB]), [[whole, other, 0.25, 2, 0]]);
  assert.deepEqual([-2, 0, 2].map((x) => scene.closestHit([x, 0.1, -9], [0, 0, 1]).part), [0, 1, 2]);
  assert.deepEqual(scene.allHits([-9, 0.1, 0.2], [1, 0, 0]).map(({ part }) => part), [0, 0, 1, 2, 2]);
  assert.equal(scene.closestPoint([0, 3, 0]).part, 1);
  assert.deepEqual(scene.bodiesWithin(cube, 0.5, at(0, 1.25)).map(({ body, part }) => [body, part]), [[whole, 1]]);
  assert.equal(scene.castCapsule([-2, 0, 5], [-2, 0, 5], 0.1, [0, 0, -9]).part, 0);
  assert.equal(scene.closestCapsuleContact([-2, 0, 1], [-2, 0, 1], 0.1, 1).part, 0);
  const [impact] = scene.impacts([{ body: other, end: at(2) }]);
  assert.deepEqual([impact.partA, impact.partB], [2, 0]);
  scene.setPose(other, at(-1.25));
  const [{ partA, partB, lower, upper }] = scene.overlapDepths();
  assert.deepEqual([partA, partB], [0, 0]);
  assert.ok(lower <= 0.25 && upper >= 0.25, `${lower} ${upper}`);
  const { bodies, parts } = scene.contactManifolds(0.3);
  assert.deepEqual([...bodies].slice(0, 2), [whole, other]);
  assert.deepEqual([...parts].slice(0, 2), [0, 0]);
});

test("compounds are solid if their meshes are closed", () => {
  const scene = new Scene();
  assert.throws(() => scene.addCompound(compound(), null, { solid: true }), { name: "InvalidMesh", message: /closed/ });
  assert.throws(() => compound().addShape(ball, [1, 2]), { name: "InvalidPose" });
  const closed = new Compound();
  closed.addTree(large, at(9));
  const body = scene.addCompound(closed, null, { solid: "if_closed" });
  scene.add(cube, at(9));
  assert.deepEqual([...scene.intersectingPairs()], [0, 1]);
  closed.addShape(ball);
  scene.setPose(1, at(0.75));
  assert.equal(scene.intersectingPairs().length, 0);
  scene.setCompound(body, closed);
  assert.deepEqual([...scene.intersectingPairs()], [0, 1]);
  const far = new Compound();
  far.addShape(ball, at(1e31));
  assert.throws(() => scene.setCompound(body, far), { name: "InvalidPose", message: /part 0/ });
});
