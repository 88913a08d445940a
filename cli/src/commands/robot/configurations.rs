//! Configurations from a CSV file whose columns are named as the robot's joint values.

use std::path::Path;

use crate::commands::robot::RobotArgs;
use crate::commands::robot::setup::Setup;
use crate::csv_reader::{NumberTable, read_table};
use crate::error::{CliError, note};

pub struct Configurations {
    /// Each row's values, in the robot's order.
    pub values: Vec<Vec<f64>>,
    /// Each row's file and line number.
    pub places: Vec<String>,
    /// The file and line number of the header.
    pub header: String,
}

impl Setup {
    pub fn configurations(&self, path: &Path, args: &RobotArgs, quiet: bool) -> Result<Configurations, CliError> {
        let names = self.robot.values();
        let NumberTable { names: columns, header, rows, places } = read_table(path, "configurations")?;
        let known = || format!("joint values of this robot: {}", names.join(", "));
        let mut indices = Vec::new();
        for column in &columns {
            let index = names.iter().position(|name| name == column);
            let index = index.ok_or_else(|| {
                CliError::new(format!("{header}: this robot has no joint value '{column}'")).hint(known())
            })?;
            if indices.contains(&index) {
                return Err(CliError::new(format!("{header}: two columns have the name '{column}'")));
            }
            indices.push(index);
        }
        let rest = self.rest(args)?;
        if let Some(missing) = (0..names.len()).find(|index| rest.is_none() && !indices.contains(index)) {
            let message = format!("{header}: there is no column for the joint value '{}'", names[missing]);
            return Err(CliError::new(message).hint("--state gives values to joints without a column"));
        }
        let rest = rest.unwrap_or_else(|| self.robot.neutral());
        let whole = |row: &Vec<f64>| {
            let mut values = rest.clone();
            indices.iter().zip(row).for_each(|(&index, value)| values[index] = *value);
            values
        };
        let values: Vec<Vec<f64>> = rows.iter().map(whole).collect();
        if !quiet {
            self.note_limits(&values, &places);
        }
        Ok(Configurations { values, places, header })
    }

    /// The configuration of `--state`.
    fn rest(&self, args: &RobotArgs) -> Result<Option<Vec<f64>>, CliError> {
        let Some(name) = &args.state else { return Ok(None) };
        let (group, state) = name
            .split_once('/')
            .ok_or_else(|| CliError::new("--state: expected GROUP/STATE, two names of the SRDF"))?;
        let rest = self.robot.state(group, state, &self.robot.neutral());
        rest.map(Some).map_err(|error| CliError::caused("--state", &error))
    }

    /// Notes the first value beyond its joint's limits.
    fn note_limits(&self, rows: &[Vec<f64>], places: &[String]) {
        let limits = self.robot.limits();
        let beyond =
            |row: &Vec<f64>| row.iter().zip(&limits).position(|(value, [lower, upper])| value < lower || value > upper);
        let mut found = rows.iter().zip(places).filter_map(|(row, place)| Some((beyond(row)?, row, place)));
        if let Some((value, row, place)) = found.next() {
            let [lower, upper] = limits[value];
            let others = match found.count() {
                0 => String::new(),
                more => format!("; so are values of {more} more rows"),
            };
            let name = &self.robot.values()[value];
            note(format!("{place}: {name} is {}, beyond its limits {lower} and {upper}{others}", row[value]));
        }
    }
}
