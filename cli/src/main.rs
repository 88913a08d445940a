//! The `bvtree` command-line tool.

use std::process::ExitCode;

fn main() -> ExitCode {
    bvtree_cli::run()
}
