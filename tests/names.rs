//! Names of options: they lead back to the options, and errors list them.

use bvtree::fit::{ObbFit, SphereFit};
use bvtree::mesh::MeshFormat;
use bvtree::{Collapse, SimdLevel, SplitRule, UnknownName, VolumeKind};

#[test]
fn names_lead_there_and_back() {
    macro_rules! leads_back {
        ($($choice:ty),+) => {$(
            for choice in <$choice>::ALL {
                assert_eq!(choice.name().parse(), Ok(choice));
            }
        )+};
    }
    leads_back!(ObbFit, SphereFit, MeshFormat, Collapse, SimdLevel, SplitRule, VolumeKind);
    assert_eq!("glb".parse(), Ok(MeshFormat::Gltf));
    let error = "Obb".parse::<VolumeKind>().unwrap_err();
    assert_eq!(error.to_string(), "unknown volume kind 'Obb': expected aabb, obb, sphere or kdop");
    assert_eq!((error.what, error.expected), ("volume kind", &["aabb", "obb", "sphere", "kdop"][..]));
    assert_eq!(format!("[{:>6}|{:<6}]", VolumeKind::Aabb, VolumeKind::Obb), "[  aabb|obb   ]");
    let error = "rittr".parse::<SphereFit>().unwrap_err().to_string();
    assert!(error.contains("unknown sphere fit 'rittr'") && error.contains("epos-14"), "{error}");
}

#[test]
fn lists_read_well() {
    let listed = |expected| UnknownName { what: "fit", given: "x".into(), expected }.to_string();
    assert_eq!(listed(&[]), "unknown fit 'x': expected ");
    assert_eq!(listed(&["a"]), "unknown fit 'x': expected a");
    assert_eq!(listed(&["a", "b"]), "unknown fit 'x': expected a or b");
}
