//! The command line of `ncutils` itself: its help, its version, completions and man pages.

use std::io;
use std::process::ExitCode;

use clap::builder::{EnumValueParser, PossibleValuesParser};
use clap::{Arg, Command};
use clap_complete::Shell;
use ncutils_cli::completion;
use ncutils_cli::messages::Messages;
use ncutils_cli::options::refused;
use ncutils_cli::version::VERSION;

use crate::member::MEMBERS;

/// The program's own name.
const NAME: &str = "ncutils";

/// Answers a command line that runs none of the programs. Returns the exit status.
pub fn run() -> ExitCode {
    let matches = match command().try_get_matches() {
        Ok(matches) => matches,
        Err(error) if error.use_stderr() => {
            Messages::new(NAME).tell(refused(&error, &command()));
            return ExitCode::FAILURE;
        }
        Err(help_or_version) => return print(help_or_version.to_string()),
    };
    let Some((task, asked)) = matches.subcommand() else {
        // The parser asks for a command.
        return ExitCode::FAILURE;
    };
    let name = asked.get_one::<String>("program").map_or(NAME, String::as_str);
    let member = MEMBERS.iter().find(|member| member.program().name == name);
    print(match task {
        "completions" => match (asked.get_one::<Shell>("shell"), member) {
            (Some(shell), Some(member)) => completion::script(member.program(), *shell),
            (Some(shell), None) => completion::script_of(&mut command(), "completions", *shell),
            // The parser asks for a shell.
            (None, _) => return ExitCode::FAILURE,
        },
        _ => match man_page(name) {
            Ok(page) => page,
            Err(error) => return told(&error.into()),
        },
    })
}

/// Prints a text. Returns the exit status. A reader that has closed our output is no error.
pub fn print(text: impl AsRef<[u8]>) -> ExitCode {
    match ncutils_cli::print(text) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => told(&error),
    }
}

/// The exit status of an error, which is told.
fn told(error: &anyhow::Error) -> ExitCode {
    if ncutils_cli::is_broken_pipe(error) {
        return ExitCode::SUCCESS;
    }
    Messages::new(NAME).tell(format_args!("{error:#}"));
    ExitCode::FAILURE
}

/// The man page of `ncutils`, of a program such as `nccopy`, or of a command: `copy`, which is `ncutils-copy`.
fn man_page(name: &str) -> io::Result<Vec<u8>> {
    let of_member = MEMBERS.iter().find_map(|member| {
        let command = member.program().command();
        if name == member.program().name {
            return Some(command);
        }
        [member.page, member.command].contains(&name).then(|| {
            command
                .name(member.page)
                .bin_name(format!("{NAME} {}", member.command))
        })
    });
    // What was built in is no part of the page.
    let command = of_member
        .unwrap_or_else(command)
        .version(env!("CARGO_PKG_VERSION"));
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page)?;
    Ok(page)
}

/// The parser, with the options of all programs, for help and completions.
pub fn command() -> Command {
    let programs = || MEMBERS.iter().map(|member| member.program().name);
    let completions = Command::new("completions")
        .about("Prints a script that completes command lines in a shell")
        .arg(
            Arg::new("shell")
                .value_name("SHELL")
                .required(true)
                .value_parser(EnumValueParser::<Shell>::new()),
        )
        .arg(
            Arg::new("program")
                .value_name("PROGRAM")
                .help("The program whose command lines are completed; default ncutils")
                .value_parser(PossibleValuesParser::new([NAME].into_iter().chain(programs()))),
        );
    let pages = MEMBERS.iter().flat_map(|member| [member.page, member.command]);
    let man = Command::new("man").about("Prints a man page").arg(
        Arg::new("program")
            .value_name("PROGRAM")
            .help("The program or command whose page is printed; default ncutils")
            .value_parser(PossibleValuesParser::new(
                [NAME].into_iter().chain(programs()).chain(pages),
            )),
    );
    let command = Command::new(NAME)
        .version(VERSION.as_str())
        .about("Copies, prints and makes netCDF, HDF5 and Zarr datasets")
        .after_help(
            "'ncutils copy' is nccopy, 'ncutils dump' is ncdump, and 'ncutils gen' is ncgen. Called by one of these names, \
             ncutils is that program.",
        )
        .subcommand_required(true);
    let members = MEMBERS
        .iter()
        .map(|member| member.program().command().name(member.command));
    members
        .fold(command, Command::subcommand)
        .subcommands([completions, man])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parser_is_sound() {
        command().debug_assert();
    }
}
