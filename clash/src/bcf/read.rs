//! Reads a team's decisions from BCF files, versions 2.0 to 3.0. A BCF file is a zip file with a folder for each topic,
//! which holds the topic's markup.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use roxmltree::{Document, Node, ParsingOptions};
use toml::value::{Datetime, Offset};
use zip::ZipArchive;

use crate::decision::{Decision, Status};
use crate::error::ClashError;

/// The size in bytes from which on a markup is refused.
const MAX_MARKUP: u64 = 1 << 24;
/// The sizes in bytes from which on all markups together are refused: this, and this many times the file's size.
const MAX_MARKUPS: u64 = 1 << 25;
const MAX_RATIO: u64 = 100;
/// The largest number of XML nodes of a markup.
const MAX_NODES: u32 = 1 << 20;

/// The decisions of a BCF file, as pairs of a GUID in lower case and a decision; see [`decisions`].
///
/// # Errors
/// If the file cannot be read, is not a BCF file, or has a markup that is faulty or too large.
pub fn read(path: &Path) -> Result<Vec<(String, Decision)>, ClashError> {
    let wrong = |what: String| ClashError::new(format!("{}: {what}", path.display()));
    let file =
        File::open(path).map_err(|error| ClashError::caused(&format!("cannot read {}", path.display()), &error))?;
    let length = file.metadata().map_or(0, |metadata| metadata.len());
    let mut rest = MAX_MARKUPS.saturating_add(length.saturating_mul(MAX_RATIO));
    let mut zip = ZipArchive::new(BufReader::new(file)).map_err(|error| wrong(format!("not a BCF file: {error}")))?;
    let mut decisions = Vec::new();
    for index in 0..zip.len() {
        let mut entry = zip.by_index(index).map_err(|error| wrong(format!("file {index} in it: {error}")))?;
        let Ok(name) = entry.name().map(|name| name.into_owned()) else { continue };
        if !name.to_ascii_lowercase().ends_with("/markup.bcf") {
            continue;
        }
        let mut text = String::new();
        let read = entry.by_ref().take(MAX_MARKUP).read_to_string(&mut text);
        let size = read.map_err(|error| wrong(format!("{name} in it: {error}")))?;
        if size as u64 == MAX_MARKUP {
            return Err(wrong(format!("{name} in it is larger than {} MB", MAX_MARKUP >> 20)));
        }
        rest = rest.checked_sub(size as u64).ok_or_else(|| wrong("its markups are too large together".to_owned()))?;
        decisions.extend(self::decisions(&text).map_err(|what| wrong(format!("{name} in it: {what}")))?);
    }
    Ok(decisions)
}

/// The decision that a markup records about its topic, paired with the GUID of the topic and with that of each of its
/// viewpoints, in lower case. In files that bvtree wrote, these include the ids of the clashes that the topic shows
/// ([`clash_id`](crate::clash_id)). The decision's reason is the latest comment. Empty if there is no topic with a
/// GUID.
///
/// # Errors
/// If the text is not well-formed XML, or has more than 1,048,576 nodes; the error says why.
pub fn decisions(text: &str) -> Result<Vec<(String, Decision)>, String> {
    let options = ParsingOptions { nodes_limit: MAX_NODES, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text.trim_start_matches('\u{feff}'), options);
    let document = document.map_err(|error| error.to_string())?;
    let named = |name: &'static str| document.descendants().filter(move |node| node.has_tag_name(name));
    let Some(topic) = document.descendants().find(|node| node.tag_name().name() == "Topic") else {
        return Ok(Vec::new());
    };
    let Some(id) = topic.attribute("Guid") else { return Ok(Vec::new()) };
    // A comment's text is a child element that is also named `Comment`, but has no GUID. In version 3.0 comments are
    // inside the topic.
    let comments = named("Comment").filter(|node| node.attribute("Guid").is_some());
    let last = comments.max_by_key(|comment| {
        let date = text_of(*comment, "ModifiedDate").or_else(|| text_of(*comment, "Date"));
        (date.and_then(instant), date)
    });
    let author = last.and_then(|comment| text_of(comment, "ModifiedAuthor").or_else(|| text_of(comment, "Author")));
    let author = author.or_else(|| text_of(topic, "ModifiedAuthor")).or_else(|| text_of(topic, "CreationAuthor"));
    let decision = Decision {
        status: status(topic.attribute("TopicStatus").unwrap_or_default()),
        author: author.unwrap_or_default().into(),
        reason: last.and_then(|comment| text_of(comment, "Comment")).unwrap_or_default().into(),
    };
    // Version 2.1 names the elements in the plural.
    let viewpoints = named("Viewpoints").chain(named("ViewPoint")).filter_map(|node| node.attribute("Guid"));
    let ids = std::iter::once(id).chain(viewpoints).map(str::to_ascii_lowercase);
    Ok(ids.map(|id| (id, decision.clone())).collect())
}

fn text_of<'a>(node: Node<'a, '_>, name: &str) -> Option<&'a str> {
    node.children().find(|child| child.has_tag_name(name))?.text().map(str::trim)
}

/// The seconds and nanoseconds since 1970 of a date and time with an offset from UTC; a date and time without one is
/// taken for UTC, and a date alone for its midnight. `None` for other texts.
fn instant(text: &str) -> Option<(i64, u32)> {
    let Datetime { date, time, offset } = text.parse().ok()?;
    let date = date?;
    let east = match offset {
        Some(Offset::Custom { minutes }) => i64::from(minutes),
        Some(Offset::Z) | None => 0,
    };
    // The days since 1970 after Hinnant, "chrono-Compatible Low-Level Date Algorithms": years begin in March, so that
    // leap days come last.
    let (year, month, day) = (i64::from(date.year), i64::from(date.month), i64::from(date.day));
    let year = if month > 2 { year } else { year - 1 };
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let days = 365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + day_of_year - 719_468;
    let [hour, minute] = time.map_or([0; 2], |time| [time.hour, time.minute].map(i64::from));
    let minutes = 60 * hour + minute - east;
    let seconds = 86_400 * days + 60 * minutes + i64::from(time.and_then(|time| time.second).unwrap_or(0));
    Some((seconds, time.and_then(|time| time.nanosecond).unwrap_or(0)))
}

/// The status for a topic status of BCF. BCF leaves the words to projects: common ones are recognized, and any other
/// means open.
fn status(word: &str) -> Status {
    let is = |known: &[&str]| known.iter().any(|known| known.eq_ignore_ascii_case(word.trim()));
    match word {
        _ if is(&["resolved", "closed", "done", "fixed", "solved"]) => Status::Resolved,
        _ if is(&["approved", "accepted"]) => Status::Approved,
        _ if is(&["ignored", "rejected", "void"]) => Status::Ignored,
        _ if is(&["reopened"]) => Status::Reopened,
        _ => Status::Open,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn the_last_comment_of_both_versions_is_the_reason() {
        let comments = "<Comment Guid=\"1\"><Date>2026-11-02T00:00:00Z</Date><Author>eva</Author>\
             <Comment> sleeve &amp; seal </Comment></Comment><Comment Guid=\"2\"><Date>2026-11-01T00:00:00Z</Date>\
             <Author>max</Author><Comment>first</Comment></Comment>";
        let texts = [
            format!("<Markup><Topic Guid=\"A-1\" TopicStatus=\"Closed\"/>{comments}</Markup>"),
            format!(
                "<Markup><Topic Guid=\"A-1\" TopicStatus=\"Closed\"><Comments>{comments}</Comments></Topic></Markup>"
            ),
        ];
        for text in texts {
            let resolved = Decision { status: Status::Resolved, author: "eva".into(), reason: "sleeve & seal".into() };
            assert_eq!(decisions(&text).unwrap(), [("a-1".to_owned(), resolved)]);
        }
        assert_eq!(decisions("<Markup/>"), Ok(Vec::new()));
        assert!(decisions("<Markup>").is_err());
    }

    #[test]
    fn the_last_comment_is_the_latest_in_any_time_zone() {
        let reason = |dates: [&str; 2]| {
            let comment = |reason: &str, date: &str| {
                format!("<Comment Guid=\"1\"><Date>{date}</Date><Comment>{reason}</Comment></Comment>")
            };
            let comments = comment("first", dates[0]) + &comment("second", dates[1]);
            let found = decisions(&format!("<Markup><Topic Guid=\"A\"/>{comments}</Markup>")).unwrap();
            found[0].1.reason.to_string()
        };
        for (earlier, later) in [
            ("2026-11-02T00:30:00+02:00", "2026-11-01T23:00:00Z"),
            ("2026-11-01T23:00:00", "2026-11-01T22:30:00-01:00"),
            ("2028-03-01T00:30:00+01:00", "2028-02-29T23:45:00.5Z"),
            ("2026-01-01T01:00:00+03:00", "2025-12-31T22:30:00Z"),
            ("2026-11-01T23:00:00.25Z", "2026-11-01T23:00:00.5Z"),
            ("2026-11-01T23:00:00Z", "2026-12-01"),
            ("on Monday", "2026-11-01T23:00:00Z"),
            ("2026 a", "2026 b"),
        ] {
            assert_eq!(reason([earlier, later]), "second", "{earlier} {later}");
            assert_eq!(reason([later, earlier]), "first", "{earlier} {later}");
        }
        assert_eq!(instant("1970-01-01T00:00:00Z"), Some((0, 0)));
        assert_eq!(instant("2000-02-29T00:00:01+00:01"), Some((951_782_400 + 1 - 60, 0)));
        assert_eq!(instant("2024-12-31T23:59:59.25Z"), Some((1_735_689_599, 250_000_000)));
    }

    #[test]
    fn viewpoints_share_their_decision() {
        let comment = format!("<Comment Guid=\"1\"><Comment>{}</Comment></Comment>", "x".repeat(1_000_000));
        let views = "<Viewpoints Guid=\"B\"/>".repeat(300_000);
        let found = decisions(&format!("<Markup><Topic Guid=\"A\"/>{comment}{views}</Markup>")).unwrap();
        assert_eq!((found.len(), found[300_000].1.reason.len()), (300_001, 1_000_000));
        assert!(found.iter().all(|(_, decision)| Arc::ptr_eq(&decision.reason, &found[0].1.reason)));
    }

    #[test]
    fn a_decision_about_a_topic_is_one_about_its_viewpoints() {
        let views =
            ["<Viewpoints Guid=\"B\"/><Viewpoints Guid=\"C\"/>", "<Viewpoints><ViewPoint Guid=\"B\"/></Viewpoints>"];
        let ids = views.map(|views| {
            let text = format!("<Markup><Topic Guid=\"A\" TopicStatus=\"Approved\"/>{views}</Markup>");
            let found = decisions(&text).unwrap();
            assert!(found.iter().all(|(_, decision)| decision.status == Status::Approved));
            found.into_iter().map(|(id, _)| id).collect::<String>()
        });
        assert_eq!(ids, ["abc", "ab"]);
    }
}
