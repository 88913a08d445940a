// The three shader programs of the view: surfaces, lines of volumes with a width in pixels, and faces of volumes.

export const SURFACE = {
  vertex: `#version 300 es
    uniform mat4 matrix;
    uniform mat4 placement;
    in vec3 position;
    in vec3 normal;
    in vec3 colour;
    out vec3 at;
    out vec3 facing;
    out vec3 tint;
    out vec3 corner;
    void main() {
      at = (placement * vec4(position, 1.0)).xyz;
      facing = mat3(placement) * normal;
      tint = colour;
      int k = gl_VertexID % 3;
      corner = vec3(k == 0, k == 1, k == 2);
      gl_Position = matrix * vec4(at, 1.0);
    }`,
  fragment: `#version 300 es
    precision highp float;
    uniform vec3 eye;
    uniform float opacity;
    uniform float edges;
    uniform vec3 edgeColour;
    uniform vec3 lower;
    uniform vec3 upper;
    in vec3 at;
    in vec3 facing;
    in vec3 tint;
    in vec3 corner;
    out vec4 pixel;
    void main() {
      if (any(lessThan(at, lower)) || any(greaterThan(at, upper))) discard;
      vec3 view = normalize(eye - at);
      vec3 n = normalize(facing);
      // Both sides are lit: meshes may be open.
      n = dot(n, view) < 0.0 ? -n : n;
      float sky = 0.5 + 0.5 * n.z;
      float lamp = max(dot(n, normalize(view + vec3(0.25, -0.35, 0.55))), 0.0);
      vec3 lit = tint * (0.34 + 0.2 * sky + 0.5 * lamp);
      vec3 near = smoothstep(vec3(0.0), 1.2 * fwidth(corner), corner);
      float edge = 1.0 - min(near.x, min(near.y, near.z));
      lit = mix(lit, edgeColour, edge * edges);
      pixel = vec4(lit, opacity);
    }`,
};

// Each volume is an instance with a centre, three half axes and a colour.
const INSTANCE = `
    uniform mat4 placement;
    in vec3 middle;
    in vec3 axisX;
    in vec3 axisY;
    in vec3 axisZ;
    in vec3 colour;
    vec3 inPlace(vec3 vector) { return mat3(placement) * vector; }
    vec3 placed(vec3 unit) { return (placement * vec4(middle + unit.x * axisX + unit.y * axisY + unit.z * axisZ, 1.0)).xyz; }`;

export const LINES = {
  vertex: `#version 300 es
    uniform mat4 matrix;
    uniform vec3 eye;
    uniform vec2 pixels;
    uniform float width;
    uniform float near;
    uniform bool outline;
    in vec3 start;
    in vec3 end;
    in vec2 side;
    ${INSTANCE}
    out vec3 tint;
    out float across;
    // A sphere's outline: the circle where lines of sight touch it.
    vec3 onOutline(vec3 unit) {
      vec3 center = placed(vec3(0.0));
      vec3 away = center - eye;
      float radius = length(inPlace(axisX));
      float distance = max(length(away), radius * 1.001);
      vec3 n = away / distance;
      vec3 u = normalize(cross(n, abs(n.z) < 0.9 ? vec3(0, 0, 1) : vec3(1, 0, 0)));
      float ratio = radius / distance;
      float circle = radius * sqrt(1.0 - ratio * ratio);
      return center - n * radius * ratio + circle * (unit.x * u + unit.y * cross(n, u));
    }
    void main() {
      vec4 a = matrix * vec4(outline ? onOutline(start) : placed(start), 1.0);
      vec4 b = matrix * vec4(outline ? onOutline(end) : placed(end), 1.0);
      // Points behind the eye are not on the screen.
      if (a.w < near && b.w >= near) a = mix(a, b, (near - a.w) / (b.w - a.w));
      if (b.w < near && a.w >= near) b = mix(b, a, (near - b.w) / (a.w - b.w));
      vec2 along = (b.xy / b.w - a.xy / a.w) * pixels;
      vec2 normal = length(along) > 0.0 ? normalize(vec2(-along.y, along.x)) : vec2(0.0);
      vec4 point = side.x < 0.5 ? a : b;
      point.xy += normal * side.y * (width + 1.0) / pixels * point.w;
      // In front of the faces that the line bounds.
      point.z -= 0.0004 * point.w;
      tint = colour;
      across = side.y * (width + 1.0);
      gl_Position = point;
    }`,
  fragment: `#version 300 es
    precision highp float;
    uniform float width;
    uniform float opacity;
    in vec3 tint;
    in float across;
    out vec4 pixel;
    void main() {
      float cover = clamp(width + 0.5 - abs(across), 0.0, 1.0);
      pixel = vec4(tint, opacity * cover);
    }`,
};

export const FACES = {
  vertex: `#version 300 es
    uniform mat4 matrix;
    in vec3 unit;
    in vec3 unitNormal;
    ${INSTANCE}
    out vec3 at;
    out vec3 facing;
    out vec3 tint;
    vec3 unstretched(vec3 axis) { return axis / max(dot(axis, axis), 1e-12); }
    void main() {
      at = placed(unit);
      facing = inPlace(unitNormal.x * unstretched(axisX) + unitNormal.y * unstretched(axisY) + unitNormal.z * unstretched(axisZ));
      tint = colour;
      gl_Position = matrix * vec4(at, 1.0);
    }`,
  fragment: `#version 300 es
    precision highp float;
    uniform vec3 eye;
    uniform float opacity;
    uniform float rim;
    in vec3 at;
    in vec3 facing;
    in vec3 tint;
    out vec4 pixel;
    void main() {
      float slant = 1.0 - abs(dot(normalize(facing), normalize(eye - at)));
      pixel = vec4(tint, opacity * (0.6 + 0.4 * slant) + rim * pow(slant, 3.0));
    }`,
};

export function compiled(gl, { vertex, fragment }, attributes) {
  const program = gl.createProgram();
  for (const [type, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(type);
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  attributes.forEach((name, location) => gl.bindAttribLocation(program, location, name));
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) {
    const logs = gl.getAttachedShaders(program).map((shader) => gl.getShaderInfoLog(shader));
    throw new Error([gl.getProgramInfoLog(program), ...logs].join("\n"));
  }
  const uniforms = {};
  const count = gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS) ?? 0;
  for (let i = 0; i < count; i++) {
    const { name } = gl.getActiveUniform(program, i);
    uniforms[name] = gl.getUniformLocation(program, name);
  }
  return { program, uniforms };
}
