//! COLLADA files as links, against the same geometry as OBJ; and hostile ones.

use bvtree_robot::{Robot, RobotError, RobotOptions};

use crate::arm::Random;

/// A robot with a COLLADA mesh as one link, and a small ball on a floating joint that probes it.
fn robot(dae: &str, scale: &str, options: &RobotOptions) -> Result<Robot, RobotError> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("mesh.dae"), dae).unwrap();
    let mesh = format!("<collision><geometry><mesh filename='mesh.dae' scale='{scale}'/></geometry></collision>");
    let text = format!(
        "<robot><link name='base'/><link name='ball'><collision><geometry><sphere radius='0.001'/></geometry>\
         </collision></link><link name='mesh'>{mesh}</link>\
         <joint name='j' type='floating'><parent link='base'/><child link='ball'/></joint>\
         <joint name='k' type='prismatic'><parent link='base'/><child link='mesh'/></joint></robot>"
    );
    Robot::parse(&text, None, folder.path(), options)
}

/// A COLLADA file: a tetrahedron with corners at the origin and on the three axes, in millimetres, as a primitive in a
/// scene.
fn dae(primitive: &str, nodes: &str, up: &str) -> String {
    format!(
        "<?xml version='1.0'?><COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema' version='1.4.1'>\
         <asset><unit name='millimeter' meter='0.001'/><up_axis>{up}</up_axis></asset>\
         <library_geometries><geometry id='g'><mesh>\
         <source id='s'><float_array id='a' count='12'>0 0 0 100 0 0 0 200 0 0 0 300</float_array>\
         <technique_common><accessor source='#a' count='4' stride='3'/></technique_common></source>\
         <vertices id='v'><input semantic='POSITION' source='#s'/></vertices>{primitive}</mesh></geometry>\
         </library_geometries><library_nodes><node id='n'><instance_geometry url='#g'/></node></library_nodes>\
         <library_visual_scenes><visual_scene id='w'>{nodes}</visual_scene></library_visual_scenes>\
         <scene><instance_visual_scene url='#w'/></scene></COLLADA>"
    )
}

const TRIANGLES: &str = "<triangles count='4'><input semantic='NORMAL' source='#x' offset='0'/>\
    <input semantic='VERTEX' source='#v' offset='1'/><p>0 0 0 2 0 1  0 0 0 1 0 3  0 0 0 3 0 2  0 1 0 2 0 3</p></triangles>";
const POLYLIST: &str = "<polylist count='4'><input semantic='VERTEX' source='#v' offset='0'/>\
    <vcount>3 3 3 3</vcount><p>0 2 1 0 1 3 0 3 2 1 2 3</p></polylist>";
const POLYGONS: &str = "<polygons count='4'><input semantic='VERTEX' source='#v' offset='0'/>\
    <p>0 2 1</p><p>0 1 3</p><p>0 3 2</p><p>1 2 3</p></polygons>";
const STRIPS: &str =
    "<tristrips count='1'><input semantic='VERTEX' source='#v' offset='0'/><p>0 1 2 3 0 1</p></tristrips>";
const PLAIN: &str = "<node><instance_geometry url='#g'/></node>";

/// Whether the ball of 1 mm radius touches the solid with its centre at a point.
fn touches(robot: &Robot, point: [f64; 3]) -> bool {
    let [x, y, z] = point;
    let world = bvtree_robot::World::new();
    !robot.free(&world, &[x, y, z, 0.0, 0.0, 0.0, 1.0, 0.0], 0.0).unwrap()[0]
}

#[test]
fn primitives_units_and_scales() {
    let options = RobotOptions::default();
    // Text goes on after a comment.
    let remarked = POLYLIST.replace("0 3 2 1", "0 <!-- base -->3 2 <![CDATA[1]]>");
    for primitive in [TRIANGLES, POLYLIST, POLYGONS, STRIPS, &remarked] {
        let robot = robot(&dae(primitive, PLAIN, "Z_UP"), "1 1 1", &options).unwrap();
        assert!(touches(&robot, [0.099, 0.0, 0.0]) && touches(&robot, [0.0, 0.199, 0.0]), "{primitive}");
        assert!(touches(&robot, [0.02, 0.02, 0.02]), "inside: {primitive}");
        assert!(!touches(&robot, [0.102, 0.0, 0.0]) && !touches(&robot, [0.0, 0.0, -0.002]), "{primitive}");
    }
    let mirrored = robot(&dae(TRIANGLES, PLAIN, "Z_UP"), "-1 2 1", &options).unwrap();
    assert!(touches(&mirrored, [-0.099, 0.0, 0.0]) && touches(&mirrored, [0.0, 0.399, 0.0]));
    assert!(touches(&mirrored, [-0.02, 0.02, 0.02]));
}

#[test]
fn nodes_place_and_instance() {
    let options = RobotOptions::default();
    let nodes = "<node><translate>1000 0 0</translate><rotate>0 0 1 90</rotate><scale>2 1 -1</scale>\
        <node><matrix>1 0 0 0 0 1 0 0 0 0 1 10 0 0 0 1</matrix><instance_node url='#n'/></node></node>";
    let placed = robot(&dae(TRIANGLES, nodes, "Z_UP"), "1 1 1", &options).unwrap();
    // x of 100 is doubled and turned to y; z is mirrored after it was raised by 10.
    assert!(touches(&placed, [1.0, 0.199, -0.011]) && !touches(&placed, [1.0, 0.203, -0.011]));
    assert!(touches(&placed, [1.0, 0.0, -0.305]) && !touches(&placed, [1.0, 0.0, -0.005]));
    assert!(touches(&placed, [0.97, 0.02, -0.03]), "inside");
    let raw = robot(&dae(TRIANGLES, PLAIN, "Y_UP"), "1 1 1", &options).unwrap();
    assert!(touches(&raw, [0.0, 0.199, 0.0]) && touches(&raw, [0.0, 0.0, 0.299]));
    let options = RobotOptions { turn_collada_up: true, ..options };
    let turned = robot(&dae(TRIANGLES, PLAIN, "Y_UP"), "1 1 1", &options).unwrap();
    assert!(touches(&turned, [0.0, 0.0, 0.199]) && touches(&turned, [0.0, -0.299, 0.0]));
    let turned = robot(&dae(TRIANGLES, PLAIN, "X_UP"), "1 1 1", &options).unwrap();
    assert!(touches(&turned, [0.0, 0.0, 0.099]) && touches(&turned, [-0.199, 0.0, 0.0]));
}

#[test]
fn hostile_files_are_errors() {
    let options = RobotOptions::default();
    let error = |dae: &str| robot(dae, "1 1 1", &options).unwrap_err().to_string();
    let cases = [
        (dae(TRIANGLES, "<node id='l'><instance_node url='#l'/></node>", "Z_UP"), "at most 100 deep"),
        (dae(TRIANGLES, "<node><instance_geometry url='#none'/></node>", "Z_UP"), "found `#none`"),
        (dae(TRIANGLES, "<node><skew>1 2 3</skew></node>", "Z_UP"), "not supported"),
        (dae(TRIANGLES, "<node><matrix>1 2</matrix></node>", "Z_UP"), "expected 16 numbers, found 2"),
        (dae(&TRIANGLES.replace("0 3</p>", "0 4</p>"), PLAIN, "Z_UP"), "expected indices below 4, found 4"),
        (dae(&TRIANGLES.replace("0 3</p>", "0 -3</p>"), PLAIN, "Z_UP"), "found `-3`"),
        (dae(&POLYLIST.replace("3 3 3 3", "3 3 3 18446744073709551615"), PLAIN, "Z_UP"), "expected an index"),
        (dae(&POLYLIST.replace("3 3 3 3", "3 3 3 5"), PLAIN, "Z_UP"), "as <vcount> says"),
        (dae(&POLYGONS.replace("<p>0 2 1</p>", "<ph/>"), PLAIN, "Z_UP"), "holes"),
        (dae(TRIANGLES, PLAIN, "Z_UP").replace("0 200 0", "0 NaN 0"), "found `NaN`"),
        (
            dae(TRIANGLES, PLAIN, "Z_UP").replace("accessor source='#a' count='4'", "accessor source='#a' count='5'"),
            "expected 5 points",
        ),
        (dae(TRIANGLES, PLAIN, "Z_UP").replace("meter='0.001'", "meter='0'"), "positive number of metres"),
        (dae("", PLAIN, "Z_UP"), "expected triangles"),
        (dae(TRIANGLES, PLAIN, "Z_UP").replace("</COLLADA>", ""), "mesh.dae:1"),
        ("<robot/>".to_owned(), "expected <COLLADA> as the root"),
        (format!("<COLLADA>{}", "<a>".repeat(200_000)), "mesh.dae"),
    ];
    for (dae, expected) in cases {
        let message = error(&dae);
        assert!(message.contains(expected), "{message}\nexpected: {expected}");
    }
    // Doubling nodes: a million million instances of one triangle.
    let mut nodes = String::new();
    for level in 1..40 {
        let inner = if level == 1 { "n".to_owned() } else { format!("d{}", level - 1) };
        nodes += &format!("<node id='d{level}'><instance_node url='#{inner}'/><instance_node url='#{inner}'/></node>");
    }
    assert!(error(&dae(TRIANGLES, &nodes, "Z_UP")).contains("at most 100000 nodes"));
}

/// Any file is read or refused with an error: no panic, no endless loop.
#[test]
fn damaged_files_are_read_or_refused() {
    let random = &mut Random(8);
    let nodes = "<node><rotate>0 0 1 90</rotate><scale>2 1 -1</scale><instance_node url='#n'/></node>";
    let mut read = [0, 0];
    for case in 0..600 {
        let mut text = dae([TRIANGLES, POLYLIST, POLYGONS, STRIPS][case % 4], nodes, "Z_UP");
        for _ in 0..1 + random.below(2) {
            let (from, length) = (random.below(text.len() as u64) as usize, random.below(4) as usize);
            let words = ["0", "-1e308", "9999999999", "#n", "'", "<", "nan", "</p>", "node", ""];
            let word = words[random.below(words.len() as u64) as usize];
            text.replace_range(from..(from + length).min(text.len()), word);
        }
        read[usize::from(robot(&text, "1 -1 1", &RobotOptions::default()).is_ok())] += 1;
    }
    assert!(read.iter().all(|&count| count > 10), "{read:?}");
}
