// The package's answers, with simd128 and without, are the program's to the last digit.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

import { built, checksum, cooked, data, poses, run, skip } from "./program.mjs";

const PAIRS = [["gear", "bolt"], ["chain_link", "chain_link"], ["open_bowl", "spring"]];

// Each module in a JavaScript of its own.
async function load(file) {
  const core = await import(`${pathToFileURL(built("bvtree/core.js"))}?${file}`);
  core.initSync({ module: readFileSync(built(`bvtree/${file}`)) });
  return core;
}

for (const [file, level] of [["bvtree_simd.wasm", "simd128"], ["bvtree.wasm", "portable"]]) {
  const core = await load(file);
  const { ConvexShape, Mesh, Tree, Query, Probe, DistanceTracker, poseFromTranslation } = core;
  const mesh = (name) => Mesh.read(readFileSync(data(`${name}.obj`)), `${name}.obj`);

  test(`${level}: the level is what it should be`, () => assert.equal(core.simdLevel(), level));

  test(`${level}: a face tells its group`, () => {
    const lines = ["v 0 0 0", "v 1 0 0", "v 0 1 0", "v 0 0 1", "f 1 3 4", "g floor", "f 1 2 3", "g wall", "f 1 2 4"];
    const tree = new Tree(Mesh.read(new TextEncoder().encode(lines.join("\n")), "room.obj"));
    assert.deepEqual([0, 1, 2, 3].map((face) => tree.groupOf(face)), [undefined, "floor", "wall", undefined]);
    assert.equal(Tree.fromBytes(tree.toBytes(true)).groupOf(1), "floor");
    assert.deepEqual(tree.groupIds(), { names: ["", "floor", "wall"], ids: new Uint32Array([0, 1, 2]) });
    assert.deepEqual(tree.materialIds(), { names: [""], ids: new Uint32Array(3) });
    lines.splice(7, 0, "usemtl oak");
    const both = new Tree(Mesh.read(new TextEncoder().encode(lines.join("\n")), "room.obj", { groupBy: "both" }));
    assert.deepEqual(both.materialIds(), { names: ["", "oak"], ids: new Uint32Array([0, 0, 1]) });
    assert.deepEqual(both.groupIds(), tree.groupIds());
  });

  test(`${level}: cooked trees are the program's, byte for byte`, { skip }, () => {
    const crate = mesh("crate");
    for (const kind of ["aabb", "obb", "sphere", "kdop"]) {
      for (const preset of ["fast", "balanced", "tight"]) {
        const bytes = new Tree(crate, kind, preset).toBytes();
        assert.ok(Buffer.from(bytes).equals(cooked("crate", kind, preset)), `${kind} ${preset}`);
        const opened = Tree.fromBytes(bytes);
        assert.equal(opened.kind, kind);
        assert.deepEqual(opened.toBytes(), bytes);
        const compact = opened.toBytes(true);
        assert.ok(compact.length < bytes.length);
        assert.deepEqual(Tree.fromBytes(compact).toBytes(true), compact);
      }
    }
  });

  test(`${level}: pairs, distances, relations and contacts at many poses`, { skip }, () => {
    const { matrices, file } = poses();
    const query = new Query();
    for (const names of PAIRS) {
      const [a, b] = names.map((name) => new Tree(mesh(name)));
      const asked = (mode) => run(["query", ...names.map((name) => data(`${name}.obj`)), "--poses", "-", "--mode", mode], file);
      const [pairs, distances, relations, contacts] = ["pairs", "distance", "relation", "contacts"].map(asked);
      const tracker = new DistanceTracker(a, b);
      const points = [];
      matrices.forEach((pose, i) => {
        const found = query.intersectingPairs(a, b, pose);
        assert.equal(checksum(found), pairs[i].pairs_checksum, `${names} ${i}`);
        assert.equal(found.length / 2, Number(pairs[i].pairs));
        assert.equal(query.countPairs(a, b, pose), found.length / 2);
        assert.equal(query.intersects(a, b, pose), pairs[i].hit === "1");
        const closest = query.distance(a, b, pose);
        const { distance, face_a, face_b, ...rest } = distances[i];
        assert.equal(closest.distance, Number(distance));
        assert.deepEqual([closest.faceA, closest.faceB], [Number(face_a), Number(face_b)]);
        assert.deepEqual([...closest.onA, ...closest.onB], ["ax", "ay", "az", "bx", "by", "bz"].map((key) => Number(rest[key])));
        assert.deepEqual(tracker.distance(query, pose), closest);
        assert.ok(query.within(a, b, closest.distance, pose));
        assert.equal(query.relation(a, b, pose), relations[i].relation);
        const met = query.contacts(a, b, pose);
        for (let k = 0; k < met.faces.length / 2; k++) {
          points.push([met.faces[2 * k], met.faces[2 * k + 1], [...met.points.subarray(3 * met.starts[k], 3 * met.starts[k + 1])].join(" ")]);
        }
        assert.deepEqual(query.intersectionCurves(a, b, pose).faces, met.faces);
      });
      const expected = contacts.map(({ face_a, face_b, points }) => [Number(face_a), Number(face_b), points.split(" ").filter(Boolean).map(Number).join(" ")]);
      assert.deepEqual(points, expected);
    }
  });

  test(`${level}: motions, rays and points`, { skip }, () => {
    const [names, probe, query] = [["gear", "bolt"], new Probe(), new Query()];
    const [a, b] = names.map((name) => new Tree(mesh(name), "aabb"));
    const { matrices } = poses();
    const row = (m) => [0, 1, 2].flatMap((k) => [m[k], m[4 + k], m[8 + k], m[12 + k]]);
    const motions = matrices.slice(1).map((end, i) => [matrices[i], end]);
    const lines = motions.map(([start, end], i) => [i, ...row(start), ...row(end)].join(",")).join("\n");
    const expected = run(["motion", ...names.map((name) => data(`${name}.obj`)), "--motions", "-", "--accuracy", "1e-6"], `${lines}\n`);
    motions.forEach(([start, end], i) => {
      const found = query.timeOfImpact(a, b, start, end, 1e-6);
      assert.equal(found.outcome, expected[i].result === "free" ? "no_impact" : expected[i].result);
      if (found.outcome !== "no_impact") assert.equal(found.time, Number(expected[i].time));
    });

    const places = Array.from({ length: 60 }, (_, i) => [((i * 7) % 41) - 20.5, ((i * 11) % 37) - 18.25, ((i * 5) % 17) - 3.125]);
    const rays = places.map((place, i) => [place, [1 - (i % 3), 0.25 * (i % 5) - 0.5, 0.125 + (i % 2)]]);
    const hits = run(["ray", data("gear.obj"), "--rays", "-"], rays.map((ray) => ray.flat().join(",")).join("\n"));
    rays.forEach(([origin, direction], i) => {
      const hit = probe.closestHit(a, origin, direction);
      assert.equal(hit?.time ?? "", hits[i].time === "" ? "" : Number(hits[i].time));
      assert.equal(probe.anyHit(a, origin, direction), hit !== undefined);
      const all = probe.allHits(a, origin, direction);
      assert.equal(Math.min(...all.map(({ time }) => time), Infinity), hit?.time ?? Infinity);
    });
    const closest = run(["closest", data("gear.obj"), "--points", "-"], places.map((place) => place.join(",")).join("\n"));
    places.forEach((place, i) => {
      const found = probe.closestPoint(a, place);
      assert.equal(found.distance, Number(closest[i].distance), JSON.stringify(closest[i]));
      const side = probe.contains(a, place);
      assert.ok(["inside", "outside", "on_surface"].includes(side));
      const signed = probe.signedDistance(a, place);
      assert.equal(Math.abs(signed), found.distance);
      assert.equal(signed < 0, side === "inside");
    });
  });

  test(`${level}: shapes and capsules fall on a crate`, () => {
    const probe = new Probe();
    const tree = new Tree(new Mesh([-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0], [0, 1, 2, 0, 2, 3]));
    const at = (z) => poseFromTranslation([0, 0, z]);
    // How far each reaches below its middle.
    const shapes = [
      [ConvexShape.sphere(0.25), 0.25],
      [ConvexShape.capsule(0.5, 0.25), 0.75],
      [ConvexShape.cuboid([0.5, 0.25, 0.125]), 0.125],
      [ConvexShape.cuboid([0.5, 0.25, 0.125]).rounded(0.125), 0.25],
      [ConvexShape.cylinder(0.5, 0.25), 0.5],
      [ConvexShape.cone(0.5, 0.25), 0.5],
      [ConvexShape.hull([0, 0, 1, 0.5, 0.5, -0.5, -0.5, 0.5, -0.5, 0, -0.5, -0.5]), 0.5],
    ];
    for (const [shape, below] of shapes) {
      assert.equal(probe.intersectsConvex(tree, shape, at(below - 0.01)), true);
      assert.equal(probe.intersectsConvex(tree, shape, at(below + 0.01)), false);
      assert.deepEqual([...probe.facesInConvex(tree, shape, at(below - 0.01))].sort(), [0, 1]);
      const closest = probe.closestToConvex(tree, shape, at(below + 2));
      assert.ok(Math.abs(closest.distance - 2) < 1e-9 && Math.abs(closest.onShape[2] - 2) < 1e-9 && closest.onMesh[2] === 0);
      assert.equal(probe.closestToConvex(tree, shape, at(below + 2), 1.9), undefined);
      const hit = probe.castConvex(tree, shape, [0, 0, -4], at(below + 2));
      assert.ok(Math.abs(hit.time - 0.5) < 1e-9 && hit.normal[2] > 0.999999 && hit.point[2] < 1e-9, JSON.stringify(hit));
      assert.equal(probe.castConvex(tree, shape, [0, 0, -1.9], at(below + 2)), undefined);
    }
    const fall = probe.castCapsule(tree, [0, 0, 2.25], [0, 0, 3], 0.25, [0, 0, -4]);
    assert.ok(Math.abs(fall.time - 0.5) < 1e-9 && fall.normal[2] === 1 && fall.faceNormal[2] === 1, JSON.stringify(fall));
    const contacts = probe.capsuleContacts(tree, [0.5, -0.5, 0.125], [0.5, -0.5, 1], 0.25, 0);
    assert.deepEqual([contacts.length, contacts[0].face, contacts[0].distance], [1, 0, -0.125]);
    assert.deepEqual(probe.closestCapsuleContact(tree, [0.5, -0.5, 0.125], [0.5, -0.5, 1], 0.25, 0), contacts[0]);
    assert.equal(probe.closestCapsuleContact(tree, [0, 0, 5], [0, 0, 6], 0.25, 1), undefined);
    assert.throws(() => ConvexShape.sphere(-1), { name: "InvalidArgument", message: /radius is -1/ });
    assert.throws(() => ConvexShape.hull([1, 2]), { name: "InvalidArgument" });
    assert.throws(() => probe.castCapsule(tree, [0, 0, 0], [0, 0, 1], NaN, [0, 0, 1]), { name: "InvalidArgument" });
  });

  test(`${level}: convex shapes have contacts, depths and manifolds`, () => {
    const probe = new Probe();
    const floor = new Tree(new Mesh([-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0], [0, 1, 2, 0, 2, 3]));
    const at = (x, y, z) => poseFromTranslation([x, y, z]);
    const near = (found, wanted) => assert.ok(found.every((x, i) => Math.abs(x - wanted[i]) < 1e-9), `${found} instead of ${wanted}`);
    // An eighth deep in one triangle, beside the diagonal.
    const ball = ConvexShape.sphere(0.25);
    const [contact, ...others] = probe.convexContacts(floor, ball, 0, at(0.5, -0.5, 0.125));
    assert.deepEqual([others, contact.face, contact.faceNormal], [[], 0, [0, 0, 1]]);
    near([contact.distance, ...contact.onShape, ...contact.onMesh, ...contact.normal], [-0.125, 0.5, -0.5, -0.125, 0.5, -0.5, 0, 0, 0, 1]);
    assert.deepEqual(probe.closestConvexContact(floor, ball, 0, at(0.5, -0.5, 0.125)), contact);
    assert.equal(probe.closestConvexContact(floor, ball, 0.5, at(0, 0, 1)), undefined);
    assert.deepEqual(probe.convexContacts(floor, ball, 0.5, at(0, 0, 1)), []);

    // In a real mesh, contacts are the faces in the shape, and the closest is one of them; two shapes agree with it.
    const gear = new Tree(mesh("gear"));
    const block = ConvexShape.cuboid([4, 3, 5]).rounded(0.5);
    let touching = 0;
    for (let i = 0; i < 40; i++) {
      const pose = core.poseFromAxisAngle([1, i, 2], i, [20 - i, 0.7 * i - 12, 0.3 * i - 6]);
      const found = probe.convexContacts(gear, block, 3, pose);
      const overlapping = found.filter(({ distance }) => distance <= 0).map(({ face }) => face).sort((a, b) => a - b);
      assert.deepEqual(overlapping, [...probe.facesInConvex(gear, block, pose)].sort((a, b) => a - b));
      touching += overlapping.length > 0;
      const least = Math.min(...found.map(({ distance }) => distance));
      const closest = probe.closestConvexContact(gear, block, 3, pose);
      assert.equal(closest?.distance ?? Infinity, least);
      if (!(least > 0)) continue;
      const { distance } = probe.closestToConvex(gear, block, pose, 3) ?? { distance: Infinity };
      assert.ok(distance === least || Math.abs(distance - least) < 1e-9, `${distance} ${least}`);
    }
    assert.ok(touching > 5 && touching < 40, `${touching}`);

    const crate = ConvexShape.cuboid([0.5, 0.5, 0.5]);
    const standing = probe.convexContactManifolds(floor, crate, 0.1, at(0, 0, 0.49));
    assert.deepEqual([[...standing.starts], standing.ids.length], [[0, 4], 4]);
    near([...standing.normals], [0, 0, 1]);
    for (let i = 0; i < 4; i++) {
      near([Math.abs(standing.points[7 * i]), Math.abs(standing.points[7 * i + 1]), standing.points[7 * i + 6]], [0.5, 0.5, 0.01]);
      assert.deepEqual(standing.faces[2 * i + 1], 0xffffffff);
    }
    const stacked = crate.contactManifolds(crate, 0.1, at(0.25, 0, 0.99));
    assert.deepEqual([[...stacked.starts], [...stacked.faces]], [[0, 4], Array(8).fill(0xffffffff)]);
    near([...stacked.normals], [0, 0, 1]);
    const deep = crate.contact(ball, at(0.7, 0, 0));
    near([deep.distance, ...deep.onA, ...deep.onB, ...deep.normal], [-0.05, 0.5, 0, 0, 0.45, 0, 0, 1, 0, 0]);
    near([crate.contact(ball, at(0, 2, 0)).distance], [1.25]);
    assert.equal(crate.contact(ball, at(0, 2, 0), 1), undefined);
    near(ball.supportPoint([0, -3, 0]), [0, -0.25, 0]);

    // The farthest of all vertices, compared one by one.
    const vertices = readFileSync(data("gear.obj"), "utf8").split("\n").filter((line) => line.startsWith("v "));
    const points = vertices.map((line) => line.split(/\s+/).slice(1, 4).map((x) => Math.fround(Number(x))));
    for (const direction of [[1, 0, 0], [0, 0, -1], [1, 2, 3], [-0.3, 0.1, 1e-3]]) {
      const along = (point) => point.reduce((sum, x, i) => sum + x * direction[i], 0);
      const { point, face } = probe.supportPoint(gear, direction);
      assert.ok(Math.abs(along(point) - Math.max(...points.map(along))) < 1e-9 && face < 4294967295);
    }
    assert.equal(probe.supportPoint(gear, [0, 0, 0]), undefined);
    assert.throws(() => probe.supportPoint(gear, [1, 2]), { name: "InvalidArgument" });
    assert.throws(() => crate.contact(ball, [1, 2, 3]), { name: "InvalidPose" });
  });

  test(`${level}: penetration frees`, () => {
    const query = new Query();
    const tree = new Tree(mesh("crate"));
    const { upperBound, direction } = query.penetration(tree, tree, [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0.9, 0.1, 0, 1]);
    const moved = direction.map((x, k) => x * upperBound * 1.001 + [0.9, 0.1, 0][k]);
    assert.equal(query.intersects(tree, tree, [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, ...moved, 1]), false);
    const along = query.penetrationAlong(tree, tree, direction, [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0.9, 0.1, 0, 1]);
    assert.ok(Math.abs(along.depth - upperBound) < 1e-9);
    assert.equal(query.penetration(tree, tree, [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 9, 0, 0, 1]), undefined);
  });

  test(`${level}: depths are intervals`, () => {
    const query = new Query();
    const tree = new Tree(mesh("crate"));
    const at = (x) => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, 0, 0, 1];
    const overlap = query.overlapDepth(tree, tree, at(0.9), 0.001);
    assert.ok(overlap.lower > 0 && overlap.upper <= 1.0011 * overlap.lower);
    // A limit that is over at once leaves the bounds farther apart.
    const [least, early] = [undefined, 0].map((limit) => query.overlapDepth(tree, tree, at(0.9), 1e-6, limit));
    assert.ok(early.lower <= least.upper && least.lower <= early.upper && early.upper - early.lower > least.upper - least.lower);
    assert.ok(query.penetrationDepth(tree, tree, at(0.9), 0.01, 0).upper > 0);
    assert.throws(() => query.overlapDepth(tree, tree, at(0.9), 0, -1), { name: "InvalidArgument", message: /timeLimit/ });
    const { point, wayOut } = overlap.deepest;
    assert.ok(Math.abs(Math.hypot(...point.map((x, k) => x - wayOut[k])) - overlap.lower) < 1e-9);
    const bolt = new Tree(mesh("bolt"));
    const { lower, upper, translation } = query.penetrationDepth(bolt, bolt, at(0.9));
    assert.ok(lower >= query.overlapDepth(bolt, bolt, at(0.9)).lower * 0.999 && upper <= 1.0101 * lower);
    assert.ok(Math.abs(Math.hypot(...translation) - upper) < 1e-9);
    const moved = at(0.9).map((x, i) => (i >= 12 && i < 15 ? x + translation[i - 12] : x));
    assert.ok(["separate", "touching"].includes(query.relation(bolt, bolt, moved)));
    assert.deepEqual(query.overlapDepth(tree, tree, at(9)), { lower: 0, upper: 0 });
    const [region, ...others] = query.overlapRegions(tree, tree, at(0.9), 0.001);
    assert.ok(region.lower <= overlap.upper && overlap.lower <= region.upper);
    assert.ok(others.length > 1 && others.every((other) => 0 < other.lower && other.lower <= region.lower));
    assert.ok(region.bounds.lower.every((x, k) => x <= region.deepest.point[k] && region.deepest.point[k] <= region.bounds.upper[k]));
    assert.deepEqual(query.overlapRegions(tree, tree, at(9)), []);
    const farthest = query.hausdorffDistance(tree, tree, at(0.9));
    assert.ok(farthest.lower > 0 && farthest.lower <= 0.9 && farthest.upper <= 1.0101 * farthest.lower);
    assert.ok(query.hausdorffDistance(bolt, bolt, undefined, "a_to_b").upper < 1e-9);
    assert.throws(() => query.hausdorffDistance(tree, tree, at(9), "up"), { name: "InvalidArgument" });
    assert.throws(() => query.overlapDepth(tree, tree, at(9), -1), { name: "InvalidArgument" });
  });

  test(`${level}: solids hold what is inside them`, () => {
    const query = new Query();
    const corners = [0, 1, 2, 3, 4, 5, 6, 7].flatMap((i) => [i & 1, (i >> 1) & 1, (i >> 2) & 1]);
    const faces = [0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4, 2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5];
    const [outer, inner] = [2, 1].map((size) => new Tree(new Mesh(corners.map((x) => (x - 0.5) * size), faces)));
    assert.equal(query.intersects(outer, inner), false);
    assert.ok(query.distance(outer, inner).distance > 0);
    query.setSolids("if_closed", "no");
    assert.equal(query.intersects(outer, inner), true);
    assert.equal(query.distance(outer, inner).distance, 0);
    assert.ok(query.within(outer, inner, 0));
    // B is a surface: what it encloses does not touch it.
    assert.equal(query.intersects(inner, outer), false);
    query.setSolids("no", "robust");
    assert.equal(query.intersects(inner, outer), true);
    assert.throws(() => query.setSolids("yes", "no"), { name: "InvalidArgument" });
  });

  test(`${level}: manifolds, the first way out, and insides of open meshes`, () => {
    const [query, tree, probe] = [new Query(), new Tree(mesh("crate")), new Probe()];
    const at = (x) => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, 0.01, 0.02, 1];
    const { start, end } = query.freeIntervalAlong(tree, tree, [2, 0, 0], at(0.9));
    assert.ok(start > 0 && end === Infinity);
    assert.deepEqual(query.freeIntervalAlong(tree, tree, [1, 0, 0], at(9)), { start: 0, end: Infinity });
    const found = query.contactManifolds(tree, tree, 0.01, at(0.9 + start - 0.005));
    assert.equal(found.normals.length, 3 * (found.starts.length - 1));
    const count = found.starts.at(-1);
    assert.ok(count >= 3 && found.ids.length === count && found.points.length === 7 * count && found.faces.length === 2 * count);
    // Others are at the chamfered edges.
    const flat = [...found.starts.keys()].find((i) => Math.abs(found.normals[3 * i] - 1) < 1e-6);
    assert.ok(flat !== undefined && Math.abs(found.points[7 * found.starts[flat] + 6] - 0.005) < 1e-6, JSON.stringify(found.normals));
    assert.equal(query.contactManifolds(tree, tree, -1, at(0.9)).ids.length, 0);
    assert.deepEqual(probe.containsRobust(tree, [9, 9, 9]), { containment: "outside", certainty: 1 });
    const bowl = new Tree(mesh("open_bowl"));
    assert.equal(probe.contains(bowl, [0, 0, 0.01]), "undefined");
    const { containment, certainty } = probe.containsRobust(bowl, [0, 0, 0.01]);
    assert.ok(["inside", "outside"].includes(containment) && certainty >= 0 && certainty <= 1);
  });

  test(`${level}: answers without end take no memory`, () => {
    const [query, tree] = [new Query(), new Tree(mesh("crate"))];
    const tracker = new DistanceTracker(tree, tree);
    const pose = [0.8, 0.6, 0, 0, -0.6, 0.8, 0, 0, 0, 0, 1, 0, 0, 0.1, 0, 1];
    const ask = (count) => {
      for (let i = 0; i < count; i++) {
        pose[12] = 1.15 + 0.0002 * (i % 500);
        query.intersectingPairs(tree, tree, pose);
        tracker.distance(query, pose);
        assert.throws(() => new Mesh([0, NaN, 0]));
      }
    };
    ask(50);
    const { memory } = core.initSync();
    const before = memory.buffer.byteLength;
    ask(500);
    const crate = mesh("crate");
    for (let i = 0; i < 200; i++) new Tree(crate, "aabb", "fast").free();
    assert.ok(memory.buffer.byteLength - before < 1e6, `${memory.buffer.byteLength} after ${before}`);
  });
}
