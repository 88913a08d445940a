// Plain objects for results and errors, called by the compiled module.

export const failure = (name, text) => Object.assign(new Error(text), { name });

export const closestPair = (distance, ax, ay, az, bx, by, bz, faceA, faceB) => ({
  distance,
  onA: [ax, ay, az],
  onB: [bx, by, bz],
  faceA,
  faceB,
});

export const impact = (outcome, time, nx, ny, nz, contact) => ({ outcome, time, normal: [nx, ny, nz], ...contact });

export const noImpact = () => ({ outcome: "no_impact" });

export const contacts = (faces, normals, starts, points) => ({ faces, normals, starts, points });

export const intersectionCurves = (faces, points, starts, closed) => ({
  faces,
  curves: Array.from(closed, (isClosed, i) => ({ points: points.slice(3 * starts[i], 3 * starts[i + 1]), isClosed: isClosed === 1 })),
});

export const contactManifolds = (normals, starts, points, faces, ids) => ({ normals, starts, points, faces, ids });

export const groupIds = (names, ids) => ({ names, ids });

export const freeInterval = (start, end) => ({ start, end });

export const robustContainment = (containment, certainty) => ({ containment, certainty });

export const overlapDepth = (lower, upper, [x, y, z, ...wayOut], isOnB) =>
  x === undefined ? { lower, upper } : { lower, upper, deepest: { point: [x, y, z], wayOut, isOnB } };

export const overlapRegion = (depth, [a, b, c, ...upper]) => ({ ...depth, bounds: { lower: [a, b, c], upper } });

export const hausdorffDistance = (lower, upper, [x, y, z, ...closest], isOnB) => ({ lower, upper, point: [x, y, z], closest, isOnB });

export const penetrationDepth = (lower, upper, x, y, z) => ({ lower, upper, translation: [x, y, z] });

export const penetration = (upperBound, x, y, z) => ({ upperBound, direction: [x, y, z] });

export const penetrationAlong = (depth, x, y, z, faceA, faceB) => ({ depth, normal: [x, y, z], faceA, faceB });

export const rayHit = (time, x, y, z, nx, ny, nz, face) => ({ time, point: [x, y, z], normal: [nx, ny, nz], face });

export const closestOnMesh = (distance, x, y, z, face) => ({ distance, point: [x, y, z], face });

export const closestToConvex = (distance, sx, sy, sz, mx, my, mz, face) => ({ distance, onShape: [sx, sy, sz], onMesh: [mx, my, mz], face });

export const capsuleContact = (distance, [x, y, z, nx, ny, nz, fx, fy, fz], face) => ({
  distance,
  point: [x, y, z],
  normal: [nx, ny, nz],
  faceNormal: [fx, fy, fz],
  face,
});

export const convexContact = (distance, [sx, sy, sz, mx, my, mz, nx, ny, nz, fx, fy, fz], face) => ({
  distance,
  onShape: [sx, sy, sz],
  onMesh: [mx, my, mz],
  normal: [nx, ny, nz],
  faceNormal: [fx, fy, fz],
  face,
});

export const shapeContact = (distance, [ax, ay, az, bx, by, bz, ...normal]) => ({ distance, onA: [ax, ay, az], onB: [bx, by, bz], normal });

export const supportPoint = (x, y, z, face) => ({ point: [x, y, z], face });

export const capsuleCastHit = (time, contact) => ({ time, ...contact });

export const ofBody = (body, answer) => ({ body, ...answer });

export const ofBodyPart = (body, part, answer) => ({ body, part, ...answer });

export const ofPair = (a, b, answer) => ({ a, b, ...answer });

export const ofParts = (partA, partB, answer) => ({ ...answer, partA, partB });

export const ofPairs = (bodies, parts, answer) => ({ bodies, parts, ...answer });

export const relatedPair = (a, b, relation) => ({ a, b, relation });

export const bodyImpact = (time, nx, ny, nz, contact) => ({ time, normal: [nx, ny, nz], ...contact });

export const bodyDepth = (body, depth) => ({ body, depth });

export const characterStep = (isBlocked, isCrushed, isOnGround, overlap) => ({ isBlocked, isCrushed, isOnGround, ...(overlap && { overlap }) });

export const ground = (nx, ny, nz, x, y, z, face) => ({ normal: [nx, ny, nz], point: [x, y, z], face });

export const push = (x, y, z, nx, ny, nz, speed) => ({ point: [x, y, z], normal: [nx, ny, nz], speed });

export const meshReport = (numbers, isClosed, isEdgeManifold) => {
  const [triangles, vertices, distinctVertices, zeroAreaTriangles, duplicateTriangles, openEdges, nonManifoldEdges, inconsistentEdges, components] = numbers;
  return { triangles, vertices, distinctVertices, zeroAreaTriangles, duplicateTriangles, openEdges, nonManifoldEdges, inconsistentEdges, components, isClosed, isEdgeManifold };
};
