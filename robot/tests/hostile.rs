//! Files that would take time or memory out of proportion to their size: each is read at once, or refused.

use bvtree_robot::{Robot, RobotError, RobotOptions};

fn parse(urdf: &str, srdf: &str) -> Result<Robot, RobotError> {
    Robot::parse(urdf, Some(srdf), "".as_ref(), &RobotOptions::default())
}

/// A chain of links `l0`, `l1` and so on, each a line, moved by the joints `j1`, `j2` and so on; `inside` a joint with
/// a number there is this text.
fn chain(links: usize, link: &str, inside: impl Fn(usize) -> String) -> String {
    let links_text: String = (0..links).map(|i| format!("<link name='l{i}'>{link}</link>\n")).collect();
    let joint = |i: usize| {
        let ends = format!("<parent link='l{}'/><child link='l{i}'/>", i - 1);
        format!("<joint name='j{i}' type='continuous'>{ends}{}</joint>\n", inside(i))
    };
    format!("<robot>{links_text}{}</robot>", (1..links).map(joint).collect::<String>())
}

fn plain(_: usize) -> String {
    String::new()
}

fn message(read: Result<Robot, RobotError>) -> String {
    read.unwrap_err().to_string()
}

#[test]
fn groups_of_many_members() {
    let (urdf, count) = (chain(1000, "", plain), 1000);
    let whole = "<chain base_link='l0' tip_link='l999'/>";
    let robot = parse(&urdf, &format!("<robot><group name='g'>{}</group></robot>", whole.repeat(count))).unwrap();
    let expected: Vec<String> = (1..1000).map(|i| format!("j{i}")).collect();
    assert_eq!(robot.srdf().groups["g"], expected);
    let groups: String = (0..3000).map(|i| format!("<group name='g{i}'>{whole}</group>")).collect();
    assert!(message(parse(&urdf, &format!("<robot>{groups}</robot>"))).contains("at most 2000000 joints"));
    let nested = |count: usize| {
        let group =
            |i: usize| format!("<group name='g{i}'><joint name='j{}'/><group name='g{}'/></group>", i + 1, i + 1);
        let groups: String = (0..count).map(group).collect();
        format!("<robot>{groups}<group name='g{count}'/></robot>")
    };
    let robot = parse(&urdf, &nested(900)).unwrap();
    let counts = (0..=900).map(|i| robot.srdf().groups[&format!("g{i}")].len());
    assert!(counts.eq((0..=900).rev()));
    assert!(message(parse(&urdf, &nested(20_000))).contains("at most 2000000 joints"));
}

#[test]
fn joints_that_mimic_one_after_the_other() {
    let mimic = |i: usize| if i == 1 { String::new() } else { format!("<mimic joint='j{}' offset='1'/>", i - 1) };
    let robot = parse(&chain(2001, "", mimic), "<robot/>").unwrap();
    assert_eq!(robot.values(), ["j1"]);
    assert!(message(parse(&chain(20_000, "", mimic), "<robot/>")).contains("at most 2000 joints"));
}

#[test]
fn many_lines_and_disabled_pairs() {
    let ball = "<collision><geometry><sphere radius='0.1'/></geometry></collision>";
    let urdf = chain(300, ball, plain);
    let pairs = |range: std::ops::Range<usize>| -> String {
        range.map(|i| format!("<disable_collisions link1='l{}' link2='l{}'/>", i / 300, i % 300)).collect()
    };
    let robot = parse(&urdf, &format!("<robot>{}</robot>", pairs(0..90_000))).unwrap();
    assert_eq!(robot.pairs().len(), 0);
    // The pairs of the first 150 links remain, except neighbours.
    let robot = parse(&urdf, &format!("<robot>{}</robot>", pairs(45_000..90_000))).unwrap();
    assert_eq!(robot.pairs().len(), 150 * 149 / 2 - 149);
    let text = chain(20_000, "", plain).replace("<link name='l19999'></link>", "<link name='l0'/>");
    assert!(message(parse(&text, "<robot/>")).contains("line 20000: a second link is called `l0`"));
}

/// A COLLADA file with an array of 3000 numbers: 1000 points.
fn dae(elements: &str, geometry: &str, scene: &str) -> String {
    format!(
        "<COLLADA><library_geometries>{elements}<source id='s'><float_array id='a'>{}</float_array><technique_common>\
         <accessor source='#a' count='1000' stride='3'/></technique_common></source>{geometry}</library_geometries>\
         <library_visual_scenes><visual_scene>{scene}</visual_scene></library_visual_scenes></COLLADA>",
        "1 2 3 ".repeat(1000)
    )
}

/// The robot whose only link is a COLLADA mesh.
fn of_mesh(dae: &str) -> Result<Robot, RobotError> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("mesh.dae"), dae).unwrap();
    let mesh = "<collision><geometry><mesh filename='mesh.dae'/></geometry></collision>";
    Robot::parse(&format!("<robot><link name='l'>{mesh}</link></robot>"), None, folder.path(), &RobotOptions::default())
}

fn triangles(source: &str, indices: &str) -> String {
    format!("<triangles><input semantic='VERTEX' source='#{source}' offset='0'/><p>{indices}</p></triangles>")
}

const SCENE: &str = "<node><instance_geometry url='#g'/></node>";

#[test]
fn repeated_geometry() {
    // Each of many elements takes the points of one source.
    let shared = |count: usize| {
        let vertices =
            (0..count).map(|i| format!("<vertices id='v{i}'><input semantic='POSITION' source='#s'/></vertices>"));
        let primitives: String = (0..count).map(|i| triangles(&format!("v{i}"), "0 1 2")).collect();
        let geometry = format!("<geometry id='g'><mesh>{primitives}</mesh></geometry>");
        dae(&vertices.collect::<String>(), &geometry, SCENE)
    };
    of_mesh(&shared(10)).unwrap();
    let message = message(of_mesh(&shared(15_000)));
    assert!(message.contains("vertices, and corners of triangles"), "{message}");
}

#[test]
fn repeated_nodes() {
    let vertices = "<vertices id='v'><input semantic='POSITION' source='#s'/></vertices>";
    let geometry = format!("<geometry id='g'><mesh>{}</mesh></geometry>", triangles("v", &"0 1 2 ".repeat(1000)));
    let doubled = |levels: usize, extra: &str| {
        let mut nodes = format!("<node id='n0'><instance_geometry url='#g'/>{extra}</node>");
        for level in 1..=levels {
            let inner = format!("<instance_node url='#n{}'/>", level - 1);
            nodes += &format!("<node id='n{level}'>{inner}{inner}</node>");
        }
        let scene = format!("<node><instance_node url='#n{levels}'/></node>");
        dae(&format!("{vertices}{nodes}"), &geometry, &scene)
    };
    of_mesh(&doubled(4, "")).unwrap();
    let error = message(of_mesh(&doubled(12, "")));
    assert!(error.contains("vertices, and corners of triangles"), "{error}");
    let error = message(of_mesh(&doubled(9, &format!("<scale>1{}1 1</scale>", " ".repeat(300_000)))));
    assert!(error.contains("bytes of nodes"), "{error}");
}
