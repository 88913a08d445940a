//! BCF, the BIM Collaboration Format of buildingSMART, versions 2.1 and 3.0: a zip file with a folder for each topic,
//! which holds its markup, and a viewpoint and a picture of each clash.

mod picture;
mod read;
mod topic;
mod view;

use std::io::{self, Cursor, Write};

use rayon::prelude::*;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::assembly::Assembly;
use crate::clash::Clash;
use crate::issue::Issue;
use picture::Canvas;
pub use read::{decisions, read};
pub use topic::escaped;
use topic::{Topic, extensions};
use view::Views;

const AUTHOR: &str = concat!("bvtree ", env!("CARGO_PKG_VERSION"));
const XML: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
/// The colours of the first and the second body.
const COLOURS: [[u8; 3]; 2] = [[0xe5, 0x48, 0x4d], [0x3e, 0x7b, 0xfa]];
/// The maximum number of contact curve segments per viewpoint.
const MAX_LINES: usize = 500;
/// The maximum number of viewpoints per topic: those of its worst clashes.
const MAX_VIEWPOINTS: usize = 100;
/// The number of topics that are computed together, on all cores, before they are written.
const CHUNK: usize = 128;

/// A version of BCF.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Version {
    /// 2.1, which most programs read.
    #[default]
    V2,
    /// 3.0.
    V3,
}

/// How a BCF file is written.
#[derive(Clone, Debug)]
pub struct BcfOptions {
    /// The version of the format.
    pub version: Version,
    /// Whether the bodies' y axis points up instead of z. Points and directions in BCF have z up, as in IFC.
    pub is_y_up: bool,
    /// The length of the bodies' unit in metres. BCF's unit is the metre.
    pub metres: f64,
    /// Whether those clashes of an issue that have the same decision share a topic, with a viewpoint for each (the
    /// worst 100); otherwise each clash has a topic of its own.
    pub by_issue: bool,
    /// The date and time of the topics, in ISO 8601: `2026-11-27T12:00:00Z`.
    pub date: String,
}

/// The bytes of a BCF file about clashes, which are given in the order of their bodies' indices; `issues` are the
/// issues that [`Clash::issue`] refers to.
///
/// A topic of one clash has the clash's id. A topic of several clashes has an id computed from the bodies of its first
/// clash, and its viewpoints have the clashes' ids, so that a decision about the topic applies to each clash shown
/// ([`decisions`]).
///
/// # Errors
/// If the scene of the bodies, a picture or the zip file cannot be created.
pub fn file(assembly: &Assembly, clashes: &[Clash], issues: &[Issue], options: &BcfOptions) -> io::Result<Vec<u8>> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    // All entries have the first date of the format, so that two runs write the same bytes except in dates of creation.
    let entry = SimpleFileOptions::default();
    let mut write = |name: &str, content: &[u8]| -> io::Result<()> {
        // Pictures are compressed already.
        let is_picture = name.ends_with(".png");
        let method = if is_picture { CompressionMethod::Stored } else { CompressionMethod::Deflated };
        zip.start_file(name, entry.compression_method(method))?;
        zip.write_all(content)
    };
    match options.version {
        Version::V2 => {
            let detailed = "<DetailedVersion>2.1</DetailedVersion>";
            write("bcf.version", format!("{XML}<Version VersionId=\"2.1\">{detailed}</Version>\n").as_bytes())?;
        }
        Version::V3 => {
            write("bcf.version", format!("{XML}<Version VersionId=\"3.0\"/>\n").as_bytes())?;
            write("extensions.xml", extensions().as_bytes())?;
        }
    }
    let identities = assembly.identities();
    let views = Views::new(assembly, options.is_y_up)?;
    let groups = groups(clashes, options.by_issue);
    let made = |(start, chunk): (usize, &[Vec<&Clash>])| -> io::Result<Vec<(String, Vec<u8>)>> {
        let topics = chunk.par_iter().enumerate().map_init(Canvas::new, |canvas, (index, clashes)| {
            let (index, issue) = (start + index, issues.get(clashes[0].issue).map(|issue| issue.title.as_str()));
            Topic { assembly, identities: &identities, clashes, issue, index, options }.files(&views, canvas)
        });
        Ok(topics.collect::<io::Result<Vec<_>>>()?.into_iter().flatten().collect())
    };
    // Each chunk is written while the next is computed.
    let mut files = Vec::new();
    for chunk in (0..).step_by(CHUNK).zip(groups.chunks(CHUNK)) {
        let (written, next) = rayon::join(
            || files.iter().try_for_each(|(name, content): &(String, Vec<u8>)| write(name, content)),
            || made(chunk),
        );
        written?;
        files = next?;
    }
    files.iter().try_for_each(|(name, content)| write(name, content))?;
    Ok(zip.finish()?.into_inner())
}

/// The clashes of each topic, the worst first.
fn groups(clashes: &[Clash], by_issue: bool) -> Vec<Vec<&Clash>> {
    let mut sorted: Vec<&Clash> = clashes.iter().collect();
    if !by_issue {
        return sorted.into_iter().map(|clash| vec![clash]).collect();
    }
    let decision =
        |clash: &Clash| clash.decision.as_ref().map(|d| (d.status.name(), d.author.clone(), d.reason.clone()));
    sorted.sort_by_cached_key(|clash| (clash.issue, decision(clash)));
    let same = |a: &&Clash, b: &&Clash| a.issue == b.issue && a.decision == b.decision;
    let mut groups: Vec<Vec<&Clash>> = sorted.chunk_by(same).map(<[&Clash]>::to_vec).collect();
    for group in &mut groups {
        Clash::sort_worst_first(group);
    }
    groups
}
