//! Draws the paths of the feet through the level, course by course, from the side and from above.

use std::fmt::Write;

use nalgebra::Point3;

use bvtree_test_support::walking_level::{LANE, Level};

const WIDTH: f64 = 360.0;
const HEIGHT: f64 = 170.0;
const COLORS: [&str; 3] = ["#2663af", "#488c4a", "#d65a31"];

/// Draws `walks`, which holds the paths at three speeds for each course.
pub fn svg(level: &Level, walks: &[Vec<Vec<Point3<f64>>>]) -> String {
    let rows = walks.len().div_ceil(2) as f64;
    let mut svg = format!(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {} {}' font-family='sans-serif' font-size='12' \
         fill='none' stroke-linejoin='round'>\n<rect width='100%' height='100%' fill='#fff'/>\n",
        2.0 * WIDTH,
        rows * (2.0 * HEIGHT) + 24.0
    );
    for (i, (course, paths)) in level.courses.iter().zip(walks).enumerate() {
        let (x, y) = (WIDTH * (i % 2) as f64, 2.0 * HEIGHT * (i / 2) as f64);
        let _ = writeln!(svg, "<text x='{}' y='{}' fill='#222'>{}</text>", x + 8.0, y + 16.0, course.name);
        for (view, is_side) in [(0.0, true), (1.0, false)] {
            let _ = writeln!(svg, "<svg x='{x}' y='{}' width='{WIDTH}' height='{HEIGHT}'>", y + view * HEIGHT);
            panel(&mut svg, level, i, paths, is_side);
            svg += "</svg>\n";
        }
    }
    for (i, (color, speed)) in COLORS.iter().zip(["1 m/s", "4 m/s", "12 m/s"]).enumerate() {
        let (x, y) = (16.0 + 90.0 * i as f64, rows * 2.0 * HEIGHT + 8.0);
        let _ = writeln!(svg, "<path d='M{x} {y}h20' stroke='{color}' stroke-width='2'/>");
        let _ = writeln!(svg, "<text x='{}' y='{}' fill='#222'>{speed}</text>", x + 26.0, y + 4.0);
    }
    svg + "</svg>\n"
}

fn panel(svg: &mut String, level: &Level, lane: usize, paths: &[Vec<Point3<f64>>], is_side: bool) {
    let middle = LANE * lane as f64;
    let scale = 14.0;
    let place = |p: &Point3<f64>| {
        let down = if is_side { 0.85 * HEIGHT - scale * p.z } else { 0.5 * HEIGHT - scale * (p.y - middle) };
        [95.0 + scale * p.x, down]
    };
    let mut lines = String::new();
    let mut seen = std::collections::HashSet::new();
    for face in 0..level.mesh.triangles().len() as u32 {
        let triangle = level.mesh.triangle(face);
        if triangle.vertices.iter().any(|p| (p.y - middle).abs() > 0.5 * LANE) {
            continue;
        }
        for [a, b] in triangle.edges() {
            let [a, b] = [place(&a), place(&b)].map(|p| p.map(|x| x.round() as i32));
            // Edges are drawn once, and not the diagonals of cells.
            if a != b && seen.insert([a.min(b), a.max(b)]) && (is_side || a[0] == b[0] || a[1] == b[1] || lane > 3) {
                let _ = write!(lines, "M{} {}L{} {}", a[0], a[1], b[0], b[1]);
            }
        }
    }
    let _ = writeln!(svg, "<path d='{lines}' stroke='#bbb' stroke-width='.5'/>");
    for (path, color) in paths.iter().zip(COLORS) {
        // As many corners as one can see.
        let every = (path.len() / 150).max(1);
        let corners = path.iter().step_by(every).chain(path.last());
        let corners: Vec<String> = corners.map(place).map(|[x, y]| format!("{x:.1} {y:.1}")).collect();
        let _ =
            writeln!(svg, "<path d='M{}' stroke='{color}' stroke-width='1.6' stroke-opacity='.8'/>", corners.join("L"));
    }
}
