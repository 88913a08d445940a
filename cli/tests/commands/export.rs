use std::fs;

use bvtree::tree::NodeInfo;
use bvtree::{BuildOptions, BvTree, Mesh, Volume, VolumeKind};
use gltf::Gltf;
use gltf::mesh::util::ReadIndices;
use nalgebra::{Matrix4, Point3, Quaternion, UnitQuaternion, Vector3, distance};

use super::{Workplace, assert_has};

/// A cut of a tree as `--depth` defines it.
fn cut(tree: &BvTree, level: u32) -> Vec<NodeInfo> {
    let at = |node: &NodeInfo| node.level == level || (node.is_leaf() && node.level < level);
    tree.nodes().filter(at).collect()
}

/// A ring of tetrahedra with names, cooked with every kind.
fn workplace() -> Workplace {
    let workplace = Workplace::new();
    let mut obj = String::new();
    for i in 0..24 {
        let (sin, cos) = (f64::from(i) * 0.3).sin_cos();
        let (x, y, z) = (4.0 * cos, 7.0 * sin, f64::from(i % 5));
        obj += &format!(
            "g part{}\nv {x} {y} {z}\nv {} {y} {z}\nv {x} {} {z}\nv {x} {y} {}\n",
            i / 8,
            x + 1.0,
            y + 0.5,
            z + 2.0
        );
        obj += "f -4 -2 -3\nf -4 -3 -1\nf -3 -2 -1\nf -2 -4 -1\n";
    }
    workplace.write("ring.obj", &obj);
    workplace.answer("cook ring.obj -o out --kind all -q");
    workplace
}

fn open(workplace: &Workplace, kind: VolumeKind) -> BvTree {
    BvTree::open(workplace.path(&format!("out/ring.{kind}.bvt"))).unwrap()
}

#[test]
fn glb_holds_the_mesh_and_each_volume_by_name_colour_and_place() {
    let workplace = workplace();
    for kind in VolumeKind::ALL {
        let wrote = workplace.run(&format!("export out/ring.{kind}.bvt --depth 2 --up y -o ring.glb"));
        assert_eq!((wrote.code, wrote.stdout.as_str()), (Some(0), ""), "{wrote:?}");
        let bytes = fs::read(workplace.path("ring.glb")).unwrap();
        let Gltf { document, blob } = Gltf::from_slice(&bytes).unwrap();
        let blob = blob.unwrap();
        let data = |_: gltf::Buffer<'_>| Some(blob.as_slice());

        let root = document.default_scene().unwrap().nodes().next().unwrap();
        assert_eq!(root.name(), Some("ring"));
        let children: Vec<_> = root.children().collect();
        assert_eq!(children.iter().map(|node| node.name().unwrap()).collect::<Vec<_>>(), ["mesh", "volumes"]);

        let mesh = Mesh::load_obj(workplace.path("ring.obj")).unwrap();
        let primitive = children[0].mesh().unwrap().primitives().next().unwrap();
        let reader = primitive.reader(data);
        let positions: Vec<_> = reader.read_positions().unwrap().map(Point3::from).collect();
        let Some(ReadIndices::U32(indices)) = reader.read_indices() else { panic!("32-bit indices") };
        let corners: Vec<_> = indices.map(|index| positions[index as usize]).collect();
        let expected: Vec<_> =
            mesh.triangles().iter().flatten().map(|&index| mesh.vertices()[index as usize]).collect();
        assert_eq!(corners, expected);

        let nodes = cut(&open(&workplace, kind), 2);
        let volumes: Vec<_> = children[1].children().collect();
        assert_eq!(volumes.len(), nodes.len());
        let mut colours = Vec::new();
        for (number, (drawn, node)) in volumes.iter().zip(&nodes).enumerate() {
            assert_eq!(drawn.name(), Some(&*format!("{kind} {}.{number}", node.level)));
            let extras: serde_json::Value = serde_json::from_str(drawn.extras().as_ref().unwrap().get()).unwrap();
            assert_eq!(extras["triangles"], node.triangles);
            assert_encloses_the_same(drawn, &node.volume);
            let primitive = drawn.mesh().unwrap().primitives().next().unwrap();
            let colour = primitive.material().pbr_metallic_roughness().base_color_factor();
            assert!(colour[3] > 0.0 && colour[3] < 1.0, "{colour:?}");
            assert_eq!(primitive.material().alpha_mode(), gltf::material::AlphaMode::Blend);
            colours.push(colour.map(f32::to_bits));
        }
        assert!(colours.windows(2).all(|pair| pair[0] != pair[1]), "neighbours have one colour");
    }
}

/// The unit shape's corners, placed by the node, are the volume's.
fn assert_encloses_the_same(drawn: &gltf::Node<'_>, volume: &Volume) {
    let (translation, rotation, scale) = drawn.transform().decomposed();
    let turn = UnitQuaternion::new_normalize(Quaternion::from(rotation.map(f64::from)));
    let place = |unit: [f64; 3]| {
        let scaled = Vector3::from(unit).component_mul(&Vector3::from(scale).cast());
        Point3::from(Vector3::from(translation).cast() + turn * scaled)
    };
    let is_near = |a: f64, b: f64| (a - b).abs() < 1e-4;
    match volume {
        Volume::Sphere(sphere) => {
            for unit in [[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.6, 0.8]] {
                assert!(is_near(distance(&place(unit), &sphere.center), sphere.radius));
            }
        }
        // A k-DOP is drawn as its box.
        Volume::Aabb(_) | Volume::KDop(_) => {
            let aabb = volume.aabb();
            assert!(distance(&place([-1.0; 3]), &aabb.lower) < 1e-4 && distance(&place([1.0; 3]), &aabb.upper) < 1e-4);
        }
        Volume::Obb(obb) => {
            for corner in 0..8 {
                let unit = [0, 1, 2].map(|bit| if corner >> bit & 1 == 1 { 1.0 } else { -1.0 });
                let local = obb.axes.transpose() * (place(unit) - obb.center);
                assert!((0..3).all(|k| is_near(local[k].abs(), obb.half_extents[k])), "{local} in {obb:?}");
            }
        }
    }
}

#[test]
fn z_is_turned_to_where_gltf_has_up() {
    let workplace = workplace();
    for (up, expected) in [("z", Vector3::new(1.0, 3.0, -2.0)), ("y", Vector3::new(1.0, 2.0, 3.0))] {
        workplace.answer(&format!("export ring.obj --depth 1 --up {up} --no-mesh -o up.glb -q"));
        let document = Gltf::from_slice(&fs::read(workplace.path("up.glb")).unwrap()).unwrap().document;
        let root = document.default_scene().unwrap().nodes().next().unwrap();
        assert_eq!(root.children().map(|node| node.name().unwrap().to_owned()).collect::<Vec<_>>(), ["volumes"]);
        let matrix = Matrix4::from(root.transform().matrix());
        let turned = matrix.transform_vector(&Vector3::new(1.0, 2.0, 3.0));
        assert!((turned.cast::<f64>() - expected).norm() < 1e-6, "{turned}");
    }
}

#[test]
fn obj_holds_the_same_volumes_and_names_its_colours() {
    let workplace = workplace();
    for kind in VolumeKind::ALL {
        workplace.answer(&format!("export out/ring.{kind}.bvt --depth 1 -o ring_{kind}.obj -q"));
        let written = Mesh::load_obj(workplace.path(&format!("ring_{kind}.obj"))).unwrap();
        let nodes = cut(&open(&workplace, kind), 1);
        let names: Vec<_> = written.groups().iter().map(|group| group.name.as_str()).collect();
        assert_eq!((names[0], names.len()), ("mesh", nodes.len() + 1));
        assert_eq!(names[2], format!("{kind}_1.1"));
        let ends = written.groups().iter().skip(2).map(|group| group.first_triangle);
        let ends = ends.chain([written.triangles().len() as u32]);
        for ((group, end), node) in written.groups()[1..].iter().zip(ends).zip(&nodes) {
            let faces = group.first_triangle..end;
            let content: f64 = faces
                .map(|face| {
                    let [a, b, c] = written.triangle(face).vertices.map(|vertex| vertex.coords);
                    a.cross(&b).dot(&c) / 6.0
                })
                .sum();
            // A sphere is written as a polyhedron in it, a k-DOP as its box.
            let is_kdop = kind == VolumeKind::KDop;
            let ratio = content / if is_kdop { node.volume.aabb().volume() } else { node.volume.volume() };
            assert!(if kind == VolumeKind::Sphere { (0.97..1.0).contains(&ratio) } else { (ratio - 1.0).abs() < 1e-4 });
        }
        let obj = fs::read_to_string(workplace.path(&format!("ring_{kind}.obj"))).unwrap();
        let mtl = fs::read_to_string(workplace.path(&format!("ring_{kind}.mtl"))).unwrap();
        assert_has(&obj, &[&format!("mtllib ring_{kind}.mtl\n")]);
        for used in obj.lines().filter_map(|line| line.strip_prefix("usemtl ")) {
            assert_has(&mtl, &[&format!("newmtl {used}\nKd ")]);
        }
    }
}

#[test]
fn deeper_than_the_tree_is_its_last_level() {
    let workplace = workplace();
    let outcome = workplace.run("export ring.obj --depth 99 -o deep.glb");
    assert_eq!(outcome.code, Some(0));
    let mesh = Mesh::load_obj(workplace.path("ring.obj")).unwrap();
    let tree = BvTree::build(&mesh, &BuildOptions::default()).unwrap();
    assert_has(&outcome.stderr, &[&format!("note: the tree has levels 0 to {}", tree.depth()), "wrote deep.glb"]);
    let document = Gltf::from_slice(&fs::read(workplace.path("deep.glb")).unwrap()).unwrap().document;
    let volumes = document.nodes().find(|node| node.name() == Some("volumes")).unwrap();
    assert_eq!(volumes.children().count(), tree.leaf_count());
}

#[test]
fn what_can_not_be_exported_is_said_and_leaves_no_file() {
    let workplace = workplace();
    let cases = [
        ("export ring.obj -o ring.stl", "name the output .glb or .obj"),
        ("export ring.obj -o ring.obj", "cannot write to ring.obj: it is an input"),
        ("export ring.obj -o out.glb/../out", "name the output .glb or .obj"),
        ("export missing.obj -o new.glb", "cannot read missing.obj"),
        ("export ring.obj -o missing/new.glb", "cannot write to missing/new.glb: there is no such folder"),
        ("export out/ring.obb.bvt --kind aabb -o new.glb", "holds a tree of kind obb, not aabb"),
        ("export ring.obj", "--output"),
    ];
    for (arguments, part) in cases {
        assert_has(&workplace.complaint(arguments), &[part]);
    }
    assert!(!workplace.path("new.glb").exists() && !workplace.path("ring.stl").exists());
}

/// A device is written to and a link is followed; neither is replaced.
#[cfg(target_os = "linux")]
#[test]
fn links_and_devices_stay_what_they_are() {
    use std::os::unix::fs::{FileTypeExt, symlink};
    let workplace = workplace();
    symlink("/dev/full", workplace.path("full.obj")).unwrap();
    let complaint = workplace.complaint("export out/ring.obb.bvt -o full.obj");
    assert_has(&complaint, &["cannot write the model to full.obj", "No space left on device"]);
    assert!(fs::metadata("/dev/full").unwrap().file_type().is_char_device());
    symlink("ring.obj", workplace.path("ring.mtl")).unwrap();
    assert_has(&workplace.complaint("export ./ring.obj -o ring.OBJ"), &["cannot write to ring.mtl: it is an input"]);
    fs::create_dir(workplace.path("elsewhere")).unwrap();
    symlink("elsewhere/model.glb", workplace.path("link.glb")).unwrap();
    for _ in 0..2 {
        workplace.run("export out/ring.obb.bvt -o link.glb");
        assert!(workplace.path("link.glb").is_symlink());
        assert!(fs::read(workplace.path("elsewhere/model.glb")).unwrap().starts_with(b"glTF"));
    }
}
