//! A topic: its markup and viewpoints as XML, with elements in the order of the schemas `markup.xsd` and
//! `visinfo.xsd`.

use std::io;

use nalgebra::Vector3;

use super::picture::Canvas;
use super::view::{self, View, Views};
use super::{AUTHOR, BcfOptions, COLOURS, MAX_LINES, MAX_VIEWPOINTS, Version, XML};
use crate::assembly::{Assembly, Part};
use crate::clash::{Clash, Class};
use crate::decision::Status;
use crate::id::clash_id;

/// The greatest number of clashes listed in a topic's description.
const MAX_DESCRIBED: usize = 30;

/// A topic about one or more clashes.
pub struct Topic<'a> {
    pub assembly: &'a Assembly,
    pub identities: &'a [String],
    /// The topic's clashes, at least one, the worst first.
    pub clashes: &'a [&'a Clash],
    /// The title of the clashes' issue.
    pub issue: Option<&'a str>,
    pub index: usize,
    pub options: &'a BcfOptions,
}

impl Topic<'_> {
    /// The id of a clash (with an empty purpose), or of its topic, viewpoint or comment.
    fn clash_id(&self, clash: &Clash, purpose: &str) -> String {
        clash_id(clash.parts.map(|part| self.identities[part].as_str()), purpose)
    }

    /// The topic's GUID.
    fn id(&self) -> String {
        let first = self.clashes.iter().min_by_key(|clash| clash.parts);
        first.map_or(String::new(), |first| self.clash_id(first, if self.clashes.len() == 1 { "" } else { "issue" }))
    }

    /// The topic's files with their names in the zip file.
    pub fn files(&self, views: &Views<'_>, canvas: &mut Canvas) -> io::Result<Vec<(String, Vec<u8>)>> {
        let folder = self.id();
        let mut files = vec![(format!("{folder}/markup.bcf"), self.markup().into_bytes())];
        for (number, clash) in self.clashes.iter().take(MAX_VIEWPOINTS).enumerate() {
            let (view, [view_file, picture_file]) = (views.of(clash), self.file_names(number));
            files.push((format!("{folder}/{view_file}"), self.viewpoint(clash, views, &view).into_bytes()));
            files.push((format!("{folder}/{picture_file}"), canvas.png(views, &view, clash)?));
        }
        Ok(files)
    }

    /// The GUID of a clash's viewpoint. In a topic of several clashes, the GUID is the clash's id; in a topic of one
    /// clash, the topic itself has that id.
    fn viewpoint_id(&self, clash: &Clash) -> String {
        self.clash_id(clash, if self.clashes.len() == 1 { "viewpoint" } else { "" })
    }

    /// The file names of a topic's viewpoint and of its picture; viewpoints are numbered from 0.
    fn file_names(&self, number: usize) -> [String; 2] {
        let number = if number == 0 { String::new() } else { format!("-{}", number + 1) };
        [format!("viewpoint{number}.bcfv"), format!("snapshot{number}.png")]
    }

    fn parts(&self, clash: &Clash) -> [&Part; 2] {
        clash.parts.map(|part| &self.assembly.parts[part])
    }

    fn class(clash: &Clash) -> String {
        clash.class.name().replace('_', " ")
    }

    /// The class of a clash and the titles of its two bodies.
    fn names(&self, clash: &Clash) -> String {
        let names = self.parts(clash).map(Part::title);
        format!("{}: {} and {}", Self::class(clash), names[0], names[1])
    }

    /// The content of the file `markup.bcf`.
    fn markup(&self) -> String {
        let Self { clashes, index, .. } = self;
        let now = &self.options.date;
        let first = clashes[0];
        let title = match (self.issue, clashes.len()) {
            (Some(title), count @ 2..) => format!("{title} ({count} clashes)"),
            _ => self.names(first),
        };
        let mut labels: Vec<String> = clashes.iter().map(|clash| Self::class(clash)).collect();
        labels.sort_unstable();
        labels.dedup();
        labels.extend(self.issue.map(str::to_owned));
        let labels: String = labels
            .iter()
            .map(|label| escaped(label))
            .map(|label| self.pick(&labelled("Labels", &label), &labelled("Label", &label)))
            .collect();
        let labels = self.pick(&labels, &labelled("Labels", &labels));
        let decision = first.decision.as_ref();
        let status = word(decision.map_or(Status::Open, |decision| decision.status));
        let comment = decision.filter(|decision| !decision.reason.is_empty()).map_or(String::new(), |decision| {
            let author = if decision.author.is_empty() { AUTHOR } else { &decision.author };
            format!(
                "<Comment Guid=\"{}\"><Date>{now}</Date><Author>{}</Author><Comment>{}</Comment></Comment>",
                self.clash_id(first, "comment"),
                escaped(author),
                escaped(&decision.reason)
            )
        });
        let element = self.pick("Viewpoints", "ViewPoint");
        let viewpoints: String = clashes
            .iter()
            .take(MAX_VIEWPOINTS)
            .enumerate()
            .map(|(number, clash)| {
                let [view, picture] = self.file_names(number);
                format!(
                    "<{element} Guid=\"{}\"><Viewpoint>{view}</Viewpoint><Snapshot>{picture}</Snapshot></{element}>",
                    self.viewpoint_id(clash)
                )
            })
            .collect();
        let (inside, after) = match self.options.version {
            Version::V2 => (String::new(), format!("{comment}{viewpoints}")),
            Version::V3 => {
                let comments = if comment.is_empty() { comment } else { labelled("Comments", &comment) };
                (format!("{comments}{}", labelled("Viewpoints", &viewpoints)), String::new())
            }
        };
        let priority = clashes.iter().map(|clash| priority(clash.class)).max().unwrap_or(Priority::Low);
        format!(
            "{XML}<Markup>{}<Topic Guid=\"{}\" TopicType=\"Clash\" TopicStatus=\"{status}\"><Title>{}</Title>\
             <Priority>{priority:?}</Priority><Index>{index}</Index>{labels}<CreationDate>{now}</CreationDate>\
             <CreationAuthor>{AUTHOR}</CreationAuthor><Description>{}</Description>{inside}</Topic>{after}</Markup>\n",
            self.header(),
            self.id(),
            escaped(&title),
            escaped(&self.description()),
        )
    }

    /// `v2` for BCF 2.1, `v3` for BCF 3.0.
    fn pick(&self, v2: &str, v3: &str) -> String {
        if self.options.version == Version::V2 { v2.to_owned() } else { v3.to_owned() }
    }

    /// The element `Header`, which lists the files that the bodies' property `file` names; empty if there are none.
    fn header(&self) -> String {
        let parts = self.clashes.iter().flat_map(|clash| self.parts(clash));
        let mut files: Vec<&str> = parts.filter_map(|part| part.property("file")).collect();
        files.sort_unstable();
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
        let [clash] = self.clashes else {
            let line = |clash: &&Clash| format!("{}: {}", self.names(clash), self.details(clash));
            let mut lines: Vec<String> = self.clashes.iter().take(MAX_DESCRIBED).map(line).collect();
            if self.clashes.len() > MAX_DESCRIBED {
                lines.push(format!("and {} more", self.clashes.len() - MAX_DESCRIBED));
            }
            return lines.join("\n");
        };
        self.details(clash)
    }

    fn details(&self, clash: &Clash) -> String {
        let mut text = clash.relation.to_string();
        if clash.distance > 0.0 {
            text += &format!(", {} apart", self.millimetres(clash.distance));
        }
        if clash.pairs > 0 {
            text += &format!(", {} pairs of triangles intersect", clash.pairs);
        }
        if let Some(depth) = clash.depth {
            text += &format!(", {} deep", self.millimetres(depth));
        }
        if let Some(moved) = clash.moved {
            text += &format!(", the same part moved {}", self.millimetres(moved));
        }
        text += &format!("; at {:.3} {:.3} {:.3}", clash.place.x, clash.place.y, clash.place.z);
        if let Some(location) = self.assembly.location(clash.parts, &clash.place) {
            text += &format!(" ({location})");
        }
        if let Some(rule) = self.assembly.rule_name(clash.rule) {
            text += &format!("; rule: {rule}");
        }
        text
    }

    fn millimetres(&self, length: f64) -> String {
        let metres = length * self.options.metres;
        if metres < 1e-4 { "less than 0.1 mm".to_owned() } else { format!("{:.1} mm", 1e3 * metres) }
    }

    /// The content of a viewpoint's file.
    fn viewpoint(&self, clash: &Clash, views: &Views<'_>, view: &View) -> String {
        let parts = self.parts(clash);
        let components = parts.map(component);
        let colours = [0, 1].map(|k| {
            let wrapped = labelled("Components", &components[k]);
            let [r, g, b] = COLOURS[k];
            format!("<Color Color=\"{r:02X}{g:02X}{b:02X}\">{}</Color>", self.pick(&components[k], &wrapped))
        });
        let View { eye, direction, is_free } = view;
        // All other bodies are hidden if one is in the way, provided that GlobalIds tell viewers which two to show.
        let visibility = if *is_free || parts.iter().any(|part| part.global_id().is_none()) {
            "<Visibility DefaultVisibility=\"true\"/>".to_owned()
        } else {
            let exceptions = labelled("Exceptions", &components.concat());
            format!("<Visibility DefaultVisibility=\"false\">{exceptions}</Visibility>")
        };
        let place = |name: &str, place: &Vector3<f64>| point(name, &(place * self.options.metres));
        let segments = clash.curves.iter().flat_map(|curve| curve.windows(2)).take(MAX_LINES);
        let lines: String = segments
            .map(|ends| {
                let [start, end] = [0, 1].map(|k| views.with_z_up(&ends[k].coords));
                labelled("Line", &(place("StartPoint", &start) + &place("EndPoint", &end)))
            })
            .collect();
        let lines = if lines.is_empty() { lines } else { labelled("Lines", &lines) };
        format!(
            "{XML}<VisualizationInfo Guid=\"{}\"><Components><Selection>{}</Selection>{visibility}\
             <Coloring>{}</Coloring></Components><PerspectiveCamera>{}{}{}<FieldOfView>{}</FieldOfView>{}\
             </PerspectiveCamera>{lines}</VisualizationInfo>\n",
            self.viewpoint_id(clash),
            components.concat(),
            colours.concat(),
            place("CameraViewPoint", eye),
            point("CameraDirection", direction),
            point("CameraUpVector", &view.up()),
            view::FIELD_OF_VIEW,
            self.pick("", &format!("<AspectRatio>{}</AspectRatio>", view::ASPECT_RATIO)),
        )
    }
}

/// The content of `extensions.xml`, which BCF 3.0 requires: the types, statuses and priorities that topics use.
pub fn extensions() -> String {
    let list = |of: &str, one: &str, words: &[&str]| {
        let words: String = words.iter().map(|word| format!("<{one}>{word}</{one}>")).collect();
        format!("<{of}>{words}</{of}>")
    };
    let statuses = Status::ALL.map(word);
    format!(
        "{XML}<Extensions>{}{}{}</Extensions>\n",
        list("TopicTypes", "TopicType", &["Clash"]),
        list("TopicStatuses", "TopicStatus", &statuses),
        list("Priorities", "Priority", &["High", "Normal", "Low"])
    )
}

/// The word for a status in topics and in `extensions.xml`. BCF leaves these words to each project.
fn word(status: Status) -> &'static str {
    match status {
        Status::Open => "Open",
        Status::Reopened => "ReOpened",
        Status::Approved => "Approved",
        Status::Resolved => "Resolved",
        Status::Ignored => "Ignored",
    }
}

/// The priority of a topic, in ascending order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Priority {
    Low,
    Normal,
    High,
}

fn priority(class: Class) -> Priority {
    match class {
        Class::Duplicate | Class::Moved | Class::Enveloped | Class::Piercing => Priority::High,
        Class::Protruding => Priority::Normal,
        Class::Touching | Class::TooNear | Class::Undefined => Priority::Low,
    }
}

/// An XML element with the given content.
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

/// The text with XML's special characters escaped and each character that XML forbids replaced by U+FFFD (XML 1.0,
/// section 2.2).
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
