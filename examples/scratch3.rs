use bvtree::query::DepthOptions;
use bvtree::{BuildOptions, BvTree, Mesh, Pose, Query};
use nalgebra::{Point3, Vector3};
fn cuboid(l: [f32; 3]) -> Mesh {
    let v = (0..8).map(|i| Point3::new(if i & 1 == 0 { -l[0] } else { l[0] } / 2.0, if i & 2 == 0 { -l[1] } else { l[1] } / 2.0, if i & 4 == 0 { -l[2] } else { l[2] } / 2.0)).collect();
    Mesh::from_arrays(v, vec![[0,2,1],[1,2,3],[4,5,6],[5,7,6],[0,1,4],[1,5,4],[2,6,3],[3,6,7],[0,4,2],[2,4,6],[1,3,5],[3,7,5]]).unwrap()
}
fn frame_with_opening(outer: [f32; 2], inner: [f32; 2], thickness: f32) -> Mesh {
    let ring = |[w, h]: [f32; 2], z: f32| [[-w, -h], [w, -h], [w, h], [-w, h]].map(|[x, y]| Point3::new(x, y, z));
    let half = thickness / 2.0;
    let vertices: Vec<_> =
        [ring(outer, -half), ring(inner, -half), ring(outer, half), ring(inner, half)].into_iter().flatten().collect();
    let mut triangles = Vec::new();
    let mut quad = |[a, b, c, d]: [u32; 4]| triangles.extend([[a, b, c], [a, c, d]]);
    for i in 0..4 {
        let j = (i + 1) % 4;
        quad([j, i, 4 + i, 4 + j]);
        quad([8 + i, 8 + j, 12 + j, 12 + i]);
        quad([i, j, 8 + j, 8 + i]);
        quad([4 + j, 4 + i, 12 + i, 12 + j]);
    }
    Mesh::from_arrays(vertices, triangles).unwrap()
}
fn main() {
    let by: f64 = std::env::args().nth(1).unwrap().parse().unwrap();
    let (wall, door) = (frame_with_opening([2.0, 1.5], [0.5, 1.0], 0.2), cuboid([1.0, 2.0, 0.2]));
    let [a, b] = [wall, door].map(|m| BvTree::build(&m, &BuildOptions { split: bvtree::SplitRule::Mean, max_leaf_triangles: 1, max_depth: u32::MAX, ..Default::default() }).unwrap());
    let pose = Pose::from_translation(Vector3::new(by, 0.0, 0.0)).unwrap();
    println!("{:?}", Query::new().overlap_depth(&a, &b, &pose, &DepthOptions { max_regions: 30000, ..Default::default() }));
}
