//! The flags of `ncdump`. Each is defined once, here; parser, `--help` and man page come from it.

use std::ffi::OsString;
use std::path::Path;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use ncutils_core::cdl::write::{DataOf, DumpOptions, Precision};
use ncutils_core::time::DateSeparator;

/// What one call of `ncdump` is to do.
#[derive(Debug)]
pub struct Arguments {
    /// The input, as named by the user.
    pub input: OsString,
    /// `-k`: only the kind of the file is printed.
    pub kind_only: bool,
    /// `-x`: NcML instead of CDL.
    pub ncml: bool,
    /// `-n`: the name behind `netcdf`; else the file's.
    pub name: Option<String>,
    /// `--json`: printed as JSON, not as CDL.
    pub json: bool,
    /// What is printed, and how.
    pub dump: DumpOptions,
}

const AFTER_HELP: &str = "\
Examples:
  ncdump -h in.nc         structure: dimensions, variables, attributes
  ncdump -hs in.nc        and how each variable is stored: chunks, filters, byte order
  ncdump -v temp in.nc    structure, and the values of temp";

/// The command with all its flags.
pub fn command() -> Command {
    let flag = |name: &'static str, short: char, help: &'static str| {
        Arg::new(name).short(short).action(ArgAction::SetTrue).help(help)
    };
    Command::new("ncdump")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Prints a netCDF or HDF5 file as CDL text")
        .after_help(AFTER_HELP)
        .disable_help_flag(true)
        .disable_version_flag(true)
        .args_override_self(true)
        .arg(flag("header", 'h', "Header only, no data"))
        .arg(flag("coordinates", 'c', "Data of coordinate variables only"))
        .arg(
            Arg::new("vars")
                .short('v')
                .value_name("VAR,…")
                .action(ArgAction::Append)
                .help("Data of these variables only, named by name or path"),
        )
        .arg(flag(
            "special",
            's',
            "Show how variables are stored, as attributes that begin with _",
        ))
        .arg(flag(
            "filters",
            'F',
            "Show all filters in one attribute _Filter, in the order of the file",
        ))
        .arg(
            Arg::new("exact")
                .long("exact")
                .action(ArgAction::SetTrue)
                .conflicts_with_all(["times", "iso-times", "json"])
                .help("Lose nothing: all digits of numbers, all types, the kind of the file"),
        )
        .arg(
            flag(
                "ncml",
                'x',
                "Print the header as NcML, which is XML, instead of CDL",
            )
            .conflicts_with_all(["json", "exact"]),
        )
        .arg(
            Arg::new("json")
                .long("json")
                .action(ArgAction::SetTrue)
                .help("Print JSON, in the shape of NCO's 'ncks --jsn', instead of CDL"),
        )
        .arg(flag(
            "times",
            't',
            "Print times as dates: \"1990-01-04 12\" for 3.5 days since 1990-01-01",
        ))
        .arg(flag(
            "iso-times",
            'i',
            "As -t, with a T between date and time, as ISO 8601 has it",
        ))
        .arg(flag("kind", 'k', "Print the kind of the file, and nothing else"))
        .arg(
            Arg::new("name")
                .short('n')
                .value_name("NAME")
                .help("Name for the netCDF, instead of the file's"),
        )
        .arg(
            Arg::new("help")
                .long("help")
                .action(ArgAction::Help)
                .help("Print this help"),
        )
        .arg(
            Arg::new("version")
                .long("version")
                .action(ArgAction::Version)
                .help("Print the version"),
        )
        .arg(
            Arg::new("input")
                .value_name("INPUT")
                .required(true)
                .value_parser(value_parser!(OsString))
                .help("The file to read"),
        )
}

/// Reads the flags.
pub fn arguments(matches: &ArgMatches) -> Arguments {
    let listed: Vec<String> = matches
        .get_many::<String>("vars")
        .into_iter()
        .flatten()
        .flat_map(|list| names(list))
        .collect();
    let data = if matches.get_flag("header") {
        DataOf::None
    } else if !listed.is_empty() {
        DataOf::Listed(listed)
    } else if matches.get_flag("coordinates") {
        DataOf::Coordinates
    } else {
        DataOf::All
    };
    let filters = matches.get_flag("filters");
    Arguments {
        input: matches.get_one::<OsString>("input").cloned().unwrap_or_default(),
        json: matches.get_flag("json"),
        ncml: matches.get_flag("ncml"),
        kind_only: matches.get_flag("kind"),
        name: matches.get_one::<String>("name").cloned(),
        dump: DumpOptions {
            data,
            special: matches.get_flag("special") || filters,
            filters,
            times: times(matches),
            precision: Precision {
                exact: matches.get_flag("exact"),
                ..Precision::default()
            },
        },
    }
}

/// `-t` and `-i`. With both, the last counts, as it does in netCDF-C.
fn times(matches: &ArgMatches) -> Option<DateSeparator> {
    let last = |name: &str| {
        let given = matches.get_flag(name);
        matches.indices_of(name).filter(|_| given).and_then(Iterator::max)
    };
    match (last("times"), last("iso-times")) {
        (None, None) => None,
        (plain, iso) if plain > iso => Some(DateSeparator::Space),
        _ => Some(DateSeparator::T),
    }
}

/// Splits a comma-separated list; a backslash takes the next character as it is.
fn names(list: &str) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut chars = list.chars();
    while let Some(c) = chars.next() {
        match (c, all.last_mut()) {
            (',', _) => all.push(String::new()),
            ('\\', Some(name)) => name.extend(chars.next()),
            (c, Some(name)) => name.push(c),
            (_, None) => {}
        }
    }
    all
}

/// The name of a dataset that none was given for: the file's, without folder and without what follows the last dot.
pub fn dataset_name(input: &Path) -> String {
    let file = input.file_name().unwrap_or(input.as_os_str()).to_string_lossy();
    match file.rsplit_once('.') {
        Some((name, _)) => name.to_owned(),
        None => file.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(args: &[&str]) -> Arguments {
        let all = ["ncdump"].iter().chain(args).chain(&["in.nc"]);
        arguments(&command().try_get_matches_from(all).unwrap())
    }

    #[test]
    fn the_definition_is_consistent() {
        command().debug_assert();
    }

    #[test]
    fn flags_cluster_and_attach_as_getopt_takes_them() {
        let args = read(&["-hs"]);
        assert_eq!(args.dump.data, DataOf::None);
        assert!(args.dump.special && !args.dump.filters);
        assert_eq!(
            read(&["-va,b", "-v", r"c\,d", "-nfoo"]).dump.data,
            DataOf::Listed(vec!["a".into(), "b".into(), "c,d".into()])
        );
        assert_eq!(read(&["-nfoo"]).name.as_deref(), Some("foo"));
        assert!(read(&["-F"]).dump.special);
    }

    #[test]
    fn times_are_dates_in_the_form_that_was_asked_for_last() {
        assert_eq!(read(&["-h"]).dump.times, None);
        for (args, separator) in [
            (&["-t"][..], DateSeparator::Space),
            (&["-i"], DateSeparator::T),
            (&["-it"], DateSeparator::Space),
            (&["-t", "-i"], DateSeparator::T),
        ] {
            assert_eq!(read(args).dump.times, Some(separator), "{args:?}");
        }
    }

    #[test]
    fn the_name_is_the_files() {
        for (path, name) in [
            ("a/b.nc", "b"),
            ("b", "b"),
            ("x.y.nc", "x.y"),
            ("/tmp/we ird.h5", "we ird"),
        ] {
            assert_eq!(dataset_name(Path::new(path)), name);
        }
    }
}
