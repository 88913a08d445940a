//! The cache of cooked meshes: robots read with it are the same, and no damage of its files changes a robot.

use std::fs;
use std::path::{Path, PathBuf};

use bvtree_robot::{Checker, OpenMeshes, Robot, RobotError, RobotOptions, World};

use crate::arm::{Random, random_arm, random_world};

/// The distances of configurations, of the links alone and with a world around them.
fn distances(robot: &Robot) -> Vec<Option<f64>> {
    let random = &mut Random(21);
    let mut checkers = [World::new(), random_world(random)].map(|world| Checker::new(robot, &world));
    let mut distances = |_| {
        let row = random.configuration(robot);
        checkers.each_mut().map(|checker| checker.closest(&row, f64::INFINITY).unwrap().map(|closest| closest.distance))
    };
    (0..20).flat_map(&mut distances).collect()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    // There is none if no link is a mesh.
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

fn options(cache: &Path) -> RobotOptions {
    RobotOptions { cache: Some(cache.to_owned()), ..RobotOptions::default() }
}

#[test]
fn robots_from_the_cache_are_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let mut found = 0;
    for case in 0..20 {
        // Meshes of their own, some open, in two scales each.
        let arm = random_arm(&mut Random(case), 4, &["revolute"], folder.path());
        let cache = folder.path().join(format!("cache/{case}"));
        let open = || Robot::parse(&arm.urdf, None, folder.path(), &options(&cache)).unwrap();
        assert_eq!(distances(&open()), distances(&arm.robot));
        let files = files(&cache);
        let modified = || files.iter().map(|file| fs::metadata(file).unwrap().modified().unwrap()).collect::<Vec<_>>();
        let before = modified();
        found += before.len();
        assert_eq!(distances(&open()), distances(&arm.robot));
        assert_eq!(modified(), before, "read, not written again");
    }
    assert!(found > 20, "{found}");
}

const URDF: &str = "<robot><link name='a'><collision><geometry><mesh filename='a.obj' scale='0.1 0.2 0.1'/></geometry>\
    </collision></link><link name='b'><collision><geometry><mesh filename='b.obj' scale='0.1 0.1 0.1'/></geometry></collision></link>\
    <link name='c'><collision><geometry><mesh filename='a.obj' scale='0.1 0.1 0.1'/></geometry></collision></link>\
    <joint name='p' type='floating'><parent link='a'/><child link='b'/></joint>\
    <joint name='q' type='floating'><parent link='b'/><child link='c'/></joint></robot>";

#[test]
fn damaged_files_are_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let tetrahedron = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
    fs::write(folder.path().join("a.obj"), tetrahedron).unwrap();
    fs::write(folder.path().join("b.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    let cache = folder.path().join("cache");
    let opened = |options: &RobotOptions| Robot::parse(URDF, None, folder.path(), options).map(|it| distances(&it));
    let expected = opened(&RobotOptions::default()).unwrap();
    assert_eq!(opened(&options(&cache)).unwrap(), expected);
    let files = files(&cache);
    let whole: Vec<_> = files.iter().map(|file| fs::read(file).unwrap()).collect();
    // Two scales of one mesh, and another mesh.
    assert_eq!(files.len(), 3);
    let random = &mut Random(3);
    for case in 0..300 {
        for (file, whole) in files.iter().zip(&whole) {
            let mut bytes = whole.clone();
            let at = random.below(bytes.len() as u64) as usize;
            match case % 4 {
                0 => bytes.truncate(at),
                1 => bytes.push(0),
                _ => bytes[at] ^= 1 << random.below(8),
            }
            fs::write(file, bytes).unwrap();
        }
        assert_eq!(opened(&options(&cache)).unwrap(), expected);
        assert!(files.iter().zip(&whole).all(|(file, whole)| fs::read(file).unwrap() == *whole));
    }
    // The file of another mesh.
    fs::write(&files[0], &whole[1]).unwrap();
    assert_eq!(opened(&options(&cache)).unwrap(), expected);

    // An open mesh is what each robot's options make of it.
    let with = |cache, open_meshes| opened(&RobotOptions { cache, open_meshes, ..RobotOptions::default() });
    let kept = || Some(cache.clone());
    assert!(matches!(with(kept(), OpenMeshes::Refuse).unwrap_err(), RobotError::OpenMesh { .. }));
    for open_meshes in [OpenMeshes::Hull, OpenMeshes::Surface] {
        assert_eq!(with(kept(), open_meshes).unwrap(), with(None, open_meshes).unwrap());
    }

    // A path that is not a file is neither read nor replaced.
    fs::remove_file(&files[0]).unwrap();
    fs::create_dir(&files[0]).unwrap();
    assert!(matches!(opened(&options(&cache)).unwrap_err(), RobotError::Write { path, .. } if path == files[0]));
    #[cfg(unix)]
    {
        fs::remove_dir(&files[0]).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(&files[0]).status().unwrap().success());
        assert!(matches!(opened(&options(&cache)).unwrap_err(), RobotError::Write { path, .. } if path == files[0]));
        fs::remove_file(&files[0]).unwrap();
    }

    // A mesh that changes.
    fs::write(folder.path().join("a.obj"), tetrahedron.replace("v 0 0 1", "v 0 0 2")).unwrap();
    let changed = opened(&options(&cache)).unwrap();
    assert_ne!(changed, expected);
    assert_eq!(changed, opened(&RobotOptions::default()).unwrap());
    // A file in place of the folder.
    let error = opened(&options(&folder.path().join("b.obj"))).unwrap_err();
    assert!(matches!(&error, RobotError::Write { path, .. } if path.starts_with(folder.path())), "{error}");
}
