//! `bvtree completions` and `bvtree man`: shell completions and manual pages, generated from the program's arguments.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use clap::{Args, Command};
use clap_complete::Shell;

use crate::atomic_write;
use crate::error::CliError;

/// Print completions for a shell
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bvtree completions bash > /usr/share/bash-completion/completions/bvtree
  bvtree completions zsh > ~/.zfunc/_bvtree")]
pub struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

/// Print the manual, or write a page for each command
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bvtree man | man -l -
  bvtree man -o /usr/share/man/man1")]
pub struct ManArgs {
    /// Folder for bvtree.1 and a page for each command [default: the first page goes to stdout]
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
}

pub fn completions(args: &CompletionsArgs, mut command: Command) -> Result<(), CliError> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut command, "bvtree", &mut text);
    print(&text)
}

pub fn man(args: &ManArgs, mut command: Command) -> Result<(), CliError> {
    command.build();
    let folder = match &args.output {
        Some(folder) if !atomic_write::is_stdout(folder) => folder,
        _ => return print(&page(&command)?),
    };
    fs::create_dir_all(folder)
        .map_err(|error| CliError::caused(format!("cannot create the folder {}", folder.display()), &error))?;
    atomic_write::write(&folder.join("bvtree.1"), "the manual", &page(&command)?)?;
    for subcommand in command.get_subcommands().filter(|subcommand| subcommand.get_name() != "help") {
        let path = folder.join(format!("bvtree-{}.1", subcommand.get_name()));
        atomic_write::write(&path, "the manual", &page(subcommand)?)?;
    }
    Ok(())
}

fn page(command: &Command) -> Result<Vec<u8>, CliError> {
    let mut page = Vec::new();
    let rendered = clap_mangen::Man::new(command.clone()).render(&mut page);
    rendered.map_err(|error| CliError::caused("cannot write the manual", &error))?;
    Ok(page)
}

fn print(text: &[u8]) -> Result<(), CliError> {
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(text).and_then(|()| stdout.flush()).map_err(|error| CliError::output(&error))
}
