//! Lighter meshes for pages: vertices that fall into one cell of a grid become one (Rossignac and Borrel 1993).

use std::collections::HashMap;

use bvtree::Mesh;
use nalgebra::Point3;

/// A mesh as it is drawn.
pub struct Drawn {
    pub vertices: Vec<Point3<f64>>,
    pub triangles: Vec<[u32; 3]>,
    /// The mesh's triangle for each drawn triangle.
    pub faces: Vec<u32>,
}

/// Cells of the finest grid along the mesh's longest side; each coarser one has about a fifth less.
const FINEST: f64 = 1024.0;
const COARSER: f64 = 0.8;

/// The mesh itself if it has at most `most_triangles` triangles, else a similar mesh with fewer.
pub fn simplified(mesh: &Mesh, most_triangles: usize) -> Drawn {
    if mesh.triangles().len() <= most_triangles {
        return Drawn {
            vertices: mesh.vertices().iter().map(|vertex| vertex.cast()).collect(),
            triangles: mesh.triangles().to_vec(),
            faces: (0..mesh.triangles().len() as u32).collect(),
        };
    }
    let mut cells = FINEST;
    loop {
        let drawn = clustered(mesh, cells);
        // A grid of one cell leaves no triangles, so this loop ends.
        if drawn.triangles.len() <= most_triangles {
            return drawn;
        }
        cells *= COARSER;
    }
}

fn clustered(mesh: &Mesh, cells: f64) -> Drawn {
    let bounds = mesh.aabb();
    let cell_size = bounds.size().max() / cells;
    let mut clusters: HashMap<[i64; 3], u32> = HashMap::new();
    let mut sums: Vec<(Point3<f64>, f64)> = Vec::new();
    let mut cluster_of: Vec<Option<u32>> = vec![None; mesh.vertices().len()];
    let mut cluster = |vertex: u32| {
        *cluster_of[vertex as usize].get_or_insert_with(|| {
            let point: Point3<f64> = mesh.vertices()[vertex as usize].cast();
            let cell = ((point - bounds.lower) / cell_size).map(|x| x.floor() as i64);
            let number = *clusters.entry(cell.into()).or_insert_with(|| {
                sums.push((Point3::origin(), 0.0));
                sums.len() as u32 - 1
            });
            let (sum, count) = &mut sums[number as usize];
            *sum += point.coords;
            *count += 1.0;
            number
        })
    };
    let (mut triangles, mut faces) = (Vec::new(), Vec::new());
    for (face, corners) in mesh.triangles().iter().enumerate() {
        let [a, b, c] = corners.map(&mut cluster);
        if a != b && b != c && c != a {
            triangles.push([a, b, c]);
            faces.push(face as u32);
        }
    }
    Drawn { vertices: sums.iter().map(|(sum, count)| sum / *count).collect(), triangles, faces }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fewer_triangles_near_those_that_were() {
        let mesh = Mesh::load_obj(concat!(env!("CARGO_MANIFEST_DIR"), "/../data/torus_knot.obj")).unwrap();
        let all = simplified(&mesh, mesh.triangles().len());
        assert_eq!((all.triangles.as_slice(), all.faces.len()), (mesh.triangles(), mesh.triangles().len()));
        for most in [5000, 1000, 100, 0] {
            let drawn = simplified(&mesh, most);
            assert!(drawn.triangles.len() <= most && drawn.triangles.len() >= most / 3, "{}", drawn.triangles.len());
            assert!(drawn.faces.is_sorted_by(|a, b| a < b) && drawn.faces.len() == drawn.triangles.len());
            let bounds = mesh.aabb();
            assert!(drawn.vertices.iter().all(|vertex| bounds.contains(vertex)));
            for (triangle, &face) in drawn.triangles.iter().zip(&drawn.faces) {
                let [a, b, c] = triangle.map(|index| drawn.vertices[index as usize]);
                assert!(a != b && b != c && c != a);
                // A vertex moves within its cell, and cells grow as triangles become fewer.
                let slack = if most >= 1000 { 0.1 } else { 0.5 } * bounds.size().max();
                assert!((a - mesh.triangle(face).vertices[0]).norm() < slack);
            }
        }
    }
}
