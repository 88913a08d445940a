//! Every error that a user can meet: its text and its exit code, from runs of the program.
//!
//! The sources are searched so that no error is left out: each error text in them must occur in the table, or in
//! [`unreachable`] with the reason why the program can't be made to print it.

mod files;
mod sources;
mod table;
mod unreachable;

use super::Workplace;

/// A command, and the parts of its expected message.
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
