//! Benches that set two ways to the same answers side by side, in one run, and print their ratios.

use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

use bvtree::{BuildOptions, SimdLevel, VolumeKind};

/// What the command line asks for.
pub struct Options {
    pub mode: Option<String>,
    pub volume: VolumeKind,
    pub simd: SimdLevel,
    pub rounds: usize,
}

/// The options of a bench of that name and those modes; none if nothing is to be measured, which stderr tells.
pub fn options(bench: &str, modes: &[&str]) -> Option<Options> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let benched = arguments.iter().any(|argument| argument == "--bench");
    arguments.retain(|argument| argument != "--bench");
    // Cargo hands all benches the same arguments: those that are meant for Criterion are no error here.
    match parse(&arguments, modes) {
        Ok(options) if benched => return Some(options),
        Ok(_) => eprintln!("nothing measured: run `cargo bench --bench {bench}`"),
        Err(error) => eprintln!("{bench}: nothing measured: {error}"),
    }
    None
}

fn parse(arguments: &[String], modes: &[&str]) -> Result<Options, Box<dyn Error>> {
    let volume = BuildOptions::default().kind;
    let mut options = Options { mode: None, volume, simd: SimdLevel::detect(), rounds: 7 };
    for argument in arguments.chunks(2) {
        let [name, value] = argument else { return Err(format!("{} needs a value", argument[0]).into()) };
        match name.as_str() {
            "--mode" if modes.contains(&value.as_str()) => options.mode = Some(value.clone()),
            "--volume" => options.volume = value.parse()?,
            "--simd" => options.simd = value.parse()?,
            "--rounds" => options.rounds = value.parse::<usize>()?.max(1),
            _ => return Err(format!("unknown option {name} {value}").into()),
        }
    }
    Ok(options)
}

/// Asks about every item and keeps the fastest time of each, in microseconds.
pub fn pass<T, R>(items: &[T], best: &mut [f64], mut ask: impl FnMut(&T) -> R) {
    for (item, best) in items.iter().zip(best) {
        let began = Instant::now();
        black_box(ask(item));
        *best = best.min(began.elapsed().as_secs_f64() * 1e6);
    }
}

/// What both ways took for the same questions, ours first, in microseconds per question.
pub struct Cell {
    pub pair: String,
    pub label: String,
    pub times: [f64; 2],
}

impl Cell {
    /// How many times as long the other way took.
    pub fn ratio(&self) -> f64 {
        self.times[1] / self.times[0]
    }
}

/// Tells the geometric mean and the worst cell on stderr.
pub fn summarize(set: &str, cells: &[Cell]) {
    let Some(worst) = cells.iter().min_by(|a, b| a.ratio().total_cmp(&b.ratio())) else { return };
    let mean = (cells.iter().map(|cell| cell.ratio().ln()).sum::<f64>() / cells.len() as f64).exp();
    eprintln!(
        "{set}: geometric mean {mean:.2} over {} pairs and labels; worst {:.2} at {} {}",
        cells.len(),
        worst.ratio(),
        worst.pair,
        worst.label
    );
}
