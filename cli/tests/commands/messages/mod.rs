//! Every error that a user can meet: its text and its exit code, from the program as it is run.
//!
//! That none is left out is looked up in the sources: each text of an error there has to come up in the table, or stand
//! in [`unreachable`] with the reason why the program can't be made to say it.

mod files;
mod sources;
mod table;
mod unreachable;

use super::Workplace;

/// What is run, and what is said.
pub struct Case {
    pub command: &'static str,
    pub says: &'static [&'static str],
}

#[test]
fn every_error_has_its_text_and_exit_code() {
    let workplace = Workplace::new();
    files::write(&workplace);
    let mut said = String::new();
    let mut wrong = Vec::new();
    for case in table::CASES {
        let outcome = workplace.run(case.command);
        let is_error = outcome.stderr.lines().any(|line| line.starts_with("error: "));
        // `verify` tells of files on stdout.
        let text = outcome.stdout + &outcome.stderr;
        if outcome.code != Some(2) || !is_error || !case.says.iter().all(|part| text.contains(part)) {
            wrong.push(format!("{}: {:?}\n{text}{:?}", case.command, outcome.code, case.says));
        }
        said += &text;
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), table::CASES.len(), wrong.join("\n\n"));
    let all = sources::texts();
    assert!(all.len() > 150, "{}", all.len());
    let silent = |text: &&sources::Text| !said.contains(&text.longest) && !unreachable::is_listed(&text.whole);
    let left_out: Vec<_> = all.iter().filter(silent).map(|text| format!("{}: {}", text.file, text.whole)).collect();
    assert!(left_out.is_empty(), "no case for {}:\n{}", left_out.len(), left_out.join("\n"));
    unreachable::assert_all_exist(&all);
}
