//! BCF 2.1, the BIM Collaboration Format of buildingSMART: a zip file with a folder for each topic, which holds its
//! markup and a viewpoint. Elements stand in the order of the schemas `markup.xsd` and `visinfo.xsd`.

use std::io;

use nalgebra::Vector3;

use crate::commands::clash::assembly::Assembly;
use crate::commands::clash::baseline::clash_id;
use crate::commands::clash::find::Clash;
use crate::date_time;
use crate::zip_writer::ZipWriter;

const AUTHOR: &str = concat!("bvtree ", env!("CARGO_PKG_VERSION"));
const XML: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
/// The colours of the first and the second body, in hexadecimal RGB.
const COLOURS: [&str; 2] = ["E5484D", "3E7BFA"];
/// Segments of contact curves per viewpoint, at most.
const MAX_LINES: usize = 500;

/// The bytes of the BCF file.
pub fn file(assembly: &Assembly, clashes: &[Clash]) -> io::Result<Vec<u8>> {
    let mut zip = ZipWriter::default();
    let mut write = |name: &str, content: &str| zip.add(name, content.as_bytes());
    write(
        "bcf.version",
        &format!("{XML}<Version VersionId=\"2.1\"><DetailedVersion>2.1</DetailedVersion></Version>\n"),
    )?;
    let now = date_time::now();
    for (clash, index) in clashes.iter().zip(0..) {
        let names = clash.parts.map(|part| assembly.parts[part].name.as_str());
        let topic = clash_id(names, "");
        let viewpoint = clash_id(names, "viewpoint");
        write(&format!("{topic}/markup.bcf"), &markup(clash, names, index, [&topic, &viewpoint], &now))?;
        write(&format!("{topic}/viewpoint.bcfv"), &view(assembly, clash, names, &viewpoint))?;
    }
    zip.finish()
}

fn markup(clash: &Clash, names: [&str; 2], index: i32, [topic, viewpoint]: [&str; 2], now: &str) -> String {
    let class = clash.class.name().replace('_', " ");
    let title = escaped(&format!("{}: {} and {}", class, names[0], names[1]));
    let depth = clash.depth.map_or(String::new(), |depth| format!(", {depth} deep"));
    let description = escaped(&format!(
        "{}, distance {}, {} pairs of triangles intersect{depth}; at {} {} {}",
        clash.relation, clash.distance, clash.pairs, clash.place.x, clash.place.y, clash.place.z
    ));
    format!(
        "{XML}<Markup><Topic Guid=\"{topic}\" TopicType=\"Clash\" TopicStatus=\"Open\"><Title>{title}</Title>\
         <Index>{index}</Index><Labels>{}</Labels><CreationDate>{now}</CreationDate>\
         <CreationAuthor>{AUTHOR}</CreationAuthor><Description>{description}</Description></Topic>\
         <Viewpoints Guid=\"{viewpoint}\"><Viewpoint>viewpoint.bcfv</Viewpoint></Viewpoints></Markup>\n",
        escaped(&class)
    )
}

fn view(assembly: &Assembly, clash: &Clash, names: [&str; 2], guid: &str) -> String {
    let components = names.map(component);
    let colours = [0, 1].map(|k| format!("<Color Color=\"{}\">{}</Color>", COLOURS[k], components[k])).concat();
    let sizes = clash.parts.map(|part| assembly.parts[part].tree.bounds().half_extents().norm());
    // The smaller one fills the view.
    let distance = 3.0 * sizes[0].min(sizes[1]).max(0.1 * sizes[0].max(sizes[1]));
    let direction = Vector3::new(-1.0, 1.0, -0.8).normalize();
    let up = direction.cross(&Vector3::z()).cross(&direction).normalize();
    let eye = clash.place - direction * distance;
    let segments = clash.curves.iter().flat_map(|curve| curve.windows(2)).take(MAX_LINES);
    let lines: String = segments
        .map(|ends| {
            format!("<Line>{}{}</Line>", point("StartPoint", &ends[0].coords), point("EndPoint", &ends[1].coords))
        })
        .collect();
    let lines = if lines.is_empty() { lines } else { format!("<Lines>{lines}</Lines>") };
    format!(
        "{XML}<VisualizationInfo Guid=\"{guid}\"><Components><Selection>{}</Selection>\
         <Visibility DefaultVisibility=\"true\"/><Coloring>{colours}</Coloring></Components>\
         <PerspectiveCamera>{}{}{}<FieldOfView>60</FieldOfView></PerspectiveCamera>{lines}</VisualizationInfo>\n",
        components.concat(),
        point("CameraViewPoint", &eye.coords),
        point("CameraDirection", &direction),
        point("CameraUpVector", &up),
    )
}

/// A body as a BCF component, with its name and, where the last part of the name is one, its IFC GUID.
fn component(name: &str) -> String {
    let last = name.rsplit('/').next().unwrap_or(name);
    let is_guid = last.len() == 22 && last.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'$');
    let guid = if is_guid { format!(" IfcGuid=\"{last}\"") } else { String::new() };
    format!(
        "<Component{guid}><OriginatingSystem>{AUTHOR}</OriginatingSystem><AuthoringToolId>{}</AuthoringToolId></Component>",
        escaped(name)
    )
}

fn point(name: &str, point: &Vector3<f64>) -> String {
    format!("<{name}><X>{}</X><Y>{}</Y><Z>{}</Z></{name}>", point.x, point.y, point.z)
}

/// The text with XML's special characters escaped and the characters it forbids replaced (XML 1.0, section 2.2).
pub fn escaped(text: &str) -> String {
    let allowed =
        |c: char| matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    let text: String = text.chars().map(|c| if allowed(c) { c } else { '\u{fffd}' }).collect();
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_do_not_break_out() {
        assert!(component("a<b>&\"\u{1}").contains("a&lt;b&gt;&amp;&quot;\u{fffd}"));
        assert!(component("site/2O2Fr$t4X7Zf8NOew3FLOH").contains("IfcGuid=\"2O2Fr$t4X7Zf8NOew3FLOH\""));
    }
}
