//! The experiment of Gottschalk, Lin and Manocha, "OBBTree: a hierarchical structure for rapid interference detection"
//! (1996): two parallel surfaces that nearly touch. As the gap closes, the number of volume tests grows with a
//! power of it, and the power is clearly smaller for oriented boxes, which become flat as they become small.
//!
//! `cargo run --release -p bvtree-benches --example parallel_surfaces [STEPS [PLOT.svg]]`

mod experiment;
mod plot;

use std::env;
use std::error::Error;
use std::path::PathBuf;

use experiment::{Series, edge_length};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let steps: u16 = arguments.next().map_or(Ok(256), |steps| steps.parse())?;
    let plot = arguments.next().map_or_else(|| env::temp_dir().join("parallel_surfaces.svg"), PathBuf::from);

    // Down to where even the volumes of single triangles overlap, and a little further.
    let edge = edge_length(steps);
    let gaps: Vec<f64> = (2..40).map(|k| 2f64.powf(-0.5 * f64::from(k))).take_while(|&gap| gap > 0.25 * edge).collect();
    let series = experiment::run(steps, &gaps, FIT_FROM * edge..FIT_TO)?;

    println!("Two parallel surfaces of {} triangles, edges {edge:.4} long; volume tests:", 2 * u32::from(steps).pow(2));
    let line = |first: &str, cell: &dyn Fn(&Series) -> String| {
        let cells: String = series.iter().map(|series| format!("{:>10}", cell(series))).collect();
        println!("{first:>10}{cells}");
    };
    line("gap", &|series| series.kind.to_string());
    for (i, gap) in gaps.iter().enumerate() {
        line(&format!("{gap:.5}"), &|series| series.counts[i].volume_tests.to_string());
    }
    line("slope", &|series| series.slope.map_or("-".into(), |slope| format!("{:.2}", slope.value)));
    line("+-", &|series| series.slope.map_or("-".into(), |slope| format!("{:.2}", slope.standard_error)));
    println!(
        "The slope is that of log(volume tests) over log(gap), for gaps from {FIT_FROM} edges to {FIT_TO}, with its"
    );
    println!("standard error.");
    plot::draw(&plot, &series)?;
    println!("Plot: {}", plot.display());
    Ok(())
}

/// Below so many edges trees of single triangles have little left to open, and the counts level off.
const FIT_FROM: f64 = 2.0;

/// Above, in radii, a handful of volumes tells all.
const FIT_TO: f64 = 0.26;
