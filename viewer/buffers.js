// GPU buffers of meshes and volumes.

import { ballShape, boxShape } from "./shapes.js";

function filledBuffer(gl, array) {
  const made = gl.createBuffer();
  gl.bindBuffer(gl.ARRAY_BUFFER, made);
  gl.bufferData(gl.ARRAY_BUFFER, array, gl.STATIC_DRAW);
  return made;
}

// `columns`: buffers of interleaved attributes, with the attributes' widths and the divisor (instances per element).
function vertexArray(gl, columns) {
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

function releaseAll(gl, arrays, buffers) {
  arrays.forEach((array) => gl.deleteVertexArray(array));
  buffers.forEach((data) => gl.deleteBuffer(data));
}

// The unit box and the unit sphere, which all volumes share.
export function uploadShapes(gl) {
  const shapes = { box: boxShape(), ball: ballShape() };
  for (const shape of Object.values(shapes)) {
    shape.lineBuffer = filledBuffer(gl, shape.lines);
    shape.outlineBuffer = shape.outline && filledBuffer(gl, shape.outline);
    shape.faceBuffer = filledBuffer(gl, shape.faces);
  }
  return shapes;
}

// A mesh with a colour for each triangle.
export function uploadSurface(gl, { count, positions, normals, isInsideOut }, colourOf, placement) {
  const colours = new Float32Array(3 * count);
  for (let i = 0; i < count; i++) colours.set(colourOf(Math.floor(i / 3)), 3 * i);
  const buffers = [positions, normals, colours].map((array) => filledBuffer(gl, array));
  const array = vertexArray(gl, buffers.map((data) => ({ data, widths: [3], divisor: 0 })));
  return { array, spans: [[0, count]], placement, isInsideOut, release: () => releaseAll(gl, [array], buffers) };
}

// Instances of one shape, each with its own centre, axes and colour.
export function uploadVolumes(gl, shape, placed, colours, placement) {
  const instances = new Float32Array(placed.length * 15);
  placed.forEach(({ center, axes }, i) => instances.set([...center, ...axes.flat(), ...colours[i % colours.length]], 15 * i));
  const each = { data: filledBuffer(gl, instances), widths: [3, 3, 3, 3, 3], divisor: 1 };
  const around = (data) => vertexArray(gl, [{ data, widths: [3, 3, 2], divisor: 0 }, each]);
  const lines = around(shape.lineBuffer);
  const outline = shape.outlineBuffer && around(shape.outlineBuffer);
  const faces = vertexArray(gl, [{ data: shape.faceBuffer, widths: [3, 3], divisor: 0 }, each]);
  const release = () => releaseAll(gl, [lines, outline, faces].filter(Boolean), [each.data]);
  return { shape, count: placed.length, lines, outline, faces, placement, release };
}
