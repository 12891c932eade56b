//! The command line of `ncutils` itself: its help, its version, completions and man pages.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::builder::{EnumValueParser, PossibleValuesParser};
use clap::{Arg, Command};
use clap_complete::Shell;
use ncutils_cli::completion;
use ncutils_cli::version::VERSION;

use crate::member::MEMBERS;

/// The program's own name.
const NAME: &str = "ncutils";

/// Answers a command line that runs none of the programs. Returns the exit status.
pub fn run() -> ExitCode {
    let matches = match command().try_get_matches() {
        Ok(matches) => matches,
        Err(error) => {
            let wrong = error.use_stderr();
            let printed = error.print().and_then(|()| io::stdout().flush());
            return status(!wrong && is_printed(printed));
        }
    };
    let Some((task, asked)) = matches.subcommand() else {
        // The parser asks for a command.
        return ExitCode::FAILURE;
    };
    let name = asked.get_one::<String>("program").map_or(NAME, String::as_str);
    let member = MEMBERS.iter().find(|member| member.program().name == name);
    let text = match (task, asked.try_get_one::<Shell>("shell")) {
        ("completions", Ok(Some(shell))) => Ok(match member {
            Some(member) => completion::script(member.program(), *shell),
            None => completion::script_of(&mut command(), "completions", *shell),
        }),
        _ => man_page(name),
    };
    status(is_printed(text.and_then(|text| write(&text))))
}

/// Prints a text. Returns the exit status.
pub fn print(text: &str) -> ExitCode {
    status(is_printed(write(text.as_bytes())))
}

fn write(text: &[u8]) -> io::Result<()> {
    let mut out = io::stdout();
    out.write_all(text).and_then(|()| out.flush())
}

/// The man page of `ncutils`, of a program such as `nccopy`, or of a command such as `ncutils-copy`.
fn man_page(name: &str) -> io::Result<Vec<u8>> {
    let of_member = MEMBERS.iter().find_map(|member| {
        let command = member.program().command();
        if name == member.program().name {
            return Some(command);
        }
        (name == member.page).then(|| {
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

fn status(succeeded: bool) -> ExitCode {
    match succeeded {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}

/// True unless printing failed, which is told. A reader that has closed our output is no error.
fn is_printed(printed: io::Result<()>) -> bool {
    match printed {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            eprintln!("{NAME}: cannot write: {error}");
            false
        }
        _ => true,
    }
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
    let pages = MEMBERS.iter().map(|member| member.page);
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
        .subcommand_required(true)
        .arg_required_else_help(true);
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
