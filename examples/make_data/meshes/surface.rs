//! A polygonal surface under construction.

use nalgebra::{Isometry3, Point3, Vector3};

/// Points and the polygons between them, counterclockwise seen from outside.
#[derive(Clone, Debug, Default)]
pub struct Surface {
    pub points: Vec<Point3<f64>>,
    pub faces: Vec<Vec<usize>>,
}

impl Surface {
    /// The same surface elsewhere.
    pub fn moved(mut self, isometry: &Isometry3<f64>) -> Self {
        for point in &mut self.points {
            *point = isometry * *point;
        }
        self
    }

    /// Puts `other` beside this surface, without joining them.
    pub fn append(&mut self, other: &Surface) {
        let first = self.points.len();
        self.points.extend(&other.points);
        self.faces.extend(other.faces.iter().map(|face| face.iter().map(|i| i + first).collect()));
    }

    /// Splits quads along their shorter diagonal and other polygons into fans.
    pub fn triangulated(mut self) -> Self {
        self.faces = self.faces.iter().flat_map(|face| self.triangles_of(face)).collect();
        self
    }

    fn triangles_of(&self, face: &[usize]) -> Vec<Vec<usize>> {
        let mut face = face.to_vec();
        if let [a, b, c, d] = face[..] {
            let diagonal_sq = |i: usize, j: usize| (self.points[i] - self.points[j]).norm_squared();
            // The margin lets equal diagonals split the same way whatever the last bit of a sine.
            if diagonal_sq(b, d) < diagonal_sq(a, c) * (1.0 - 1e-6) {
                face = vec![b, c, d, a];
            }
        }
        (1..face.len() - 1).map(|i| vec![face[0], face[i], face[i + 1]]).collect()
    }

    /// Unit normal at each point: the mean of the faces around it, weighted by area.
    pub fn normals(&self) -> Vec<Vector3<f64>> {
        let mut normals = vec![Vector3::zeros(); self.points.len()];
        for face in &self.faces {
            let origin = self.points[face[0]];
            let area: Vector3<f64> = face
                .windows(2)
                .map(|edge| (self.points[edge[0]] - origin).cross(&(self.points[edge[1]] - origin)))
                .sum();
            for &i in face {
                normals[i] += area;
            }
        }
        normals.iter().map(Vector3::normalize).collect()
    }
}
