//! Questions about two trees, at one pose or many.

mod formats;
mod inputs;
mod modes;

use crate::{Workplace, assert_has};

const HEADER: &str = "row,label,hit,pairs,pairs_checksum,distance";

const POSE_HEADER: &str = "# mesh_a,mesh_b,label,r00,r01,r02,tx,r10,r11,r12,ty,r20,r21,r22,tz";

/// splitmix64(0), the first number of the generator with seed 0.
const CHECKSUM_0_0: &str = "16294208416658607535";

/// A pose file of unrotated poses, each a label and a translation.
fn poses(rows: &[(&str, [f64; 3])]) -> String {
    let mut text = format!("{POSE_HEADER}\n");
    for (label, [x, y, z]) in rows {
        text += &format!(",,{label},1,0,0,{x},0,1,0,{y},0,0,1,{z}\n");
    }
    text
}

/// A workplace with a pose file of five poses with three labels; at three of the poses, the cube and the square touch.
fn workplace_with_poses() -> Workplace {
    let workplace = Workplace::new();
    let up = |z| [0.0, 0.0, z];
    let rows = [("in", up(0.5)), ("out", up(1.5)), ("in", up(0.25)), ("touching", up(1.0)), ("out", up(-0.5))];
    workplace.write("poses.csv", &poses(&rows));
    workplace
}

#[test]
fn threads_change_nothing() {
    let workplace = Workplace::new();
    let rows: Vec<_> = (0..500).map(|i| ("", [0.003 * f64::from(i), 0.001 * f64::from(i % 7), 0.25])).collect();
    workplace.write("poses.csv", &poses(&rows));
    for mode in ["hit", "pairs"] {
        for format in ["csv", "json", "text"] {
            let query = format!("query cube.obj square.obj --poses poses.csv --quiet --mode {mode} --format {format}");
            let one = workplace.answer(&format!("{query} --threads 1"));
            assert!(one.lines().count() >= 500);
            assert_eq!(workplace.answer(&format!("{query} --threads 2")), one);
            assert_eq!(workplace.answer(&query), one);
        }
    }
}

#[test]
fn exit_code_tells_of_contact_only_where_asked() {
    let workplace = workplace_with_poses();
    let code = |arguments: &str| workplace.run(&format!("query cube.obj square.obj {arguments}")).code;
    assert_eq!(code("--exit-code"), Some(1));
    assert_eq!(code("--exit-code --translate 9,0,0"), Some(0));
    assert_eq!(code("--exit-code --poses poses.csv"), Some(1));
    assert_eq!(code("--exit-code --poses poses.csv --by-label --repeat 1"), Some(1));
    assert_eq!(code("--poses poses.csv"), Some(0));
}

#[test]
fn instructions_are_chosen_by_argument_before_environment() {
    let workplace = Workplace::new();
    let query = "query cube.obj square.obj";
    let complaint = workplace.run_with_env(query, "BVTREE_SIMD", "mmx").complaint();
    assert_has(&complaint, &["environment variable BVTREE_SIMD: ", "'mmx'", "avx2"]);
    for (arguments, variable) in [("", "off"), ("", ""), (" --simd off", "mmx")] {
        let outcome = workplace.run_with_env(&format!("{query}{arguments}"), "BVTREE_SIMD", variable);
        assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
    }
}
