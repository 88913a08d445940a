// Programs, draw calls and their order in the 3D view.

import { uploadShapes, uploadSurface, uploadVolumes } from "./buffers.js";
import { FACES, LINES, SURFACE, compiled } from "./shaders.js";

// Attributes by location; those of instances come after those of the shape.
const SURFACE_ATTRIBUTES = ["position", "normal", "colour"];
const INSTANCE_ATTRIBUTES = ["middle", "axisX", "axisY", "axisZ", "colour"];
const LINE_ATTRIBUTES = ["start", "end", "side", ...INSTANCE_ATTRIBUTES];
const FACE_ATTRIBUTES = ["unit", "unitNormal", ...INSTANCE_ATTRIBUTES];
// From this number of volumes on, lines are drawn thinner, so that the volumes stay distinct.
const DENSE = 400;

// The box that is drawn unless a view has a `section`, in world coordinates.
const EVERYTHING = { lower: [-1e9, -1e9, -1e9], upper: [1e9, 1e9, 1e9] };

// The pose of a part: a column-major matrix without shear, which may be replaced between drawings.
export const UNMOVED = { matrix: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1] };

export function createGpu(gl) {
  const programs = {
    surfaces: compiled(gl, SURFACE, SURFACE_ATTRIBUTES),
    lines: compiled(gl, LINES, LINE_ATTRIBUTES),
    faces: compiled(gl, FACES, FACE_ATTRIBUTES),
  };
  const shapes = uploadShapes(gl);
  const held = { surfaces: [], highlights: [], volumes: [] };

  function clear(...names) {
    for (const name of names) {
      held[name].forEach(({ release }) => release());
      held[name] = [];
    }
  }

  return {
    volumeCount: () => countOf(held.volumes),
    clear: () => clear(...Object.keys(held)),
    clearHighlights: () => clear("highlights"),
    clearVolumes: () => clear("volumes"),
    // Returns the surface; its `spans` are the ranges of corners that are drawn.
    addSurface(mesh, colourOf, placement = UNMOVED) {
      const surface = uploadSurface(gl, mesh, colourOf, placement);
      held.surfaces.push(surface);
      return surface;
    },
    addHighlight: (mesh, colourOf, placement = UNMOVED) => held.highlights.push(uploadSurface(gl, mesh, colourOf, placement)),
    addVolumes: (name, placed, colours, placement = UNMOVED) =>
      held.volumes.push(uploadVolumes(gl, shapes[name], placed, colours, placement)),
    draw: (view) => drawAll(gl, programs, held, view),
  };
}

const countOf = (volumes) => volumes.reduce((sum, { count }) => sum + count, 0);

// Draws surfaces, then highlights, which show through the surfaces, then volumes, whose hidden parts show through
// faintly. In a cutaway, the outer sides of surfaces that are turned to the eye are as glass, so that one looks inside.
function drawAll(gl, programs, { surfaces, highlights, volumes }, view) {
  gl.viewport(0, 0, ...view.size);
  gl.clearColor(...view.background, 1);
  gl.depthMask(true);
  gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
  gl.enable(gl.DEPTH_TEST);
  gl.depthFunc(gl.LEQUAL);
  gl.enable(gl.BLEND);
  gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
  // Faces of volumes lie on the mesh, so the mesh is drawn slightly behind them.
  gl.enable(gl.POLYGON_OFFSET_FILL);
  gl.polygonOffset(1, 1);
  const edges = view.edges ? 0.55 : 0;
  const isCutaway = view.look === "cutaway";
  const isOpaque = isCutaway || view.look === "solid";
  if (isOpaque) drawSurfaces(gl, programs.surfaces, surfaces, view, 1, edges, isCutaway ? "inner" : "both");
  gl.polygonOffset(0, 0);
  drawSurfaces(gl, programs.surfaces, highlights, view, 1, 0.4);
  if (view.look === "clear") {
    gl.depthMask(false);
    drawSurfaces(gl, programs.surfaces, surfaces, view, view.opacity ?? 0.16, edges);
  }
  if (isCutaway) {
    gl.depthMask(false);
    drawSurfaces(gl, programs.surfaces, surfaces, view, 0.1, 0, "outer");
  }
  gl.depthMask(false);
  if (highlights.length > 0) {
    gl.depthFunc(gl.GREATER);
    drawSurfaces(gl, programs.surfaces, highlights, view, 0.3, 0);
  }
  if (isOpaque) {
    gl.depthFunc(gl.GREATER);
    drawLines(gl, programs.lines, volumes, view, 0.13);
  }
  gl.depthFunc(gl.LEQUAL);
  drawLines(gl, programs.lines, volumes, view, 1);
  if (view.faces) drawFaces(gl, programs.faces, volumes, view);
  gl.disable(gl.POLYGON_OFFSET_FILL);
  gl.depthMask(true);
  gl.bindVertexArray(null);
}

function use(gl, { program, uniforms }, { matrix, eye }) {
  gl.useProgram(program);
  gl.uniformMatrix4fv(uniforms.matrix, false, matrix);
  gl.uniform3fv(uniforms.eye, eye);
  return uniforms;
}

// `sides`: "both", or only the "inner" or "outer" sides; `isInsideOut` is a surface whose normals point inward.
function drawSurfaces(gl, program, surfaces, view, opacity, edges, sides = "both") {
  const uniforms = use(gl, program, view);
  gl.uniform1f(uniforms.opacity, opacity);
  gl.uniform1f(uniforms.edges, edges);
  gl.uniform3f(uniforms.edgeColour, 0.1, 0.12, 0.16);
  const { lower, upper } = view.section ?? EVERYTHING;
  gl.uniform3fv(uniforms.lower, lower);
  gl.uniform3fv(uniforms.upper, upper);
  if (sides !== "both") gl.enable(gl.CULL_FACE);
  for (const { array, spans, placement, isInsideOut } of surfaces) {
    gl.cullFace((sides === "inner") === Boolean(isInsideOut) ? gl.BACK : gl.FRONT);
    gl.uniformMatrix4fv(uniforms.placement, false, placement.matrix);
    gl.bindVertexArray(array);
    for (const [first, count] of spans) gl.drawArrays(gl.TRIANGLES, first, count);
  }
  gl.disable(gl.CULL_FACE);
}

function drawLines(gl, program, volumes, view, opacity) {
  const uniforms = use(gl, program, view);
  gl.uniform2f(uniforms.pixels, view.size[0] / 2, view.size[1] / 2);
  gl.uniform1f(uniforms.near, view.near);
  gl.uniform1f(uniforms.opacity, opacity);
  gl.uniform1f(uniforms.width, view.scale * (countOf(volumes) > DENSE ? 0.5 : 0.8));
  for (const { lines, outline, count, shape, placement } of volumes) {
    gl.uniformMatrix4fv(uniforms.placement, false, placement.matrix);
    gl.uniform1i(uniforms.outline, 0);
    gl.bindVertexArray(lines);
    gl.drawArraysInstanced(gl.TRIANGLES, 0, shape.lines.length / 8, count);
    if (!outline) continue;
    gl.uniform1i(uniforms.outline, 1);
    gl.bindVertexArray(outline);
    gl.drawArraysInstanced(gl.TRIANGLES, 0, shape.outline.length / 8, count);
  }
}

function drawFaces(gl, program, volumes, view) {
  const uniforms = use(gl, program, view);
  const dense = countOf(volumes) > DENSE;
  gl.uniform1f(uniforms.opacity, dense ? 0.07 : 0.12);
  for (const { faces, count, shape, placement } of volumes) {
    gl.uniformMatrix4fv(uniforms.placement, false, placement.matrix);
    // Spheres have an outline in place of edges; shading at the rim makes them look round.
    gl.uniform1f(uniforms.rim, shape.outline ? (dense ? 0.12 : 0.3) : 0);
    gl.bindVertexArray(faces);
    gl.drawArraysInstanced(gl.TRIANGLES, 0, shape.faces.length / 6, count);
  }
}
