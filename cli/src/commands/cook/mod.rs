//! `bvtree cook`: writes a cooked tree for each mesh file and volume kind. Meshes that have not changed since they were
//! cooked with the same options are skipped.

mod args;
mod asset;
mod build_cache;
mod jobs;
pub mod manifest;
mod parts;
mod plan;
mod report;
pub mod settings;

use std::collections::HashSet;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rayon::prelude::*;

use crate::commands::cook::build_cache::{Record, Records};
use crate::commands::cook::jobs::Pass;
use crate::commands::cook::plan::{Asset, Plan};
use crate::commands::cook::report::Report;
use crate::error::{CONTACT, CliError, note, printable};
use crate::input::cannot_read;
use crate::most_threads;
use crate::output::{Format, Progress};
pub use args::CookArgs;

/// The interval at which the build cache is saved, so that a crash loses little.
const BETWEEN_STATES: Duration = Duration::from_secs(3);

pub fn run(args: &CookArgs, quiet: bool) -> Result<ExitCode, CliError> {
    let plan = Plan::new(args)?;
    let known = Records::read(&plan.output);
    let is_current = |asset: &Asset| !args.runs.force && known.is_current(&plan.output, asset);
    let current: Vec<bool> = plan.assets.par_iter().map(is_current).collect();
    let gone = if args.runs.prune { build_cache::gone(&known, &plan) } else { Vec::new() };
    if args.runs.check || args.runs.dry_run {
        return list(args, &plan, &current, &gone, quiet);
    }
    fs::create_dir_all(&plan.output)
        .map_err(|error| CliError::caused(format!("cannot create the folder {}", plan.output.display()), &error))?;

    let mut report = Report::new(args, false);
    for (asset, _) in plan.assets.iter().zip(&current).filter(|(_, current)| **current) {
        report.unchanged(asset, &plan.output, &known.by_asset[&asset.name])?;
    }
    let stale: Vec<&Asset> = plan.assets.iter().zip(&current).filter(|(_, c)| !**c).map(|(asset, _)| asset).collect();
    make_folders(&plan, &stale)?;
    let errors = cook_all(args, &plan, &stale, &mut report, quiet)?;
    if args.runs.prune {
        build_cache::remove_outputs(&gone, &known, &plan.output, |path| report.removed(path))?;
    }
    if let Some(path) = &args.runs.depfile {
        report::write_depfile(path, &plan, &Records::read(&plan.output), args.manifest.as_deref())?;
    }
    let is_summed_up = args.format == Format::Text && (plan.assets.len() > 1 || report.unchanged + report.removed > 0);
    let (notes, summary) = (report.notes(), report.summary());
    // The table first, because it may be long.
    report.finish(args)?;
    if !quiet {
        notes.iter().for_each(note);
    }
    if !quiet && is_summed_up {
        eprintln!("{summary}");
    }
    let any_failed = !errors.is_empty();
    errors.into_iter().try_for_each(CliError::report_and_go_on)?;
    if any_failed { Err(CliError::Reported) } else { Ok(ExitCode::SUCCESS) }
}

/// Lists the stale assets without cooking any.
fn list(args: &CookArgs, plan: &Plan, current: &[bool], gone: &[String], quiet: bool) -> Result<ExitCode, CliError> {
    let mut report = Report::new(args, true);
    let (mut stale, mut errors) = (gone.len(), Vec::new());
    for (asset, _) in plan.assets.iter().zip(current).filter(|(_, current)| !**current) {
        match fs::metadata(&asset.input) {
            Ok(_) => {
                report.list(asset, "stale")?;
                stale += 1;
            }
            Err(error) => errors.push(cannot_read(&asset.input, &error)),
        }
    }
    report.finish(args)?;
    if !errors.is_empty() {
        errors.into_iter().try_for_each(CliError::report_and_go_on)?;
        return Err(CliError::Reported);
    }
    if !quiet {
        let gone = if gone.is_empty() { String::new() } else { format!(", {} to be removed", gone.len()) };
        eprintln!("{} of {} assets are to be cooked{gone}", current.iter().filter(|c| !**c).count(), plan.assets.len());
    }
    Ok(if args.runs.check && stale > 0 { ExitCode::from(CONTACT) } else { ExitCode::SUCCESS })
}

/// Creates the output folders and removes temporary files left by crashed runs.
fn make_folders(plan: &Plan, stale: &[&Asset]) -> Result<(), CliError> {
    let folders =
        stale.iter().map(|asset| plan.output.join(&asset.name)).filter_map(|path| path.parent().map(Path::to_owned));
    let folders: std::collections::BTreeSet<_> = folders.chain([plan.output.clone()]).collect();
    for folder in folders {
        fs::create_dir_all(&folder)
            .map_err(|error| CliError::caused(format!("cannot create the folder {}", folder.display()), &error))?;
        build_cache::remove_abandoned_temp_files(&folder);
    }
    Ok(())
}

/// Cooks the assets and returns the errors of those that fail.
fn cook_all(
    args: &CookArgs,
    plan: &Plan,
    stale: &[&Asset],
    report: &mut Report,
    quiet: bool,
) -> Result<Vec<CliError>, CliError> {
    let jobs = args.runs.jobs.map_or_else(rayon::current_num_threads, |jobs| jobs.get().min(most_threads()));
    let progress = Mutex::new(Progress::new(stale.len(), quiet, args.format));
    let shown = || progress.lock().unwrap_or_else(PoisonError::into_inner);
    let (mut errors, mut said, mut outcome) = (Vec::new(), HashSet::new(), Ok(()));
    let mut unwritten: Vec<Record> = Vec::new();
    let mut written = Instant::now();
    let most = args.runs.max_memory;
    let examines = !quiet || args.runs.report.is_some();
    let work = |asset: &Asset, pass: &Pass<'_>| {
        asset.conflict().map_or(Ok(()), Err)?;
        most.map_or(Ok(()), |most| pass.check(asset, most))?;
        let most_triangles = most.map_or(usize::MAX, jobs::triangles_within);
        asset::cook(asset, plan, examines, most_triangles, pass, &|done, all| {
            shown().advance(0, &printable(&format!("{}: {} %", asset.name, 100 * done / all)));
        })
    };
    let mut take = |asset: &Asset, result: Result<asset::Done, CliError>| -> Result<(), CliError> {
        match result {
            Ok(done) => {
                unwritten.extend(done.record);
                report.cooked(asset, &done.trees, done.findings)?;
            }
            Err(error) => {
                report.failed(asset, &error);
                // The error of a file that is cooked in several ways is reported once.
                if said.insert(error.message().to_owned()) {
                    errors.push(error);
                }
            }
        }
        shown().advance(1, &printable(&asset.name));
        if written.elapsed() > BETWEEN_STATES {
            // Records that can't be written now may be written at the end; errors of assets are reported first.
            if build_cache::update_records(&plan.output, &unwritten, &[]).is_ok() {
                unwritten.clear();
            }
            written = Instant::now();
        }
        Ok(())
    };
    let is_last = |result: &Result<_, _>| args.runs.fail_fast && result.is_err();
    jobs::for_each(stale, jobs, most.unwrap_or(jobs::MEMORY), work, is_last, |asset, result| {
        outcome = take(asset, result);
        if outcome.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    drop(progress);
    errors.extend(build_cache::update_records(&plan.output, &unwritten, &[]).err());
    outcome.map(|()| errors)
}
