//! The flags of `ncdump`. Each is defined once, here. The parser, `--help` and the man page are made from these
//! definitions.

mod modes;
mod values;

use std::ffi::{OsStr, OsString};

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use ncutils_cli::options::{flag, help, program, value, version};
use ncutils_cli::remote::{self, RemoteOptions};
use ncutils_cli::{data_access, filters, part};
use ncutils_core::error::Result;
use ncutils_core::filter::Registry;
use ncutils_core::integrity::Equality;
use ncutils_core::print::{DataOf, DumpOptions};
use ncutils_core::store::DataAccess;
use ncutils_core::subset::SubsetRequest;
use values::{annotations, line_length, names, precision, times, tolerance, without_properties};

/// The parsed arguments of a call of `ncdump`.
#[derive(Debug)]
pub struct Arguments {
    /// The input, as named by the user.
    pub input: OsString,
    /// `-k`: print only the kind of the file.
    pub kind_only: bool,
    /// `-x`: print NcML instead of CDL.
    pub ncml: bool,
    /// `-K`: print only the format of the file.
    pub format_only: bool,
    /// `-n`: the dataset's name after `netcdf`; `None` for the file's name.
    pub name: Option<String>,
    /// `--json`: print JSON instead of CDL.
    pub json: bool,
    /// `--isel` and `--sel`: the part of the input to print.
    pub part: SubsetRequest,
    /// Options of the dump.
    pub dump: DumpOptions,
    /// The filters that chunks can be decoded with.
    pub registry: Registry,
    /// `--data-dir`, `--require-sources`: which other files may be read.
    pub access: DataAccess,
    /// `--sources`: print only which other files the dataset refers to.
    pub sources: bool,
    /// `--check`, `--digest`, `--diff`: prove something of the dataset, and print nothing of it.
    pub proof: Option<Proof>,
    /// `--filters`: the list of known filters, to print instead of a file.
    pub list: Option<String>,
    /// `--requests` and `--verbose`.
    pub remote: RemoteOptions,
}

/// What is to be proved of the dataset.
#[derive(Debug, Clone, PartialEq)]
pub enum Proof {
    /// That it is sound.
    Check,
    /// What it holds, by digests.
    Digest,
    /// That it is the same as another dataset, named as the user typed it.
    Same(OsString, Equality),
}

const AFTER_HELP: &str = "\
Examples:
  ncdump -h in.nc         structure: dimensions, variables, attributes
  ncdump -hs in.nc        and how each variable is stored: chunks, filters, byte order
  ncdump -v temp in.nc    structure, and the values of temp
  ncdump --sel time=2000-02 --isel lev=0 in.nc
  ncdump --check in.nc    is every chunk, checksum and index sound?
  ncdump --digest in.nc   SHA-256 of each variable, the same in every format
  ncdump --diff other.zarr --tolerance 1e-6 in.nc
  ncdump --filters        the filters built in, and those of plugins";

/// The command with all its flags.
pub fn command() -> Command {
    modes::refuse_ignored(all_flags())
}

/// The exit status of a run that fails: 2 if two datasets were to be compared, as 1 says that they differ.
pub fn failure_status(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let is_diff = |argument: OsString| {
        let argument = argument.as_encoded_bytes();
        argument == b"--diff" || argument.starts_with(b"--diff=")
    };
    match arguments.into_iter().any(is_diff) {
        true => 2,
        false => 1,
    }
}

fn all_flags() -> Command {
    program(
        "ncdump",
        env!("CARGO_PKG_VERSION"),
        "Prints a netCDF or HDF5 file as CDL text",
        AFTER_HELP,
    )
    .arg(flag("header", 'h', "Header only, no data"))
    .arg(flag("coordinates", 'c', "Data of coordinate variables only"))
    .arg(
        value(
            "vars",
            'v',
            "VAR,…",
            "Data of these variables only, named by name or path; with --check, --digest and --diff: nothing but these variables",
        )
        .action(ArgAction::Append),
    )
    .arg(
        value(
            "groups",
            'g',
            "GROUP,…",
            "Data of these groups only, named by name or path",
        )
        .action(ArgAction::Append),
    )
    .args(part::options())
    .arg(value(
        "rows",
        'b',
        "c|f",
        "Say before each row which elements it has, by C's or Fortran's indices",
    ))
    .arg(value(
        "elements",
        'f',
        "c|f",
        "Say behind each value which element it is, by C's or Fortran's indices",
    ))
    .arg(value(
        "line-length",
        'l',
        "LENGTH",
        "Columns of lines of values, 10 or more [default: 80]",
    ))
    .arg(
        Arg::new("precision")
            .short('p')
            .value_name("FLOAT[,DOUBLE]")
            .allow_hyphen_values(true)
            .action(ArgAction::Append)
            .help("Significant digits of floats and doubles, 1 to 20 [default: 7,15]"),
    )
    .arg(
        Arg::new("digits")
            .short('d')
            .value_name("FLOAT[,DOUBLE]")
            .allow_hyphen_values(true)
            .action(ArgAction::Append)
            .help("As -p, but a variable's attribute C_format comes before it"),
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
        Arg::new("list-filters")
            .long("filters")
            .action(ArgAction::SetTrue)
            .help("List the filters built in and those of plugins, and read no file"),
    )
    .arg(filters::prefer_plugin())
    .args(data_access::options())
    .arg(
        Arg::new("sources")
            .long("sources")
            .action(ArgAction::SetTrue)
            .help("List the other files that the dataset refers to, and where each is or why it is not read, and nothing else"),
    )
    .arg(
        Arg::new("exact")
            .long("exact")
            .action(ArgAction::SetTrue)
            .conflicts_with_all(["times", "iso-times", "json"])
            .help("Lose nothing: all digits of numbers, all types, the kind of the file; with --diff: compare bits, so that NaNs and zeros may differ"),
    )
    .arg(
        Arg::new("check")
            .long("check")
            .action(ArgAction::SetTrue)
            .help("Read all of the dataset and print what is wrong, a line for each fault; status 1 if anything is; with --json as JSON"),
    )
    .arg(
        Arg::new("digest")
            .long("digest")
            .action(ArgAction::SetTrue)
            .help("Print SHA-256 digests of the values and attributes, which are the same in every format"),
    )
    .arg(
        Arg::new("diff")
            .long("diff")
            .value_name("OTHER")
            .value_parser(value_parser!(OsString))
            .help("Compare the dataset OTHER, of any format, with INPUT, and print what differs, what OTHER has first; status 0: the same, 1: different, 2: trouble"),
    )
    .arg(
        Arg::new("tolerance")
            .long("tolerance")
            .value_name("ABS[,REL]")
            .requires("diff")
            .conflicts_with("exact")
            .help("With --diff: numbers are the same that differ by at most ABS, or by at most REL times the larger one"),
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
    .arg(
        Arg::new("extra")
            .short('X')
            .value_name("p|m|F")
            .allow_hyphen_values(true)
            .action(ArgAction::Append)
            .help("p: no _NCProperties with -s; m, F: accepted, without effect"),
    )
    .arg(flag("cache", 'w', "Accepted, without effect"))
    .arg(value("log-level", 'L', "LEVEL", "Accepted, without effect"))
    .arg(flag(
        "format",
        'K',
        "Print the format of the file, and nothing else",
    ))
    .arg(flag("kind", 'k', "Print the kind of the file, and nothing else"))
    .arg(
        Arg::new("name")
            .short('n')
            .value_name("NAME")
            .allow_hyphen_values(true)
            .help("Name for the netCDF, instead of the file's"),
    )
    .args(remote::arguments())
    .arg(help())
    .arg(version())
    .arg(
        Arg::new("input")
            .value_name("INPUT")
            .required_unless_present("list-filters")
            .value_parser(value_parser!(OsString))
            .help("The dataset to read, by its path or URL (file://, s3://, gs://, az://, https://): a file, or a folder, zip or remote tree of Zarr; - for standard input"),
    )
}

/// Parses the flags.
///
/// # Errors
/// [`Error::Usage`](ncutils_core::error::Error::Usage) with the invalid value of a flag.
pub fn arguments(matches: &ArgMatches) -> Result<Arguments> {
    let listed = |name: &str| -> Vec<String> {
        let lists = matches.get_many::<String>(name).into_iter().flatten();
        lists.flat_map(|list| names(list)).collect()
    };
    let vars = listed("vars");
    let required = vars.clone();
    let data = if matches.get_flag("header") {
        DataOf::None
    } else if matches.get_flag("coordinates") {
        DataOf::Coordinates
    } else if !vars.is_empty() {
        DataOf::Listed(vars)
    } else {
        DataOf::All
    };
    let in_one = matches.get_flag("filters");
    let (precision, overrides) = precision(matches)?;
    Ok(Arguments {
        remote: remote::options(matches),
        input: matches.get_one::<OsString>("input").cloned().unwrap_or_default(),
        json: matches.get_flag("json"),
        ncml: matches.get_flag("ncml"),
        kind_only: matches.get_flag("kind"),
        format_only: matches.get_flag("format"),
        name: matches.get_one::<String>("name").cloned(),
        part: part::asked(matches)?,
        dump: DumpOptions {
            data,
            required,
            groups: listed("groups"),
            special: matches.get_flag("special") || in_one,
            without_properties: without_properties(matches)?,
            filters: in_one,
            times: times(matches),
            precision,
            overrides,
            line_length: line_length(matches)?,
            annotations: annotations(matches)?,
        },
        registry: filters::registry(matches),
        access: data_access::access(matches)?,
        sources: matches.get_flag("sources"),
        proof: proof(matches)?,
        list: matches.get_flag("list-filters").then(|| filters::list(matches)),
    })
}

/// What is to be proved.
fn proof(matches: &ArgMatches) -> Result<Option<Proof>> {
    if matches.get_flag("check") {
        return Ok(Some(Proof::Check));
    }
    if matches.get_flag("digest") {
        return Ok(Some(Proof::Digest));
    }
    let Some(other) = matches.get_one::<OsString>("diff") else {
        return Ok(None);
    };
    let equality = match matches.get_one::<String>("tolerance") {
        Some(text) => tolerance(text)?,
        None if matches.get_flag("exact") => Equality::Bits,
        None => Equality::Values,
    };
    Ok(Some(Proof::Same(other.clone(), equality)))
}

/// The name of a dataset without `-n`: the file's name without its last suffix.
pub fn dataset_name(file: &OsStr) -> String {
    let file = file.to_string_lossy();
    match file.rsplit_once('.') {
        Some((name, _)) => name.to_owned(),
        None => file.into_owned(),
    }
}

#[cfg(test)]
mod tests;
