//! The counts as curves in a log-log plot.

use std::error::Error;
use std::path::Path;

use plotters::prelude::*;

use super::experiment::Series;

const COLORS: [RGBColor; 3] = [RGBColor(214, 90, 49), RGBColor(38, 99, 175), RGBColor(72, 140, 74)];

pub fn draw(path: &Path, series: &[Series]) -> Result<(), Box<dyn Error>> {
    let counts = || series.iter().flat_map(|series| &series.counts);
    let range = |values: &mut dyn Iterator<Item = f64>| {
        let (least, most) = values.fold((f64::INFINITY, 0.0_f64), |(least, most), x| (least.min(x), most.max(x)));
        (0.7 * least..1.4 * most).log_scale()
    };
    let gaps = range(&mut counts().map(|count| count.gap));
    let tests = range(&mut counts().map(|count| count.volume_tests as f64));

    let area = SVGBackend::new(path, (720, 480)).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .caption("Parallel surfaces: volume tests by gap", ("sans-serif", 20))
        .margin(16)
        .x_label_area_size(44)
        .y_label_area_size(76)
        .build_cartesian_2d(gaps, tests)?;
    chart
        .configure_mesh()
        .x_desc("gap over the sphere's radius")
        .y_desc("volume tests")
        .light_line_style(TRANSPARENT)
        .label_style(("sans-serif", 13))
        .x_label_formatter(&|gap| format!("{gap}"))
        .y_label_formatter(&|tests| format!("{tests}"))
        .draw()?;
    for (series, color) in series.iter().zip(COLORS.iter().cycle()) {
        let points = || series.counts.iter().map(|count| (count.gap, count.volume_tests as f64));
        let slope = series.slope.map_or(String::new(), |slope| format!(", slope {:.2}", slope.value));
        chart
            .draw_series(LineSeries::new(points(), color.stroke_width(2)))?
            .label(format!("{}{slope}", series.kind))
            .legend(|(x, y)| PathElement::new([(x, y), (x + 20, y)], color.stroke_width(2)));
        chart.draw_series(points().map(|point| Circle::new(point, 3, color.filled())))?;
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperRight)
        .background_style(WHITE)
        .border_style(BLACK.mix(0.3))
        .label_font(("sans-serif", 14))
        .draw()?;
    area.present()?;
    Ok(())
}
