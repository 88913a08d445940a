//! A film strip: pictures of the world at several times, side by side.

use std::fmt::Write;

use nalgebra::Point3;

use super::world::World;

const SIZE: f64 = 230.0;
const SCALE: f64 = 20.0;
const COLORS: [[u8; 3]; 4] = [[214, 90, 49], [38, 99, 175], [72, 140, 74], [196, 150, 40]];

#[derive(Default)]
pub struct Film {
    panels: Vec<(String, String)>,
}

impl Film {
    /// Adds a picture of the world's current state.
    pub fn take(&mut self, world: &World, caption: &str) {
        let mut faces = Vec::new();
        let mut add = |corners: [Point3<f64>; 3], color: [u8; 3]| {
            let normal = (corners[1] - corners[0]).cross(&(corners[2] - corners[0]));
            let seen = corners.map(|p| project(&p));
            let [a, b, c] = seen.map(|[x, y, _]| [x, y]);
            // Back faces are not drawn; y points down on paper.
            if (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) < 0.0 {
                let light =
                    0.55 + 0.45 * (normal.z * 0.8 + normal.x * 0.5 - normal.y * 0.33) / normal.norm().max(1e-30);
                let depth = seen.iter().map(|p| p[2]).sum::<f64>();
                faces.push((depth, [a, b, c], color, light.clamp(0.3, 1.0)));
            }
        };
        for i in 0..world.terrain.triangles().len() as u32 {
            add(world.terrain.triangle(i).vertices, [200, 196, 180]);
        }
        for (i, body) in world.bodies.iter().enumerate() {
            let pose = body.pose();
            for &corners in body.mesh.triangles() {
                let corners = corners.map(|index| pose.transform(&body.mesh.vertices()[index as usize]));
                add(corners, COLORS[i % COLORS.len()]);
            }
        }
        faces.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut panel = String::new();
        for (_, [a, b, c], color, light) in faces {
            let [red, green, blue] = color.map(|x| (f64::from(x) * light) as u8);
            let fill = format!("#{red:02x}{green:02x}{blue:02x}");
            let path = format!("M{:.1} {:.1}L{:.1} {:.1} {:.1} {:.1}z", a[0], a[1], b[0], b[1], c[0], c[1]);
            let _ = writeln!(panel, "<path d='{path}' fill='{fill}'/>");
        }
        self.panels.push((panel, caption.to_string()));
    }

    pub fn svg(&self) -> String {
        let (width, height) = (SIZE * self.panels.len() as f64, SIZE + 24.0);
        let mut svg = format!(
            "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}' font-family='sans-serif' \
             font-size='13' shape-rendering='crispEdges'>\n<rect width='100%' height='100%' fill='#fff'/>\n"
        );
        for (i, (panel, caption)) in self.panels.iter().enumerate() {
            let x = SIZE * i as f64;
            let _ = writeln!(svg, "<svg x='{x}' width='{SIZE}' height='{SIZE}'>{panel}</svg>");
            let _ =
                writeln!(svg, "<text x='{}' y='{}' text-anchor='middle'>{caption}</text>", x + 0.5 * SIZE, SIZE + 15.0);
        }
        svg + "</svg>\n"
    }
}

/// Projects a point, seen from the front and above: x and y on paper, and the depth.
fn project(p: &Point3<f64>) -> [f64; 3] {
    let (x, y) = (0.8 * p.x - 0.6 * p.y, 0.6 * p.x + 0.8 * p.y);
    [0.5 * SIZE + SCALE * x, 0.72 * SIZE - SCALE * (0.9 * p.z + 0.436 * y), 0.436 * p.z - 0.9 * y]
}
