//! Faulty files.

use std::ffi::OsStr;
use std::fs;
use std::io::{Cursor, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;

use bvtree::{BuildOptions, BvTree, Mesh};
use xxhash_rust::xxh3::xxh3_64;

use crate::{CUBE, Workplace};

const PLY: &str = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
    element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";

const TRIANGLE: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";

pub fn write(workplace: &Workplace) {
    let obj = [
        ("coordinate.obj", "v 1 2\n"),
        ("finite.obj", "v 1 2 1e39\n"),
        ("corner.obj", "f 1 2 x\n"),
        ("zero.obj", "f 0 1 2\n"),
        ("range.obj", "v 0 0 0\nf 1 2 3\n"),
        ("few.obj", "f 1 2\n"),
        ("upper.obj", "V 0 0 0\nF 1 2 3\n"),
        ("none.obj", "# nothing\n"),
        ("scene.dae", "<?xml version=\"1.0\"?>\n<COLLADA>\n</COLLADA>\n"),
        ("none.off", "OFF\n0 0 0\n"),
        ("four.off", "4OFF\n1 0 0\n"),
        ("none.stl", "solid a\nendsolid a\n"),
        ("facet.stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 x\n"),
        ("draco.gltf", "{\"asset\": {\"version\": \"2.0\"}, \"extensionsRequired\": [\"KHR_draco_mesh_compression\"]}"),
        ("grouped.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\ng a\nf 1 2 3\n"),
        ("huge.obj", &format!("{}f 1 2 3\n", TRIANGLE.replace('1', "1e35"))),
    ];
    let alternating = "g a\nf 1 2 3\ng b\nf 1 2 3\n".repeat(70);
    workplace.write("names.obj", &format!("{TRIANGLE}o {}\n{alternating}", "A".repeat(1 << 20)));
    let many = "3 0 1 2\n".repeat(1100);
    let header = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
        element face 1100\nproperty list uchar int vertex_indices\nend_header\n";
    workplace.write("many.ply", &format!("{header}0 0 0\n1 0 0\n0 1 0\n{many}"));
    obj.iter().for_each(|(name, text)| workplace.write(name, text));
    fs::write(workplace.path("utf16.obj"), b"\xff\xfev\0 \x000\0").unwrap();
    strangers(workplace);
    fs::write(workplace.path("short.stl"), [7; 100]).unwrap();
    ply(workplace);
    manifests(workplace);
    rows(workplace);
    robots(workplace);
    topics(workplace);
    cooked(workplace);
    fs::create_dir_all(workplace.path("empty")).unwrap();
    workplace.write("twice/a.obj", CUBE);
    workplace.write("twice/a.stl", CUBE);
    fs::create_dir_all(workplace.path("locked/.bvtree-cook.lock")).unwrap();
    fs::create_dir_all(workplace.path("full")).unwrap();
    // A disk that is full.
    ["full.html", "full/cube.obb.bvt"].iter().for_each(|name| symlink("/dev/full", workplace.path(name)).unwrap());
}

/// Files that are not what their names say, in place of meshes.
fn strangers(workplace: &Workplace) {
    let gltf = |members: &str| format!("{{\"asset\": {{\"version\": \"2.0\"}}, {members}}}");
    let identity = "1,0,0,0,0,1,0,0,0,0,1,0";
    let texts = [
        ("hollow.stl", String::new()),
        ("blank.gltf", "\n".into()),
        ("pointer.glb", "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n".into()),
        ("pointer.bvt", "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n".into()),
        ("page.obj", "<!DOCTYPE html>\n<html><body>404</body></html>\n".into()),
        ("words.stl", "facet normal 0 0 1\nouter loop\n".repeat(9)),
        ("half.gltf", "{\"asset\": {\"version\": ".into()),
        ("old.gltf", "{\"asset\": {\"version\": \"1.0\"}, \"nodes\": {}}".into()),
        ("untyped.gltf", gltf("\"scenes\": 7")),
        ("refers.gltf", gltf("\"scenes\": [{\"nodes\": [0]}], \"nodes\": [{\"mesh\": 7}]")),
        ("unplaced.gltf", gltf("\"nodes\": []")),
        ("lone.gltf", gltf("\"scenes\": [{\"nodes\": []}]")),
        ("broken/a\nb.obj", CUBE.into()),
        ("same/cube.obj", CUBE.into()),
        ("same.csv", format!("cube,cube,,{identity}\n")),
        ("either.csv", format!("a/cube.obj,a/cube.obj,,{identity}\nb/cube.obj,b/cube.obj,,{identity}\n")),
    ];
    texts.iter().for_each(|(name, text)| workplace.write(name, text));
    let wide = |text: &str| text.bytes().flat_map(|byte| [byte, 0]).collect::<Vec<u8>>();
    fs::write(workplace.path("wide.obj"), wide(CUBE)).unwrap();
    fs::write(workplace.path("wide.gltf"), [b"\xff\xfe".to_vec(), wide("{\"asset\": 3}")].concat()).unwrap();
    fs::write(workplace.path("cut.glb"), b"glTF\x02\0\0\0\x64\0\0\0").unwrap();
    fs::create_dir_all(workplace.path("latin")).unwrap();
    fs::write(workplace.path("latin").join(OsStr::from_bytes(b"\xe9.obj")), CUBE).unwrap();
}

fn ply(workplace: &Workplace) {
    let changes = [
        ("properties", "element face 1", "element none 1\nelement face 1"),
        ("names", "element face 1", "element vertex 1\nproperty float x\nelement face 1"),
        ("vertex", "element vertex 3", "element point 3"),
        ("axis", "property float z", "property float w"),
        ("list", "vertex_indices", "corners"),
        ("encoding", "ascii", "zip"),
        ("version", "1.0", "2.0"),
        ("element", "element face 1", "element"),
        ("count", "element face 1", "element face many"),
        ("type", "property float x", "property real x"),
        ("property", "property float x", "property float"),
        ("strips", "element face 1", "element tristrips 1"),
    ];
    for (name, from, to) in changes {
        assert!(PLY.contains(from), "{name}");
        workplace.write(&format!("{name}.ply"), &PLY.replacen(from, to, 1));
    }
}

fn manifests(workplace: &Workplace) {
    let body = |members: &str| format!("{{\"bodies\": [{{\"name\": \"a\", \"mesh\": \"cube.obj\"{members}}}]");
    let json = [
        ("text", "no json".into()),
        ("bodies", "{}".into()),
        ("object", "[]".into()),
        ("key", "{\"bodys\": []}".into()),
        ("list", "{\"bodies\": 3}".into()),
        ("old.gltf", "{\"asset\": {\"version\": \"2.0\"}}".into()),
        ("name", "{\"bodies\": [{\"mesh\": \"cube.obj\"}]}".into()),
        ("mesh", "{\"bodies\": [{\"name\": \"a\"}]}".into()),
        ("unnamed", "{\"bodies\": [{\"name\": \"\"}]}".into()),
        ("nowhere", "{\"bodies\": [{\"name\": \"a\", \"mesh\": \"\"}]}".into()),
        ("string", "{\"bodies\": [{\"name\": 3}]}".into()),
        ("numbers", body(", \"translation\": [1, 2]") + "}"),
        ("pair", body("") + ", \"ignore\": [[\"a\"]]}"),
        ("axis", body("") + ", \"grid\": [[{\"name\": \"A\", \"ends\": [[0, 0]]}]]}"),
        ("nobody", body("") + ", \"ignore\": [[\"a\", \"b\"]]}"),
        ("between", body("") + ", \"rules\": [{}]}"),
        ("length", body("") + ", \"clearance\": -1}"),
        ("report", body("") + ", \"rules\": [{\"between\": [\"*\", \"*\"], \"report\": 1}]}"),
        ("class", body("") + ", \"rules\": [{\"between\": [\"*\", \"*\"], \"report\": \"soft\"}]}"),
        ("flag", body("") + ", \"rules\": [{\"between\": [\"*\", \"*\"], \"ignore\": 1}]}"),
        ("mirror", body(", \"rotation\": [-1, 0, 0, 0, 1, 0, 0, 0, 1]") + "}"),
        ("far", body(", \"translation\": [1e40, 0, 0]") + "}"),
        ("good", body("") + "}"),
        ("twins", format!("{{\"bodies\": [{0}, {0}]}}", "{\"name\": \"a\", \"mesh\": \"cube.obj\"}")),
    ];
    json.iter().for_each(|(name, text)| workplace.write(&format!("{name}.json"), text));
    let toml = [
        ("nowhere", "[[asset]]\ninput = \"cube.obj\"\n"),
        ("number", "output = \"out\"\n[[asset]]\ninput = 3\n"),
        ("lacking", "output = \"out\"\n[[asset]]\nfolder = \"a\"\n"),
        ("above", "output = \"out\"\n[[asset]]\ninput = \"cube.obj\"\nfolder = \"..\"\n"),
        ("unknown", "output = \"out\"\n[[asset]]\ninput = \"cube.obj\"\nleafs = 3\n"),
        ("nan", "output = \"out\"\n[defaults]\nweld = nan\n"),
        ("huge", "output = \"out\"\n[defaults]\nmax-depth = 99999999999999999999\n"),
        ("misspelt", "outputs = \"out\"\n"),
        ("assetless", "output = \"out\"\n"),
        ("listed", "output = \"out\"\nasset = [1]\n"),
    ];
    toml.iter().for_each(|(name, text)| workplace.write(&format!("{name}.toml"), text));
    workplace.write("baseline.csv", "x,y\n1,2\n");
    let stretched = "{\"asset\": {\"version\": \"2.0\"}, \"scene\": 0, \"scenes\": [{\"nodes\": [0]}], \"nodes\": \
        [{\"children\": [1], \"scale\": [1e30, 1, 1]}, {\"mesh\": 0, \"name\": \"far\", \"scale\": [1e30, 1, \
            1]}], \"meshes\": [{\"primitives\": [{\"attributes\": {\"POSITION\": 0}}]}], \
        \"accessors\": [{\"bufferView\": 0, \"componentType\": 5121, \"count\": 3, \"type\": \"VEC3\", \"min\": [0, \
            0, 0], \"max\": [1, 1, 1]}], \
        \"bufferViews\": [{\"buffer\": 0, \"byteLength\": 9}], \
        \"buffers\": [{\"byteLength\": 9, \"uri\": \"data:application/octet-stream;base64,AAAAAQAAAAEA\"}]}";
    workplace.write("stretched.gltf", stretched);
}

fn rows(workplace: &Workplace) {
    let csv = [
        ("number", "#\n,,l,x,0,0,0,0,1,0,0,0,0,1,0\n"),
        ("fields", "#\n1,2,3\n"),
        ("quotes", "#\n\"a,b\n"),
        ("rotation", "#\n,,l,2,0,0,0,0,1,0,0,0,0,1,0\n"),
        ("none", "# poses\n"),
        ("still", "#\n1,2,3,0,0,0\n"),
        ("identity", "#\n,,l,1,0,0,0,0,1,0,0,0,0,1,0\n"),
        ("motions", "l,1,0,0,3,0,1,0,0,0,0,1,0,1,0,0,1e59,0,1,0,0,0,0,1,0\n"),
        ("turned", "l,1,0,0,0,0,1,0,0,0,0,1,0,2,0,0,1,0,1,0,0,0,0,1,0\n"),
    ];
    csv.iter().for_each(|(name, text)| workplace.write(&format!("{name}.csv"), text));
    fs::write(workplace.path("latin.csv"), b"#\n\xe9,,l\n").unwrap();
}

/// A robot with two prismatic joints, and configurations that do not fit it.
fn robots(workplace: &Workplace) {
    let joint = |name: &str, parent: &str, child: &str| {
        format!("<joint name='{name}' type='prismatic'><parent link='{parent}'/><child link='{child}'/></joint>")
    };
    let links = ["p", "q", "r"].map(|name| format!("<link name='{name}'/>")).concat();
    workplace.write("slide.urdf", &format!("<robot>{links}{}{}</robot>", joint("a", "p", "q"), joint("b", "q", "r")));
    let cube = "<collision><geometry><mesh filename='../cube.obj'/></geometry></collision>";
    workplace.write("robot/cube.urdf", &format!("<robot><link name='p'>{cube}</link></robot>"));
    let csv = [
        ("unknown", "a,turn\n"),
        ("twice", "a,a\n"),
        ("lacking", "a\n0\n"),
        ("alone", "a,b\n0,0\n"),
        ("none", "a,b\n"),
    ];
    csv.iter().for_each(|(name, text)| workplace.write(&format!("robot/{name}.csv"), text));
}

/// Damaged and forged trees of the cube.
fn cooked(workplace: &Workplace) {
    let mesh = Mesh::read_obj(CUBE.as_bytes()).unwrap();
    let mut sound = Vec::new();
    BvTree::build(&mesh, &BuildOptions::default()).unwrap().write_to(&mut sound).unwrap();
    let write = |name: &str, change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = sound.clone();
        change(&mut bytes);
        fs::write(workplace.path(&format!("{name}.bvt")), bytes).unwrap();
    };
    write("sound", &|_| {});
    write("magic", &|bytes| bytes[0] = b'x');
    write("newer", &|bytes| bytes[8] = 9);
    write("truncated", &|bytes| bytes.truncate(600));
    write("long", &|bytes| bytes.push(0));
    write("damaged", &|bytes| bytes[400] ^= 1);
    write("field", &|bytes| forged(bytes, 32, 9));
    write("reserved", &|bytes| forged(bytes, 12, 9));
    write("section", &|bytes| forged(bytes, 192, 7));
    write("bounds", &|bytes| forged(bytes, 96, 7));
    let groups = Mesh::from_parts(
        mesh.vertices().to_vec(),
        mesh.triangles().to_vec(),
        Vec::new(),
        vec![bvtree::mesh::Group { name: "a".into(), ..Default::default() }],
    );
    let mut with_group = Vec::new();
    BvTree::build(&groups.unwrap(), &BuildOptions::default()).unwrap().write_to(&mut with_group).unwrap();
    let last = with_group.len() - 1;
    // The last byte is the name's.
    forged(&mut with_group, last, 0xff);
    fs::write(workplace.path("group.bvt"), with_group).unwrap();
    let empty = Mesh::from_arrays(Vec::new(), Vec::new()).unwrap();
    BvTree::build(&empty, &BuildOptions::default()).unwrap().save(workplace.path("empty.bvt")).unwrap();
    let sphere = BuildOptions::obbtree_rules(bvtree::VolumeKind::Sphere);
    let sphere = BvTree::build(&mesh, &sphere).unwrap();
    sphere.save(workplace.path("sphere.bvt")).unwrap();
    let mut shifted = Vec::new();
    sphere.write_to(&mut shifted).unwrap();
    // The first volume's centre, by whole units.
    forged(&mut shifted, 384 + 3, 0x40);
    fs::write(workplace.path("shifted.bvt"), shifted).unwrap();
}

/// BCF files, each with a different flaw.
fn topics(workplace: &Workplace) {
    let zip_of = |markups: &[(&str, &str)]| {
        let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for (topic, markup) in markups {
            zip.start_file(format!("{topic}/markup.bcf"), zip::write::SimpleFileOptions::default()).unwrap();
            zip.write_all(markup.as_bytes()).unwrap();
        }
        zip.finish().unwrap().into_inner()
    };
    let zip = |markup: &str| zip_of(&[("topic", markup)]);
    let write = |name: &str, bytes: Vec<u8>| fs::write(workplace.path(name), bytes).unwrap();
    write("plain.bcf", b"no zip file".to_vec());
    write("xml.bcf", zip("<Markup>"));
    write("large.bcf", zip(&" ".repeat(17 << 20)));
    let wide = format!("<Markup>{}</Markup>", " ".repeat(15 << 20));
    write("markups.bcf", zip_of(&["a", "b", "c"].map(|topic| (topic, wide.as_str()))));
    let good = zip("<Markup/>");
    // The signature of the file's own header, and a byte of its checksum in the directory.
    let mut header = good.clone();
    header[0] = 0;
    write("header.bcf", header);
    let mut checksum = good;
    let directory = checksum.windows(4).position(|bytes| bytes == b"PK\x01\x02").unwrap();
    checksum[directory + 16] ^= 1;
    write("checksum.bcf", checksum);
}

/// Changes a byte, and makes the checksums right.
fn forged(bytes: &mut [u8], at: usize, to: u8) {
    bytes[at] = to;
    let word = |bytes: &[u8], at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize;
    for entry in (192..336).step_by(24) {
        let (offset, length) = (word(bytes, entry), word(bytes, entry + 8));
        if let Some(section) = bytes.get(offset..offset + length) {
            let checksum = xxh3_64(section);
            bytes[entry + 16..entry + 24].copy_from_slice(&checksum.to_le_bytes());
        }
    }
    bytes[24..32].fill(0);
    let checksum = xxh3_64(&bytes[..384]);
    bytes[24..32].copy_from_slice(&checksum.to_le_bytes());
}
