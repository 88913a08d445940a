//! BCF 2.1, the BIM Collaboration Format of buildingSMART: a zip file with a folder for each topic, which holds its
//! markup and a viewpoint. Elements stand in the order of the schemas `markup.xsd` and `visinfo.xsd`.

use std::io;

use nalgebra::{Point3, Vector3};

use crate::args::Up;
use crate::commands::clash::assembly::{Assembly, Part};
use crate::commands::clash::baseline::clash_id;
use crate::commands::clash::find::Clash;
use crate::commands::clash::issue;
use crate::date_time;
use crate::zip_writer::ZipWriter;

const AUTHOR: &str = concat!("bvtree ", env!("CARGO_PKG_VERSION"));
const XML: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
/// The colours of the first and the second body, in hexadecimal RGB.
const COLOURS: [&str; 2] = ["E5484D", "3E7BFA"];
/// Segments of contact curves per viewpoint, at most.
const MAX_LINES: usize = 500;

/// The bytes of the BCF file. Its points and directions have z up, as IFC's have; those of bodies with y up are turned.
pub fn file(assembly: &Assembly, clashes: &[Clash], up: Up) -> io::Result<Vec<u8>> {
    let mut zip = ZipWriter::default();
    let mut write = |name: &str, content: &str| zip.add(name, content.as_bytes());
    write(
        "bcf.version",
        &format!("{XML}<Version VersionId=\"2.1\"><DetailedVersion>2.1</DetailedVersion></Version>\n"),
    )?;
    let now = date_time::now();
    let identities = assembly.identities();
    for (clash, index) in clashes.iter().zip(0..) {
        let parts = clash.parts.map(|part| &assembly.parts[part]);
        let [topic, viewpoint] =
            ["", "viewpoint"].map(|purpose| clash_id(clash.parts.map(|part| identities[part]), purpose));
        write(&format!("{topic}/markup.bcf"), &markup(assembly, clash, index, [&topic, &viewpoint], &now))?;
        write(&format!("{topic}/viewpoint.bcfv"), &view(clash, parts, &viewpoint, up))?;
    }
    zip.finish()
}

fn markup(assembly: &Assembly, clash: &Clash, index: i32, [topic, viewpoint]: [&str; 2], now: &str) -> String {
    let names = clash.parts.map(|part| assembly.parts[part].title());
    let class = clash.class.name().replace('_', " ");
    let rule = assembly.rule_name(clash.rule).map_or(String::new(), |rule| format!("; rule: {rule}"));
    let title = escaped(&format!("{}: {} and {}", class, names[0], names[1]));
    let depth = clash.depth.map_or(String::new(), |depth| format!(", {depth} deep"));
    let description = escaped(&format!(
        "{}, distance {}, {} pairs of triangles intersect{depth}; at {} {} {}{rule}",
        clash.relation, clash.distance, clash.pairs, clash.place.x, clash.place.y, clash.place.z
    ));
    format!(
        "{XML}<Markup><Topic Guid=\"{topic}\" TopicType=\"Clash\" TopicStatus=\"Open\"><Title>{title}</Title>\
         <Index>{index}</Index><Labels>{}</Labels><Labels>{}</Labels><CreationDate>{now}</CreationDate>\
         <CreationAuthor>{AUTHOR}</CreationAuthor><Description>{description}</Description></Topic>\
         <Viewpoints Guid=\"{viewpoint}\"><Viewpoint>viewpoint.bcfv</Viewpoint></Viewpoints></Markup>\n",
        escaped(&class),
        escaped(&issue::title(assembly, clash))
    )
}

fn view(clash: &Clash, parts: [&Part; 2], guid: &str, up: Up) -> String {
    let components = parts.map(component);
    let colours = [0, 1].map(|k| format!("<Color Color=\"{}\">{}</Color>", COLOURS[k], components[k])).concat();
    let sizes = parts.map(|part| part.tree.bounds().half_extents().norm());
    // The smaller one fills the view.
    let distance = 3.0 * sizes[0].min(sizes[1]).max(0.1 * sizes[0].max(sizes[1]));
    let direction = Vector3::new(-1.0, 1.0, -0.8).normalize();
    let camera_up = direction.cross(&Vector3::z()).cross(&direction).normalize();
    let with_z_up = |point: &Point3<f64>| match up {
        Up::Z => point.coords,
        Up::Y => Vector3::new(point.x, -point.z, point.y),
    };
    let eye = with_z_up(&clash.place) - direction * distance;
    let segments = clash.curves.iter().flat_map(|curve| curve.windows(2)).take(MAX_LINES);
    let lines: String = segments
        .map(|ends| {
            format!(
                "<Line>{}{}</Line>",
                point("StartPoint", &with_z_up(&ends[0])),
                point("EndPoint", &with_z_up(&ends[1]))
            )
        })
        .collect();
    let lines = if lines.is_empty() { lines } else { format!("<Lines>{lines}</Lines>") };
    format!(
        "{XML}<VisualizationInfo Guid=\"{guid}\"><Components><Selection>{}</Selection>\
         <Visibility DefaultVisibility=\"true\"/><Coloring>{colours}</Coloring></Components>\
         <PerspectiveCamera>{}{}{}<FieldOfView>60</FieldOfView></PerspectiveCamera>{lines}</VisualizationInfo>\n",
        components.concat(),
        point("CameraViewPoint", &eye),
        point("CameraDirection", &direction),
        point("CameraUpVector", &camera_up),
    )
}

/// A body as a BCF component, with its name and its IFC GUID if it has one.
fn component(part: &Part) -> String {
    let guid = part.global_id().map_or(String::new(), |id| format!(" IfcGuid=\"{id}\""));
    format!(
        "<Component{guid}><OriginatingSystem>{AUTHOR}</OriginatingSystem>\
            <AuthoringToolId>{}</AuthoringToolId></Component>",
        escaped(&part.name)
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
        assert_eq!(escaped("a<b>&\"\u{1}"), "a&lt;b&gt;&amp;&quot;\u{fffd}");
    }
}
