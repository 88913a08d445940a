// Modules of JavaScript, each after those that it imports from.
concat!(
    include_str!("dom.js"),
    include_str!("vectors.js"),
    include_str!("colours.js"),
    include_str!("scene.js"),
    include_str!("gestures.js"),
    include_str!("camera.js"),
    include_str!("shapes.js"),
    include_str!("buffers.js"),
    include_str!("shaders.js"),
    include_str!("gpu.js"),
    include_str!("screen.js"),
    include_str!("tubes.js"),
    include_str!("viewer.js"),
    include_str!("controls.js"),
)
