//! Verdicts and distances against every pair of parts without any pruning.

use std::sync::Arc;

use bvtree::query::Solid;
use bvtree::shape::{ConvexShape, Distance};
use bvtree::{BuildOptions, BvTree, Mesh, Pose, Query};
use bvtree_robot::{Certificate, Checker, OpenMeshes, Robot, RobotError, RobotOptions, World};
use nalgebra::{Matrix3, Point3, Vector3};

use crate::arm::{Random, random_arm, random_world};

const KINDS: [&str; 3] = ["revolute", "prismatic", "fixed"];

#[test]
fn all_questions_agree() {
    let folder = tempfile::tempdir().unwrap();
    let random = &mut Random(2);
    let (mut hits, mut total) = (0, 0);
    for _ in 0..30 {
        let arm = random_arm(random, 6, &KINDS, folder.path());
        let world = random_world(random);
        if arm.robot.values().is_empty() {
            continue;
        }
        let mut checker = Checker::new(&arm.robot, &world);
        let rows: Vec<f64> = (0..40).flat_map(|_| random.configuration(&arm.robot)).collect();
        let free = arm.robot.free(&world, &rows, 0.0).unwrap();
        let closest = arm.robot.closest(&world, &rows, f64::INFINITY).unwrap();
        for ((row, free), closest) in rows.chunks(arm.robot.values().len()).zip(free).zip(closest) {
            let colliding = checker.colliding(row, 0.0).unwrap();
            assert_eq!(colliding.is_empty(), free);
            let closest = closest.unwrap();
            assert_eq!(closest.distance == 0.0, !free, "{closest:?}");
            assert_eq!(
                Some(closest.distance),
                checker.closest(row, f64::INFINITY).unwrap().map(|found| found.distance)
            );
            let (less, more) = (closest.distance * (1.0 - 1e-9) - 1e-12, closest.distance * (1.0 + 1e-9) + 1e-12);
            assert!(checker.is_free(row, less).unwrap() && !checker.is_free(row, more).unwrap());
            assert!(checker.closest(row, less).unwrap().is_none());
            hits += usize::from(!free);
            total += 1;
        }
    }
    assert!(hits > total / 10 && hits < total * 9 / 10, "{hits} of {total}");
}

/// Pairs that collided before are tested first: the answers to random sequences of questions equal those of a new
/// checker.
#[test]
fn earlier_questions_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let random = &mut Random(5);
    let mut collisions = 0;
    for _ in 0..20 {
        let arm = random_arm(random, 6, &KINDS, folder.path());
        let world = random_world(random);
        let mut checker = Checker::new(&arm.robot, &world);
        let mut row = random.configuration(&arm.robot);
        for _ in 0..60 {
            if row.is_empty() || random.below(10) == 0 {
                row = random.configuration(&arm.robot);
            }
            row.iter_mut().for_each(|value| *value += random.between(-0.01, 0.01));
            let mut new = Checker::new(&arm.robot, &world);
            let is_free = new.is_free(&row, 0.0).unwrap();
            collisions += usize::from(!is_free);
            match random.below(4) {
                0 => {
                    let mut end = row.clone();
                    end.iter_mut().for_each(|value| *value += random.between(-0.5, 0.5));
                    let first = new.first_blocked(&row, &end, 9, 0.0).unwrap();
                    assert_eq!(checker.first_blocked(&row, &end, 9, 0.0).unwrap(), first);
                }
                1 => {
                    let mut wrong = row.clone();
                    wrong.push(0.0);
                    assert!(checker.place(&wrong).is_err());
                }
                _ => assert_eq!(checker.is_free(&row, 0.0).unwrap(), is_free),
            }
            // The bodies are all where they were placed, whatever was asked before.
            checker.place(&row).unwrap();
            assert_eq!(checker.is_placed_free(0.0), is_free);
            match random.below(3) {
                0 => assert_eq!(checker.placed_colliding(0.0), new.colliding(&row, 0.0).unwrap()),
                1 => {
                    let distance =
                        |checker: &mut Checker| checker.placed_closest(f64::INFINITY).map(|closest| closest.distance);
                    new.place(&row).unwrap();
                    assert_eq!(distance(&mut checker), distance(&mut new));
                }
                _ => {}
            }
        }
    }
    assert!(collisions > 200, "{collisions}");
}

/// Boxes as meshes and boxes as shapes, compared with the library's own queries about two bodies at their poses.
#[test]
fn pairs_are_those_of_the_library() {
    let folder = tempfile::tempdir().unwrap();
    let random = &mut Random(3);
    for case in 0..40 {
        let sizes = [(); 4].map(|()| Vector3::from_fn(|_, _| 2.0_f64.powi(-(random.below(4) as i32) - 1)));
        let mut text = String::from("<robot>");
        let mut shapes = Vec::new();
        let mut trees = Vec::new();
        for (link, size) in sizes.iter().enumerate() {
            let mesh = cuboid(size * 0.5);
            let [x, y, z]: [f64; 3] = (*size).into();
            let geometry = if (case + link) % 2 == 0 {
                std::fs::write(folder.path().join(format!("{case}-{link}.obj")), obj(&mesh)).unwrap();
                format!("<mesh filename='{case}-{link}.obj'/>")
            } else {
                format!("<box size='{x} {y} {z}'/>")
            };
            text += &format!("<link name='l{link}'><collision><geometry>{geometry}</geometry></collision></link>");
            let joint = "type='floating'><parent link='l0'/>";
            text += &(1..4)
                .filter(|&child| child == link)
                .map(|child| format!("<joint name='j{child}' {joint}<child link='l{child}'/></joint>"))
                .collect::<String>();
            shapes.push(ConvexShape::cuboid(size * 0.5).unwrap());
            trees.push(BvTree::build(&mesh, &BuildOptions::default()).unwrap());
        }
        let robot = Robot::parse(&(text + "</robot>"), None, folder.path(), &RobotOptions::default()).unwrap();
        // Links of one joint are neighbours.
        assert_eq!(robot.pairs().collect::<Vec<_>>(), [[1, 2], [1, 3], [2, 3]]);
        let mut checker = Checker::new(&robot, &World::new());
        let mut query = Query::new();
        query.set_solids(Solid::IfClosed, Solid::IfClosed);
        for _ in 0..20 {
            let values: Vec<f64> = (0..21)
                .map(|k| if k % 7 < 3 { random.between(-0.5, 0.5) } else { random.between(-1.0, 1.0) })
                .collect();
            let poses = robot.place(&values).unwrap();
            let colliding = checker.colliding(&values, 0.0).unwrap();
            let mut least = f64::INFINITY;
            for (index, [a, b]) in robot.pairs().enumerate() {
                let b_to_a = Pose::relative(&poses[a], &poses[b]);
                let expected = query.intersects(&trees[a], &trees[b], &b_to_a);
                assert_eq!(colliding.contains(&index), expected);
                let distance = query.distance(&trees[a], &trees[b], &b_to_a).unwrap().distance;
                let shapes = shapes[a].distance(&shapes[b].transformed(&b_to_a));
                assert!((distance - shapes).abs() < 1e-12);
                least = least.min(distance);
            }
            let found = checker.closest(&values, f64::INFINITY).unwrap().unwrap().distance;
            assert!((found - least).abs() < 1e-12, "{found} {least}");
        }
    }
}

fn cuboid(half: Vector3<f64>) -> Mesh {
    let corner = |i: usize| Point3::from([0, 1, 2].map(|k| (if i >> k & 1 == 0 { -half[k] } else { half[k] }) as f32));
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    Mesh::from_arrays((0..8).map(corner).collect(), triangles).unwrap()
}

fn obj(mesh: &Mesh) -> String {
    let vertices = mesh.vertices().iter().map(|v| format!("v {} {} {}\n", v.x, v.y, v.z));
    let faces = mesh.triangles().iter().map(|t| format!("f {} {} {}\n", t[0] + 1, t[1] + 1, t[2] + 1));
    vertices.chain(faces).collect()
}

/// A small box in a large one, which may lack a side.
fn nested(is_open: bool, options: &RobotOptions) -> Result<Robot, RobotError> {
    let folder = tempfile::tempdir().unwrap();
    let mesh = cuboid(Vector3::repeat(1.0));
    let left = if is_open { 10 } else { 12 };
    let mesh = Mesh::from_arrays(mesh.vertices().to_vec(), mesh.triangles()[..left].to_vec()).unwrap();
    std::fs::write(folder.path().join("large.obj"), obj(&mesh)).unwrap();
    let link = |name: &str, geometry: &str| {
        format!("<link name='{name}'><collision><geometry>{geometry}</geometry></collision></link>")
    };
    let links = link("large", "<mesh filename='large.obj'/>") + &link("small", "<box size='0.1 0.1 0.1'/>");
    let joint = |name: &str, parent: &str, child: &str| {
        format!(
            "<joint name='{name}' type='prismatic'><parent link='{parent}'/><child link='{child}'/><axis xyz='1 0 0'/></joint>"
        )
    };
    let text =
        format!("<robot>{links}<link name='m'/>{}{}</robot>", joint("x", "large", "m"), joint("y", "m", "small"));
    Robot::parse(&text, None, folder.path(), options)
}

#[test]
fn links_are_solids_unless_said_otherwise() {
    let free = |robot: &Robot| Checker::new(robot, &World::new()).is_free(&[0.0, 0.0], 0.0).unwrap();
    let options = RobotOptions::default();
    assert!(!free(&nested(false, &options).unwrap()));
    assert!(!free(&nested(true, &options).unwrap()));
    assert!(free(&nested(false, &RobotOptions { surfaces: true, ..options.clone() }).unwrap()));
    let with = |open_meshes| RobotOptions { open_meshes, ..RobotOptions::default() };
    assert!(free(&nested(true, &with(OpenMeshes::Surface)).unwrap()));
    assert!(!free(&nested(false, &with(OpenMeshes::Surface)).unwrap()));
    assert!(!free(&nested(true, &with(OpenMeshes::Hull)).unwrap()));
    let error = nested(true, &with(OpenMeshes::Refuse)).unwrap_err();
    assert!(matches!(error, RobotError::OpenMesh { .. }), "{error}");
}

#[test]
fn groups_margins_and_attached_objects() {
    let mut robot = nested(false, &RobotOptions::default()).unwrap();
    let names = |robot: &Robot, values: &[f64]| -> Vec<[String; 2]> {
        let mut checker = Checker::new(robot, &World::new());
        let found = checker.colliding(values, 0.0).unwrap();
        let bodies: Vec<String> = checker.bodies().map(str::to_owned).collect();
        let pairs: Vec<_> = checker.pairs().collect();
        found.into_iter().map(|pair| pairs[pair].map(|body| bodies[body].clone())).collect()
    };
    let group = robot.with_joints(&["y"], &[2.0, 0.0]).unwrap();
    assert_eq!(group.values(), ["y"]);
    assert!(names(&group, &[0.0]).is_empty());
    assert_eq!(names(&group, &[-1.0]), [["large", "small"]]);
    robot.set_margin("small", "large", 0.96).unwrap();
    assert_eq!(names(&robot, &[2.0, 0.0]), [["large", "small"]]);
    robot.set_margin("small", "large", 0.0).unwrap();
    let ball = ConvexShape::sphere(0.5).unwrap();
    let beside = Pose::from_translation(Vector3::new(-0.8, 0.0, 0.0)).unwrap();
    robot.attach("ball", "small", &ball, &beside, &["small"]).unwrap();
    assert_eq!(names(&robot, &[2.0, 0.0]), [["large", "ball"]]);
    assert!(robot.attach("ball", "small", &ball, &beside, &["small"]).is_err());
    // An SRDF names no attached objects.
    let never = vec![Certificate::Never; robot.pairs().len()];
    let srdf = robot.to_srdf(&never);
    assert!(srdf.contains("\"Never\"") && !srdf.contains("ball"), "{srdf}");
    robot.allow("ball", "large").unwrap();
    assert!(names(&robot, &[2.0, 0.0]).is_empty());
    robot.detach("ball").unwrap();
    assert!(robot.detach("small").is_err());
    assert_eq!(robot.bodies().collect::<Vec<_>>(), ["large", "small", "m"]);
    robot.allow("large", "small").unwrap();
    assert!(names(&robot, &[0.0, 0.0]).is_empty());
}

#[test]
fn the_world_is_asked_too() {
    let robot = nested(false, &RobotOptions::default()).unwrap().with_joints(&["x", "y"], &[0.0, 0.0]).unwrap();
    let mut world = World::new();
    let far = Pose::from_translation(Vector3::new(5.0, 0.0, 0.0)).unwrap();
    world.add_mesh("wall", &cuboid(Vector3::new(0.5, 2.0, 2.0)), &far).unwrap();
    world.add_points("cloud", &[Point3::new(3.0, 0.0, 0.0)], 0.25).unwrap();
    let tree = Arc::new(BvTree::build(&cuboid(Vector3::repeat(0.01)), &BuildOptions::default()).unwrap());
    assert!(world.add_tree("wall", tree, &far, false).is_err());
    let mut checker = Checker::new(&robot, &world);
    assert_eq!(checker.bodies().collect::<Vec<_>>(), ["large", "small", "m", "wall", "cloud"]);
    assert!(checker.is_free(&[2.0, 0.0], 0.0).unwrap());
    assert!(!checker.is_free(&[2.7, 0.0], 0.0).unwrap());
    assert!(!checker.is_free(&[5.0, 0.0], 0.0).unwrap(), "inside the wall");
    let closest = checker.closest(&[2.0, 0.0], f64::INFINITY).unwrap().unwrap();
    assert!((closest.distance - 0.7).abs() < 1e-7 && closest.bodies == [1, 4], "{closest:?}");
    world.allow("small", "wall").unwrap();
    world.set_margin("cloud", 0.1).unwrap();
    let mut checker = Checker::new(&robot, &world);
    assert!(checker.is_free(&[5.0, 0.0], 0.0).unwrap());
    assert!(!checker.is_free(&[2.61, 0.0], 0.0).unwrap());
}

/// A link with this collision geometry, on slides along x, y and z.
fn gantry(geometry: &str) -> Robot {
    let slide = |name: &str, parent: &str, child: &str, axis: &str| {
        format!(
            "<joint name='{name}' type='prismatic'><parent link='{parent}'/><child link='{child}'/><axis xyz='{axis}'/></joint>"
        )
    };
    let joints =
        [slide("x", "a", "b", "1 0 0"), slide("y", "b", "c", "0 1 0"), slide("z", "c", "tool", "0 0 1")].concat();
    let links = format!("<link name='a'/><link name='b'/><link name='c'/><link name='tool'>{geometry}</link>");
    Robot::parse(&format!("<robot>{links}{joints}</robot>"), None, "".as_ref(), &RobotOptions::default()).unwrap()
}

/// A point of a shape that an open mesh contains is not one that it is tested by.
#[test]
fn shapes_in_open_meshes_do_not_depend_on_earlier_questions() {
    let robot = gantry("<collision><geometry><sphere radius='0.2'/></geometry></collision>");
    let cube = cuboid(Vector3::repeat(0.5));
    let is_side = |corners: &&[u32; 3]| corners.iter().all(|&corner| cube.vertices()[corner as usize].x > 0.0);
    let open: Vec<_> = cube.triangles().iter().filter(|corners| !is_side(corners)).copied().collect();
    assert_eq!(open.len(), 10);
    let mut world = World::new();
    let mesh = Mesh::from_arrays(cube.vertices().to_vec(), open).unwrap();
    world.add_mesh("cube", &mesh, &Pose::identity()).unwrap();
    let random = &mut Random(12);
    let mut asked = Checker::new(&robot, &world);
    for case in 0..300 {
        let (x, y, z) = (random.between(0.3, 0.8), random.between(-0.3, 0.3), random.between(-0.3, 0.3));
        let row = if case == 0 { [0.34673501, -0.02615949, -0.08006709] } else { [x, y, z] };
        (0..10).for_each(|_| assert!(case % 2 == 1 || !asked.is_free(&[0.45, 0.0, 0.0], 0.0).unwrap()));
        let is_free = Checker::new(&robot, &world).is_free(&row, 0.0).unwrap();
        assert_eq!(asked.is_free(&row, 0.0).unwrap(), is_free, "{row:?}");
        assert_eq!(asked.closest(&row, f64::INFINITY).unwrap().unwrap().distance > 0.0, is_free, "{row:?}");
    }
}

/// A pose that stretches a little moves the ends of what is long.
#[test]
fn poses_that_stretch_are_kept() {
    let stretched = |by: f64, x: f64, z: f64| {
        Pose::new(Matrix3::identity() * (1.0 + by), Vector3::new(x, 0.0, z)).expect("may deviate so far")
    };
    let mut world = World::new();
    let rod = cuboid(Vector3::new(100.0, 0.01, 0.01));
    world.add_mesh("rod", &rod, &stretched(4.9e-5, 0.0, 0.0)).unwrap();
    let check = |robot: &Robot, x: f64| {
        let mut checker = Checker::new(robot, &world);
        let distance = checker.closest(&[x, 0.0, 0.0], f64::INFINITY).unwrap().unwrap().distance;
        let is_free = checker.is_free(&[x, 0.0, 0.0], 0.0).unwrap();
        assert_eq!(distance > 0.0, is_free, "{distance}");
        is_free
    };
    // The rod ends at 100.0049.
    let robot = gantry("<collision><geometry><box size='0.2 0.2 0.2'/></geometry></collision>");
    assert!(!check(&robot, 100.1025) && check(&robot, 100.106));
    let tree = |half: f64| Arc::new(BvTree::build(&cuboid(Vector3::repeat(half)), &BuildOptions::default()).unwrap());
    let mut robot = gantry("");
    robot.attach_tree("held", "tool", tree(0.001), &Pose::identity(), &[] as &[&str]).unwrap();
    assert!(!check(&robot, 100.0045) && check(&robot, 100.0062));
    // The product of two poses may deviate by more than each may.
    let mut robot = gantry("");
    robot.attach_tree("held", "tool", tree(0.1), &stretched(4e-5, 0.0, 1.0), &[] as &[&str]).unwrap();
    let mut world = World::new();
    world
        .add_mesh("cube", &cuboid(Vector3::repeat(0.1)), &Pose::from_translation(Vector3::new(5.0, 0.0, 1.0)).unwrap())
        .unwrap();
    let mut checker = Checker::new(&robot, &world);
    let mut poses = [Pose::identity(); 4];
    poses[3] = stretched(4e-5, 5.0, 0.0);
    checker.place_links(&poses).unwrap();
    assert!(!checker.is_placed_free(0.0));
    assert_eq!(checker.placed_closest(f64::INFINITY).unwrap().distance, 0.0);
}
