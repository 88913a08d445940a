//! Decisions of a team, from tables, reports and BCF files.

use std::fs;
use std::io::{Cursor, Read, Write};

use serde_json::{Value, json};
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

use super::workplace;
use crate::{Workplace, assert_has, json_lines};

/// The rows of the plant's report, with these arguments in addition.
fn rows(workplace: &Workplace, arguments: &str) -> Vec<Value> {
    json_lines(&workplace.answer(&format!("clash plant.json -q --format json {arguments}")))
}

/// A status for each of the first five clashes, as a table.
fn table(workplace: &Workplace) -> Vec<String> {
    let ids: Vec<String> = rows(workplace, "").iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect();
    let statuses = ["open", "Approved", "resolved", "ignored", "reopened"];
    let lines = ids.iter().zip(statuses).map(|(id, status)| format!("{status},eva,\"a, b\",{id}\n"));
    workplace.write("status.csv", &format!("status,author,reason,id\n{}", lines.collect::<String>()));
    ids
}

fn statuses(rows: &[Value]) -> Vec<&str> {
    rows.iter().filter_map(|row| row["status"].as_str()).collect()
}

#[test]
fn a_status_is_told_and_kept_by_reports() {
    let workplace = workplace();
    table(&workplace);
    let found = rows(&workplace, "--status status.csv");
    let expected = ["open", "approved", "reopened", "ignored", "reopened"];
    assert_eq!(statuses(&found), expected);
    assert!(found[..5].iter().all(|row| row["author"] == "eva" && row["reason"] == "a, b"));
    assert!(found[5]["status"].is_null() && found[5]["author"].is_null());
    // The report is the next one's baseline, or its table, in every format.
    for format in ["csv", "spreadsheet", "json"] {
        let report = workplace.answer(&format!("clash plant.json -q --status status.csv --format {format}"));
        workplace.write("report", &report);
        for arguments in ["--baseline report", "--status report", "--status report --baseline report"] {
            let again = rows(&workplace, arguments);
            assert_eq!(statuses(&again), expected, "{format} {arguments}");
            assert!(again[..5].iter().all(|row| row["reason"] == "a, b"), "{format} {arguments}");
        }
    }
    // A later file takes precedence; what is gone keeps what was decided.
    workplace.write("later.csv", &format!("id,status\n{},approved\n", found[0]["id"].as_str().unwrap()));
    assert_eq!(statuses(&rows(&workplace, "--status status.csv --status later.csv"))[0], "approved");
    let few = rows(&workplace, "--baseline report --between pipes,pipes");
    assert!(few.iter().any(|row| row["change"] == "gone" && row["status"] == "approved"), "{few:?}");
}

#[test]
fn what_may_stay_does_not_fail_and_what_is_ignored_is_in_no_file() {
    let workplace = workplace();
    let ids = table(&workplace);
    let outcome = workplace
        .run("clash plant.json --status status.csv --exit-code --bcf a.bcf --bcf-topic clash --html a.html --by issue");
    assert_eq!(outcome.code, Some(1));
    assert_has(&outcome.stderr, &["; 1 approved; 1 ignored"]);
    let zip = ZipArchive::new(Cursor::new(fs::read(workplace.path("a.bcf")).unwrap())).unwrap();
    let names: Vec<String> = zip.file_names().map(|name| name.unwrap().into_owned()).collect();
    let page = fs::read_to_string(workplace.path("a.html")).unwrap();
    for (index, id) in ids.iter().enumerate() {
        assert_eq!(names.contains(&format!("{id}/markup.bcf")), index != 3);
        assert_eq!(page.contains(id), index != 3);
    }
    let all: String = ids.iter().map(|id| format!("{id},approved\n")).collect();
    workplace.write("all.csv", &format!("id,status\n{all}"));
    assert_eq!(workplace.run("clash plant.json -q --status all.csv --exit-code").code, Some(0));
}

#[test]
fn bcf_files_of_both_versions_bring_back_what_was_decided() {
    let workplace = workplace();
    table(&workplace);
    for (version, topic) in [("2.1", "clash"), ("3.0", "clash"), ("2.1", "issue"), ("3.0", "issue")] {
        let bcf = format!("--bcf out.bcf --bcf-version {version} --bcf-topic {topic}");
        workplace.answer(&format!("clash plant.json -q --status status.csv {bcf}"));
        let back = rows(&workplace, "--status out.bcf");
        let told: Vec<_> = back.iter().map(|row| (row["status"].as_str(), row["reason"].as_str())).collect();
        let reason = Some("a, b");
        assert_eq!(told[..3], [(Some("open"), reason), (Some("approved"), reason), (Some("reopened"), reason)]);
        assert_eq!(told[3..6], [(None, None), (Some("reopened"), reason), (Some("open"), None)]);
        assert_eq!(back[0]["author"], "eva");

        // A viewer closes all topics.
        let mut from = ZipArchive::new(Cursor::new(fs::read(workplace.path("out.bcf")).unwrap())).unwrap();
        let mut to = ZipWriter::new(Cursor::new(Vec::new()));
        for index in 0..from.len() {
            let mut entry = from.by_index(index).unwrap();
            let name = entry.name().unwrap().into_owned();
            let mut text = String::new();
            if name.ends_with(".png") {
                continue;
            }
            entry.read_to_string(&mut text).unwrap();
            let closed = ["Open", "ReOpened", "Approved"].iter().fold(text, |text, status| {
                text.replace(&format!("TopicStatus=\"{status}\""), "TopicStatus=\"Closed\"")
            });
            to.start_file(name, SimpleFileOptions::default()).unwrap();
            to.write_all(closed.as_bytes()).unwrap();
        }
        fs::write(workplace.path("closed.bcfzip"), to.finish().unwrap().into_inner()).unwrap();
        let reopened = rows(&workplace, "--status closed.bcfzip");
        assert!(reopened.iter().enumerate().all(|(index, row)| (row["status"] == "reopened") == (index != 3)));
    }
}

#[test]
fn a_search_that_ends_early_may_have_missed_what_must_be_settled() {
    let workplace = workplace();
    let ids: Vec<String> = rows(&workplace, "").iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect();
    // Lines of JSON need an id and a status only.
    workplace.write("ignored.jsonl", &format!("{}\n", json!({"id": ids[0], "status": "ignored"})));
    let lines = ids.iter().map(|id| format!("{}\n", json!({"id": id, "status": "approved"})));
    workplace.write("approved.jsonl", &lines.collect::<String>());
    for (arguments, code) in [
        ("--status ignored.jsonl --limit 1", 1),
        ("--limit 0", 1),
        ("--status approved.jsonl", 0),
        ("--status approved.jsonl --limit 11", 0),
        ("--status approved.jsonl --limit 10", 1),
    ] {
        let outcome = workplace.run(&format!("clash plant.json -q --exit-code {arguments}"));
        assert_eq!(outcome.code, Some(code), "{arguments}");
    }
}

#[test]
fn what_is_no_status_is_refused() {
    let workplace = workplace();
    for (name, text, problem) in [
        (
            "a.csv",
            "id,status\nx,open\nx,done\n",
            "a.csv: line 3: expected open, reopened, approved, resolved or ignored",
        ),
        ("b.csv", "id,state\nx,open\n", "b.csv: there is no column 'status'"),
        ("c.bcf", "PK", "c.bcf: not a BCF file"),
        ("d.jsonl", "{\"status\": \"open\"}\n", "d.jsonl: line 1: there is no 'id'"),
        ("e.jsonl", "{\"id\": \"x\"}\n{\"id\": \"x\", \"status\": 1}\n{x", "e.jsonl: line 3: key must be a string"),
    ] {
        workplace.write(name, text);
        assert_has(&workplace.complaint(&format!("clash plant.json --status {name}")), &[problem]);
    }
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    zip.start_file("x/markup.bcf", SimpleFileOptions::default()).unwrap();
    zip.write_all(b"<Markup><Topic>").unwrap();
    fs::write(workplace.path("d.bcf"), zip.finish().unwrap().into_inner()).unwrap();
    assert_has(&workplace.complaint("clash plant.json --status d.bcf"), &["d.bcf: x/markup.bcf in it: "]);
}
