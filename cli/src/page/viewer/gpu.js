// Buffers, programs and draw calls of the 3D view.

import { FACES, LINES, SURFACE, compiled } from "./shaders.js";

// Attributes by location; those of instances stand behind each shape's own.
const SURFACE_ATTRIBUTES = ["position", "normal", "colour"];
const INSTANCE_ATTRIBUTES = ["middle", "axisX", "axisY", "axisZ", "colour"];
const LINE_ATTRIBUTES = ["start", "end", "side", ...INSTANCE_ATTRIBUTES];
const FACE_ATTRIBUTES = ["unit", "unitNormal", ...INSTANCE_ATTRIBUTES];

// Where a part stands: a column-major matrix without shear, which may be replaced between drawings.
export const UNMOVED = { matrix: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1] };

export function createGpu(gl) {
  const surfaceProgram = compiled(gl, SURFACE, SURFACE_ATTRIBUTES);
  const lineProgram = compiled(gl, LINES, LINE_ATTRIBUTES);
  const faceProgram = compiled(gl, FACES, FACE_ATTRIBUTES);
  const shapes = { box: boxShape(), ball: ballShape() };
  let surfaces = [];
  let highlights = [];
  let volumes = [];

  function buffer(array) {
    const made = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, made);
    gl.bufferData(gl.ARRAY_BUFFER, array, gl.STATIC_DRAW);
    return made;
  }

  // `columns`: buffers with the widths of the attributes that lie in them side by side, and per how many instances.
  function vertexArray(columns) {
    const made = gl.createVertexArray();
    gl.bindVertexArray(made);
    let location = 0;
    for (const { data, widths, divisor } of columns) {
      gl.bindBuffer(gl.ARRAY_BUFFER, data);
      const stride = 4 * widths.reduce((sum, width) => sum + width, 0);
      let offset = 0;
      for (const width of widths) {
        gl.enableVertexAttribArray(location);
        gl.vertexAttribPointer(location, width, gl.FLOAT, false, stride, offset);
        gl.vertexAttribDivisor(location, divisor);
        offset += 4 * width;
        location += 1;
      }
    }
    gl.bindVertexArray(null);
    return made;
  }

  function surface({ count, positions, normals }, colourOf, placement = UNMOVED) {
    const colours = new Float32Array(3 * count);
    for (let i = 0; i < count; i++) colours.set(colourOf(Math.floor(i / 3)), 3 * i);
    const buffers = [positions, normals, colours].map(buffer);
    const array = vertexArray(buffers.map((data) => ({ data, widths: [3], divisor: 0 })));
    return { array, count, placement, release: () => release([array], buffers) };
  }

  function release(arrays, buffers) {
    arrays.forEach((array) => gl.deleteVertexArray(array));
    buffers.forEach((data) => gl.deleteBuffer(data));
  }

  for (const shape of Object.values(shapes)) {
    shape.lineBuffer = buffer(shape.lines);
    shape.outlineBuffer = shape.outline && buffer(shape.outline);
    shape.faceBuffer = buffer(shape.faces);
  }

  function use({ program, uniforms }, { matrix, eye }) {
    gl.useProgram(program);
    gl.uniformMatrix4fv(uniforms.matrix, false, matrix);
    gl.uniform3fv(uniforms.eye, eye);
    return uniforms;
  }

  function drawSurfaces(list, view, opacity, edges) {
    const uniforms = use(surfaceProgram, view);
    gl.uniform1f(uniforms.opacity, opacity);
    gl.uniform1f(uniforms.edges, edges);
    gl.uniform3f(uniforms.edgeColour, 0.1, 0.12, 0.16);
    for (const { array, count, placement } of list) {
      gl.uniformMatrix4fv(uniforms.placement, false, placement.matrix);
      gl.bindVertexArray(array);
      gl.drawArrays(gl.TRIANGLES, 0, count);
    }
  }

  function drawLines(view, opacity) {
    const uniforms = use(lineProgram, view);
    gl.uniform2f(uniforms.pixels, view.size[0] / 2, view.size[1] / 2);
    gl.uniform1f(uniforms.near, view.near);
    gl.uniform1f(uniforms.opacity, opacity);
    // Many volumes would become a blot.
    gl.uniform1f(uniforms.width, view.scale * (volumeCount() > 400 ? 0.5 : 0.8));
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

  function drawFaces(view) {
    const uniforms = use(faceProgram, view);
    const dense = volumeCount() > 400;
    gl.uniform1f(uniforms.opacity, dense ? 0.07 : 0.12);
    for (const { faces, count, shape, placement } of volumes) {
      gl.uniformMatrix4fv(uniforms.placement, false, placement.matrix);
      gl.uniform1f(uniforms.rim, shape === shapes.ball ? (dense ? 0.12 : 0.3) : 0);
      gl.bindVertexArray(faces);
      gl.drawArraysInstanced(gl.TRIANGLES, 0, shape.faces.length / 6, count);
    }
  }

  const volumeCount = () => volumes.reduce((sum, { count }) => sum + count, 0);

  return {
    volumeCount,
    clear() {
      [...surfaces, ...highlights, ...volumes].forEach(({ release }) => release());
      [surfaces, highlights, volumes] = [[], [], []];
    },
    clearHighlights() {
      highlights.forEach(({ release }) => release());
      highlights = [];
    },
    clearVolumes() {
      volumes.forEach(({ release }) => release());
      volumes = [];
    },
    addSurface: (...made) => surfaces.push(surface(...made)),
    addHighlight: (...made) => highlights.push(surface(...made)),
    addVolumes(name, placed, colours, placement = UNMOVED) {
      const shape = shapes[name];
      const instances = new Float32Array(placed.length * 15);
      placed.forEach(({ center, axes }, i) => instances.set([...center, ...axes.flat(), ...colours[i % colours.length]], 15 * i));
      const each = { data: buffer(instances), widths: [3, 3, 3, 3, 3], divisor: 1 };
      const around = (data) => vertexArray([{ data, widths: [3, 3, 2], divisor: 0 }, each]);
      const lines = around(shape.lineBuffer);
      const outline = shape.outlineBuffer && around(shape.outlineBuffer);
      const faces = vertexArray([{ data: shape.faceBuffer, widths: [3, 3], divisor: 0 }, each]);
      const own = () => release([lines, outline, faces].filter(Boolean), [each.data]);
      volumes.push({ shape, count: placed.length, lines, outline, faces, placement, release: own });
    },
    draw(view) {
      gl.viewport(0, 0, ...view.size);
      gl.clearColor(...view.background, 1);
      gl.depthMask(true);
      gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
      gl.enable(gl.DEPTH_TEST);
      gl.depthFunc(gl.LEQUAL);
      gl.enable(gl.BLEND);
      gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
      // Faces of volumes lie on the mesh: the mesh gives way.
      gl.enable(gl.POLYGON_OFFSET_FILL);
      gl.polygonOffset(1, 1);
      const edges = view.edges ? 0.55 : 0;
      if (view.look === "solid") drawSurfaces(surfaces, view, 1, edges);
      gl.polygonOffset(0, 0);
      drawSurfaces(highlights, view, 1, 0.4);
      if (view.look === "clear") {
        gl.depthMask(false);
        drawSurfaces(surfaces, view, 0.16, edges);
      }
      gl.depthMask(false);
      if (highlights.length > 0) {
        gl.depthFunc(gl.GREATER);
        drawSurfaces(highlights, view, 0.3, 0);
      }
      if (view.look === "solid") {
        gl.depthFunc(gl.GREATER);
        drawLines(view, 0.13);
      }
      gl.depthFunc(gl.LEQUAL);
      drawLines(view, 1);
      if (view.faces) drawFaces(view);
      gl.disable(gl.POLYGON_OFFSET_FILL);
      gl.depthMask(true);
      gl.bindVertexArray(null);
    },
  };
}

// A line as two triangles: start, end, and where between and beside them a corner is.
function lineCorners(start, end) {
  const corner = (along, beside) => [...start, ...end, along, beside];
  return [corner(0, -1), corner(1, -1), corner(1, 1), corner(0, -1), corner(1, 1), corner(0, 1)].flat();
}

function circle(segments, at) {
  const points = Array.from({ length: segments + 1 }, (_, i) => at((2 * Math.PI * i) / segments));
  return points.slice(1).flatMap((end, i) => lineCorners(points[i], end));
}

function boxShape() {
  const lines = [];
  const faces = [];
  for (let k = 0; k < 3; k++) {
    const [u, v] = [(k + 1) % 3, (k + 2) % 3];
    const point = (a, b, c) => {
      const made = [0, 0, 0];
      [made[k], made[u], made[v]] = [a, b, c];
      return made;
    };
    for (const [b, c] of [[-1, -1], [-1, 1], [1, -1], [1, 1]]) lines.push(...lineCorners(point(-1, b, c), point(1, b, c)));
    for (const a of [-1, 1]) {
      for (const [b, c] of [[-1, -1], [1, -1], [1, 1], [-1, -1], [1, 1], [-1, 1]]) faces.push(...point(a, b, c), ...point(a, 0, 0));
    }
  }
  return { lines: new Float32Array(lines), faces: new Float32Array(faces) };
}

function ballShape() {
  const [rings, sectors] = [16, 24];
  const at = (ring, sector) => {
    const [polar, around] = [(Math.PI * ring) / rings, (2 * Math.PI * sector) / sectors];
    return [Math.sin(polar) * Math.cos(around), Math.sin(polar) * Math.sin(around), Math.cos(polar)];
  };
  const faces = [];
  for (let r = 0; r < rings; r++) {
    for (let s = 0; s < sectors; s++) {
      for (const [i, k] of [[0, 0], [1, 0], [1, 1], [0, 0], [1, 1], [0, 1]]) {
        const point = at(r + i, s + k);
        faces.push(...point, ...point);
      }
    }
  }
  const round = (t) => [Math.cos(t), Math.sin(t), 0];
  return { lines: new Float32Array(0), outline: new Float32Array(circle(48, round)), faces: new Float32Array(faces) };
}
