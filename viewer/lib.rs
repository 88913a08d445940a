//! The 3D view of bvtree's pages, as text to embed: JavaScript modules for WebGL 2 and style sheets.
//!
//! The program's pages (`cli/src/page/`) and `bvtree.view` in Python embed these constants. The playground
//! (`web/playground/`) imports the same files as modules; `web/build` copies them.

/// The JavaScript modules, each after those it imports from. A page that embeds them as one script drops their
/// `import` lines and the word `export`.
pub const MODULES: &str = concat!(
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
);

/// Further modules for views of assemblies, embedded after [`MODULES`].
pub const TOOLS: &str = concat!(
    include_str!("assembly.js"),
    include_str!("picking.js"),
    include_str!("overlay.js"),
    include_str!("measure.js"),
);

/// The style sheet of every page.
pub const STYLE: &str = include_str!("style.css");

/// The style sheet of full-page views, used after [`STYLE`].
pub const VIEW_STYLE: &str = include_str!("view.css");

/// The body of the page of `bvtree view`, which shows one tree or two posed meshes.
pub const VIEW_BODY: &str = include_str!("view.html");

/// The script of the page of `bvtree view`, embedded after [`MODULES`].
pub const VIEW_SCRIPT: &str = include_str!("view.js");
