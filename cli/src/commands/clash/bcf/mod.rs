//! BCF, the BIM Collaboration Format of buildingSMART, versions 2.1 and 3.0: a zip file with a folder for each topic,
//! which holds its markup, a viewpoint and a picture. Elements stand in the order of the schemas `markup.xsd` and
//! `visinfo.xsd`.

mod picture;
mod read;
mod view;

use std::io::{self, Cursor, Write};

use clap::ValueEnum;
use nalgebra::Vector3;
use rayon::prelude::*;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::args::Up;
use crate::commands::clash::assembly::{Assembly, Part};
use crate::commands::clash::baseline::clash_id;
use crate::commands::clash::find::{Clash, Class};
use crate::commands::clash::issue;
use crate::commands::clash::status::Status;
use crate::date_time;
#[cfg(any(test, feature = "fuzz"))]
pub use read::decision;
pub use read::read;
use view::{View, Views};

const AUTHOR: &str = concat!("bvtree ", env!("CARGO_PKG_VERSION"));
const XML: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
/// The colours of the first and the second body.
const COLOURS: [[u8; 3]; 2] = [[0xe5, 0x48, 0x4d], [0x3e, 0x7b, 0xfa]];
/// Segments of contact curves per viewpoint, at most.
const MAX_LINES: usize = 500;
/// Topics that are made at a time, on all cores.
const CHUNK: usize = 64;

/// A version of BCF.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Version {
    #[value(name = "2.1")]
    V2,
    #[value(name = "3.0")]
    V3,
}

/// The bytes of the BCF file. Its points and directions have z up, as IFC's have; those of bodies with y up are turned.
pub fn file(assembly: &Assembly, clashes: &[Clash], up: Up, version: Version) -> io::Result<Vec<u8>> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    // All entries have the first date of the format, so that two runs write the same bytes except in dates of creation.
    let options = SimpleFileOptions::default();
    let mut write = |name: &str, content: &[u8]| -> io::Result<()> {
        // Pictures are compressed already.
        let is_picture = name.ends_with(".png");
        let method = if is_picture { CompressionMethod::Stored } else { CompressionMethod::Deflated };
        zip.start_file(name, options.compression_method(method))?;
        zip.write_all(content)
    };
    match version {
        Version::V2 => {
            let detailed = "<DetailedVersion>2.1</DetailedVersion>";
            write("bcf.version", format!("{XML}<Version VersionId=\"2.1\">{detailed}</Version>\n").as_bytes())?;
        }
        Version::V3 => {
            write("bcf.version", format!("{XML}<Version VersionId=\"3.0\"/>\n").as_bytes())?;
            write("extensions.xml", extensions().as_bytes())?;
        }
    }
    let now = date_time::now();
    let identities = assembly.identities();
    let views = Views::new(assembly, up)?;
    for (chunk, start) in clashes.chunks(CHUNK).zip((0..).step_by(CHUNK)) {
        let topics = chunk.par_iter().enumerate().map(|(index, clash)| {
            let index = start + index;
            let id = |purpose: &str| clash_id(clash.parts.map(|part| identities[part]), purpose);
            let topic = Topic { assembly, clash, index, version, now: &now, id: &id };
            let view = views.of(clash);
            let picture = picture::png(&views, &view, clash)?;
            Ok((id(""), topic.markup(), topic.view(&views, &view), picture))
        });
        for topic in topics.collect::<Vec<io::Result<_>>>() {
            let (id, markup, view, picture) = topic?;
            write(&format!("{id}/markup.bcf"), markup.as_bytes())?;
            write(&format!("{id}/viewpoint.bcfv"), view.as_bytes())?;
            write(&format!("{id}/snapshot.png"), &picture)?;
        }
    }
    Ok(zip.finish()?.into_inner())
}

/// The file of the types, statuses and priorities that topics use, which BCF 3.0 requires.
fn extensions() -> String {
    let list = |of: &str, one: &str, words: &[&str]| {
        let words: String = words.iter().map(|word| format!("<{one}>{word}</{one}>")).collect();
        format!("<{of}>{words}</{of}>")
    };
    let statuses = [Status::Open, Status::Reopened, Status::Approved, Status::Resolved].map(word);
    format!(
        "{XML}<Extensions>{}{}{}</Extensions>\n",
        list("TopicTypes", "TopicType", &["Clash"]),
        list("TopicStatuses", "TopicStatus", &statuses),
        list("Priorities", "Priority", &["High", "Normal", "Low"])
    )
}

/// The word that BCF viewers use for a status.
fn word(status: Status) -> &'static str {
    match status {
        Status::Open => "Open",
        Status::Reopened => "ReOpened",
        Status::Approved => "Approved",
        Status::Resolved => "Resolved",
        Status::Ignored => "Ignored",
    }
}

fn priority(class: Class) -> &'static str {
    match class {
        Class::Duplicate | Class::Enveloped | Class::Piercing => "High",
        Class::Protruding => "Normal",
        Class::Touching | Class::TooNear | Class::Undefined => "Low",
    }
}

/// A clash as a topic.
struct Topic<'a> {
    assembly: &'a Assembly,
    clash: &'a Clash,
    index: usize,
    version: Version,
    now: &'a str,
    /// The GUID of the topic, or of a part of it.
    id: &'a dyn Fn(&str) -> String,
}

impl Topic<'_> {
    fn parts(&self) -> [&Part; 2] {
        self.clash.parts.map(|part| &self.assembly.parts[part])
    }

    fn markup(&self) -> String {
        let Self { clash, index, now, .. } = self;
        let names = self.parts().map(Part::title);
        let class = clash.class.name().replace('_', " ");
        let title = escaped(&format!("{class}: {} and {}", names[0], names[1]));
        let labels = [escaped(&class), escaped(&issue::title(self.assembly, clash))];
        let labels: String =
            labels.iter().map(|label| self.pick(&labelled("Labels", label), &labelled("Label", label))).collect();
        let labels = self.pick(&labels, &labelled("Labels", &labels));
        let decision = clash.decision.as_ref();
        let status = word(decision.map_or(Status::Open, |decision| decision.status));
        let comment = decision.filter(|decision| !decision.reason.is_empty()).map_or(String::new(), |decision| {
            let author = if decision.author.is_empty() { AUTHOR } else { &decision.author };
            format!(
                "<Comment Guid=\"{}\"><Date>{now}</Date><Author>{}</Author><Comment>{}</Comment></Comment>",
                (self.id)("comment"),
                escaped(author),
                escaped(&decision.reason)
            )
        });
        let viewpoint = format!(
            "Guid=\"{}\"><Viewpoint>viewpoint.bcfv</Viewpoint><Snapshot>snapshot.png</Snapshot>",
            (self.id)("viewpoint")
        );
        let (inside, after) = match self.version {
            Version::V2 => (String::new(), format!("{comment}<Viewpoints {viewpoint}</Viewpoints>")),
            Version::V3 => {
                let comments = if comment.is_empty() { comment } else { labelled("Comments", &comment) };
                (format!("{comments}<Viewpoints><ViewPoint {viewpoint}</ViewPoint></Viewpoints>"), String::new())
            }
        };
        format!(
            "{XML}<Markup>{}<Topic Guid=\"{}\" TopicType=\"Clash\" TopicStatus=\"{status}\"><Title>{title}</Title>\
             <Priority>{}</Priority><Index>{index}</Index>{labels}<CreationDate>{now}</CreationDate>\
             <CreationAuthor>{AUTHOR}</CreationAuthor><Description>{}</Description>{inside}</Topic>{after}</Markup>\n",
            self.header(),
            (self.id)(""),
            priority(clash.class),
            escaped(&self.description()),
        )
    }

    /// One text of version 2.1, another of 3.0.
    fn pick(&self, v2: &str, v3: &str) -> String {
        if self.version == Version::V2 { v2.to_owned() } else { v3.to_owned() }
    }

    /// The files of the two bodies, where their property `file` names them.
    fn header(&self) -> String {
        let mut files: Vec<&str> = self.parts().iter().filter_map(|part| part.property("file")).collect();
        files.dedup();
        if files.is_empty() {
            return String::new();
        }
        let external = self.pick("isExternal", "IsExternal");
        let file = |file: &&str| format!("<File {external}=\"true\"><Filename>{}</Filename></File>", escaped(file));
        let files: String = files.iter().map(file).collect();
        labelled("Header", &self.pick(&files, &labelled("Files", &files)))
    }

    fn description(&self) -> String {
        let clash = self.clash;
        let mut text = clash.relation.to_string();
        if clash.distance > 0.0 {
            text += &format!(", {} apart", millimetres(clash.distance));
        }
        if clash.pairs > 0 {
            text += &format!(", {} pairs of triangles intersect", clash.pairs);
        }
        if let Some(depth) = clash.depth {
            text += &format!(", {} deep", millimetres(depth));
        }
        text += &format!("; at {:.3} {:.3} {:.3}", clash.place.x, clash.place.y, clash.place.z);
        if let Some(rule) = self.assembly.rule_name(clash.rule) {
            text += &format!("; rule: {rule}");
        }
        text
    }

    fn view(&self, views: &Views<'_>, view: &View) -> String {
        let clash = self.clash;
        let parts = self.parts();
        let components = parts.map(component);
        let colours = [0, 1].map(|k| {
            let wrapped = labelled("Components", &components[k]);
            let [r, g, b] = COLOURS[k];
            format!("<Color Color=\"{r:02X}{g:02X}{b:02X}\">{}</Color>", self.pick(&components[k], &wrapped))
        });
        let View { eye, direction, is_free } = view;
        // What stands in the way is hidden, if viewers can tell by GlobalIds what is to be seen.
        let visibility = if *is_free || parts.iter().any(|part| part.global_id().is_none()) {
            "<Visibility DefaultVisibility=\"true\"/>".to_owned()
        } else {
            let exceptions = labelled("Exceptions", &components.concat());
            format!("<Visibility DefaultVisibility=\"false\">{exceptions}</Visibility>")
        };
        let segments = clash.curves.iter().flat_map(|curve| curve.windows(2)).take(MAX_LINES);
        let lines: String = segments
            .map(|ends| {
                let [start, end] = [0, 1].map(|k| views.with_z_up(&ends[k].coords));
                labelled("Line", &(point("StartPoint", &start) + &point("EndPoint", &end)))
            })
            .collect();
        let lines = if lines.is_empty() { lines } else { labelled("Lines", &lines) };
        format!(
            "{XML}<VisualizationInfo Guid=\"{}\"><Components><Selection>{}</Selection>{visibility}\
             <Coloring>{}</Coloring></Components><PerspectiveCamera>{}{}{}<FieldOfView>{}</FieldOfView>{}\
             </PerspectiveCamera>{lines}</VisualizationInfo>\n",
            (self.id)("viewpoint"),
            components.concat(),
            colours.concat(),
            point("CameraViewPoint", eye),
            point("CameraDirection", direction),
            point("CameraUpVector", &view.up()),
            view::FIELD_OF_VIEW,
            self.pick("", &format!("<AspectRatio>{}</AspectRatio>", view::ASPECT_RATIO)),
        )
    }
}

fn millimetres(metres: f64) -> String {
    if metres < 1e-4 { "less than 0.1 mm".to_owned() } else { format!("{:.1} mm", 1e3 * metres) }
}

/// An element with a content.
fn labelled(name: &str, content: &str) -> String {
    format!("<{name}>{content}</{name}>")
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
