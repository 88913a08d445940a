use bvtree::query::DepthOptions;
use bvtree::{BuildOptions, BvTree, Mesh, Pose, Query};
use nalgebra::{Point3, Vector3};
fn cuboid(l: [f32; 3]) -> Mesh {
    let v = (0..8).map(|i| Point3::new(if i & 1 == 0 { -l[0] } else { l[0] } / 2.0, if i & 2 == 0 { -l[1] } else { l[1] } / 2.0, if i & 4 == 0 { -l[2] } else { l[2] } / 2.0)).collect();
    Mesh::from_arrays(v, vec![[0,2,1],[1,2,3],[4,5,6],[5,7,6],[0,1,4],[1,5,4],[2,6,3],[3,6,7],[0,4,2],[2,4,6],[1,3,5],[3,7,5]]).unwrap()
}
fn main() {
    let n: Vec<f64> = std::env::args().skip(1).map(|x| x.parse().unwrap()).collect();
    let [a, b] = [0, 3].map(|k| BvTree::build(&cuboid([n[k] as f32, n[k + 1] as f32, n[k + 2] as f32]), &BuildOptions::default()).unwrap());
    let pose = Pose::from_translation(Vector3::new(n[6], n[7], n[8])).unwrap();
    println!("{:?}", Query::new().overlap_depth(&a, &b, &pose, &DepthOptions { max_regions: 500, ..Default::default() }));
}
