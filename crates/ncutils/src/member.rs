//! The programs that are in `ncutils`.

use std::ffi::OsStr;
use std::path::Path;
use std::process::ExitCode;
use std::sync::LazyLock;

use ncutils_cli::options::{NCCOPY, NCDUMP, NCGEN, Program};

/// A program that is in `ncutils`.
pub struct Member {
    /// The command that runs it: `copy` in `ncutils copy`.
    pub command: &'static str,
    /// The name of the man page of that command. No other package has it.
    pub page: &'static str,
    /// Its `main`.
    pub main: fn() -> ExitCode,
    program: &'static LazyLock<Program>,
}

/// All of them.
pub static MEMBERS: [Member; 3] = [
    Member {
        command: "copy",
        page: "ncutils-copy",
        main: nccopy::main,
        program: &NCCOPY,
    },
    Member {
        command: "dump",
        page: "ncutils-dump",
        main: ncdump::main,
        program: &NCDUMP,
    },
    Member {
        command: "gen",
        page: "ncutils-gen",
        main: ncgen::main,
        program: &NCGEN,
    },
];

impl Member {
    /// The program's options.
    pub fn program(&self) -> &'static Program {
        self.program
    }

    /// The program that has the name of a path.
    pub fn called_as(path: &OsStr) -> Option<&'static Self> {
        let name = Path::new(path).file_name()?;
        MEMBERS.iter().find(|member| name == member.program().name)
    }

    /// The program that a command runs.
    pub fn of_command(word: &OsStr) -> Option<&'static Self> {
        MEMBERS.iter().find(|member| word == member.command)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_found_by_its_name_and_its_command() {
        let command = |found: Option<&Member>| found.map(|member| member.command);
        assert_eq!(
            command(Member::called_as("/usr/bin/nccopy".as_ref())),
            Some("copy")
        );
        assert_eq!(command(Member::called_as("ncgen".as_ref())), Some("gen"));
        assert_eq!(command(Member::called_as("/nccopy/ncutils".as_ref())), None);
        assert_eq!(command(Member::called_as("".as_ref())), None);
        assert_eq!(command(Member::of_command("dump".as_ref())), Some("dump"));
        assert_eq!(command(Member::of_command("ncdump".as_ref())), None);
    }
}
