//! The `bvtree` command-line tool as a library, which `main.rs` runs and the fuzz target `texts` tests.
//!
//! `commands/` has a file or folder for each command, with its arguments, its help and its `run`. Results go to stdout,
//! everything else to stderr. Exit codes: 0 answered, 1 only where `--exit-code` or `--check` asks for it, 2 bad usage
//! or bad input, 130 interrupted, 141 if the reader of stdout closed it early.

#![deny(unsafe_code)]
#![deny(clippy::undocumented_unsafe_blocks)]

mod args;
mod atomic_write;
mod commands {
    pub mod clash;
    pub mod compare;
    pub mod cook;
    pub mod export;
    pub mod fit;
    pub mod info;
    pub mod motion;
    pub mod probe;
    pub mod query;
    pub mod robot;
    pub mod self_pairs;
    pub mod shell;
    pub mod verify;
    pub mod view;
}
mod csv_tables;
mod date_time;
mod error;
#[cfg(any(test, feature = "fuzz"))]
pub mod fuzz_texts;
mod glb_writer;
mod input;
mod output;
mod page;
mod poses;
mod solids;

use std::ffi::OsString;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use rayon::ThreadPoolBuilder;

use args::parse_positive;
use commands::{clash, compare, cook, export, fit, info, motion, probe, query, robot, self_pairs, shell, verify, view};
use error::{CliError, FAILED, checked_output};

/// Bounding-volume trees of triangle meshes: cook them offline, query two at a time, exact down to triangles.
#[derive(Debug, Parser)]
#[command(name = "bvtree", version, arg_required_else_help = true, after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Print only results and errors, no notes and no progress
    #[arg(short, long, global = true, display_order = 100)]
    quiet: bool,
    /// Number of threads, at most 16 or four per core, whichever is greater [default: one per core]; results do not
    /// depend on it
    #[arg(long, global = true, value_name = "N", value_parser = parse_positive::<NonZeroUsize>, display_order = 100)]
    threads: Option<NonZeroUsize>,
}

#[derive(Debug, Subcommand)]
enum Command {
    Cook(cook::CookArgs),
    Query(query::QueryArgs),
    Motion(motion::MotionArgs),
    Robot(robot::RobotArgs),
    Clash(clash::ClashArgs),
    Compare(compare::CompareArgs),
    Export(export::ExportArgs),
    View(view::ViewArgs),
    Fit(fit::FitArgs),
    Ray(probe::RayArgs),
    Closest(probe::ClosestArgs),
    Info(info::InfoArgs),
    Verify(verify::VerifyArgs),
    #[command(name = "self")]
    SelfPairs(self_pairs::SelfArgs),
    Completions(shell::CompletionsArgs),
    Man(shell::ManArgs),
}

const EXAMPLES: &str = "\
Examples:
  bvtree cook gear.obj bolt.obj -o cooked
  bvtree query cooked/gear.obb.bvt cooked/bolt.obb.bvt --translate 0.5,0,0
  bvtree motion gear.obj bolt.obj --motions motions.csv --accuracy 1e-6
  bvtree robot arm.urdf --path path.csv --clearance 0.005
  bvtree clash assembly.json --clearance 0.01
  bvtree compare gear.obj bolt.obj
  bvtree export cooked/gear.obb.bvt --depth 3 -o gear.glb
  bvtree view gear.obj bolt.obj --translate 0.5,0,0 -o contact.html
  bvtree fit gear.obj
  bvtree ray gear.obj --rays rays.csv
  bvtree closest gear.obj --points points.csv
  bvtree info cooked/gear.obb.bvt
  bvtree self gear.obj
  bvtree verify cooked
  bvtree completions bash

`bvtree COMMAND --help` describes a command and its options.
Cooked files are memory-mapped: never modify one in place while a command reads
it; replace it, as `cook` does.
Exit codes: 0 success, 1 contact (`query --exit-code`, `robot --exit-code`),
clashes (`clash --exit-code`) or stale files (`cook --check`), 2 bad usage or
bad input, 130 interrupted, 141 if the reader of stdout closed it early (files
are still written and cooked).";

/// Runs the program with the process's arguments and returns its exit code.
pub fn run() -> ExitCode {
    run_with(std::env::args_os())
}

/// Runs the program with arguments, the first of which is the program's name.
pub fn run_with(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let cli = match parsed(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version go to stdout with 0, bad usage to stderr with 2.
            let is_help = error.exit_code() == 0;
            match error.print().and_then(|()| io::stdout().flush()) {
                Err(failure) if is_help => return CliError::output(&failure).report(),
                _ => {}
            }
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(FAILED));
        }
    };
    let result = prepare(&cli).and_then(|()| match &cli.command {
        Command::Cook(args) => cook::run(args, cli.quiet),
        Command::Query(args) => query::run(args, cli.quiet),
        Command::Motion(args) => motion::run(args, cli.quiet).map(|()| ExitCode::SUCCESS),
        Command::Robot(args) => robot::run(args, cli.quiet),
        Command::Clash(args) => clash::run(args, cli.quiet),
        Command::Compare(args) => compare::run(args, cli.quiet).map(|()| ExitCode::SUCCESS),
        Command::Export(args) => export::run(args, cli.quiet).map(|()| ExitCode::SUCCESS),
        Command::View(args) => view::run(args, cli.quiet).map(|()| ExitCode::SUCCESS),
        Command::Fit(args) => fit::run(args, cli.quiet).map(|()| ExitCode::SUCCESS),
        Command::Ray(args) => probe::run_ray(args, cli.quiet).map(|()| ExitCode::SUCCESS),
        Command::Closest(args) => probe::run_closest(args, cli.quiet).map(|()| ExitCode::SUCCESS),
        Command::Info(args) => info::run(args).map(|()| ExitCode::SUCCESS),
        Command::Verify(args) => verify::run(args, cli.quiet).map(|()| ExitCode::SUCCESS),
        Command::Completions(args) => shell::completions(args, Cli::command()).map(|()| ExitCode::SUCCESS),
        Command::Man(args) => shell::man(args, Cli::command()).map(|()| ExitCode::SUCCESS),
        Command::SelfPairs(args) => self_pairs::run(args, cli.quiet).map(|()| ExitCode::SUCCESS),
    });
    result.and_then(checked_output).unwrap_or_else(CliError::report)
}

/// Parses the arguments. A negative number is reported as a wrong value, not as an unknown option.
fn parsed(arguments: impl IntoIterator<Item = OsString>) -> Result<Cli, clap::Error> {
    let numbers = |command: clap::Command| {
        command.mut_args(|arg| {
            let takes_value = arg.get_action().takes_values() && !arg.is_positional();
            if takes_value { arg.allow_negative_numbers(true) } else { arg }
        })
    };
    let mut command = numbers(Cli::command()).mut_subcommands(numbers);
    let mut matches = command.try_get_matches_from_mut(arguments)?;
    Cli::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command))
}

/// The maximum number of threads: far more threads than processors mostly spin, and too many can't be started.
fn most_threads() -> usize {
    std::thread::available_parallelism().map_or(1, NonZeroUsize::get).saturating_mul(4).max(16)
}

fn prepare(cli: &Cli) -> Result<(), CliError> {
    error::set_quiet(cli.quiet);
    atomic_write::handle_interrupts()?;
    if let Some(threads) = cli.threads {
        let pool = ThreadPoolBuilder::new().num_threads(threads.get().min(most_threads()));
        pool.build_global().map_err(|error| CliError::caused("cannot start threads", &error))?;
    }
    Ok(())
}
