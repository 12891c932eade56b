//! The flags of `ncdump`. Each is defined once, here. The parser, `--help` and the man page are made from these
//! definitions.

use std::ffi::{OsStr, OsString};

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use ncutils_cli::options::{flag, help, program, value, version};
use ncutils_cli::remote::{self, RemoteOptions};
use ncutils_cli::{data_access, filters, part};
use ncutils_core::error::{Error, Result};
use ncutils_core::filter::Registry;
use ncutils_core::part::PartRequest;
use ncutils_core::print::{Annotations, DataOf, DumpOptions, IndexOrder, LineLength, Overrides, Precision};
use ncutils_core::store::DataAccess;
use ncutils_core::time::DateSeparator;

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
    pub part: PartRequest,
    /// Options of the dump.
    pub dump: DumpOptions,
    /// The filters that chunks can be decoded with.
    pub registry: Registry,
    /// `--data-dir`, `--require-sources`: which other files may be read.
    pub access: DataAccess,
    /// `--sources`: print only which other files the dataset refers to.
    pub sources: bool,
    /// `--filters`: the list of known filters, to print instead of a file.
    pub list: Option<String>,
    /// `--requests` and `--verbose`.
    pub remote: RemoteOptions,
}

const AFTER_HELP: &str = "\
Examples:
  ncdump -h in.nc         structure: dimensions, variables, attributes
  ncdump -hs in.nc        and how each variable is stored: chunks, filters, byte order
  ncdump -v temp in.nc    structure, and the values of temp
  ncdump --sel time=2000-02 --isel lev=0 in.nc
  ncdump --filters        the filters built in, and those of plugins";

/// The command with all its flags.
pub fn command() -> Command {
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
            "Data of these variables only, named by name or path",
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
/// [`Error::Usage`] with the invalid value of a flag.
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
        list: matches.get_flag("list-filters").then(|| filters::list(matches)),
    })
}

/// `-b` and `-f`. Both take effect; the last one determines how indices are counted.
fn annotations(matches: &ArgMatches) -> Result<Annotations> {
    let mut annotations = Annotations::default();
    let mut last = None;
    for (name, short) in [("rows", "-b"), ("elements", "-f")] {
        let Some(value) = matches.get_one::<String>(name) else {
            continue;
        };
        let order = match value.bytes().next() {
            Some(b'c' | b'C') => IndexOrder::C,
            Some(b'f' | b'F') => IndexOrder::Fortran,
            _ => return Err(Error::Usage(format!("invalid value for {short} option: {value}"))),
        };
        let index = matches.index_of(name);
        if index >= last {
            (annotations.order, last) = (order, index);
        }
        annotations.rows |= name == "rows";
        annotations.elements |= name == "elements";
    }
    Ok(annotations)
}

/// `-l`: a number as in C, which may be octal or hexadecimal. As in netCDF-C, text after it is ignored.
fn line_length(matches: &ArgMatches) -> Result<LineLength> {
    let Some(value) = matches.get_one::<String>("line-length") else {
        return Ok(LineLength::default());
    };
    let parsed = match value.strip_prefix("0x").or(value.strip_prefix("0X")) {
        Some(hexadecimal) => leading_number(hexadecimal, 16),
        None if value.starts_with('0') => leading_number(value, 8),
        None => leading_number(value, 10),
    };
    parsed.0.and_then(LineLength::new).ok_or_else(|| {
        let least = LineLength::LEAST;
        Error::Usage(format!("-l {value}: a line length is a number from {least} on"))
    })
}

/// `-p` and `-d`. The last one determines the number of digits.
fn precision(matches: &ArgMatches) -> Result<(Precision, Overrides)> {
    let mut precision = Precision {
        exact: matches.get_flag("exact"),
        ..Precision::default()
    };
    let mut overrides = Overrides::default();
    let mut last = None;
    for (name, short) in [("digits", "-d"), ("precision", "-p")] {
        let values = matches.get_many::<String>(name).into_iter().flatten();
        for (value, index) in values.zip(matches.indices_of(name).into_iter().flatten()) {
            let (float, double) = digits(value).ok_or_else(|| {
                Error::Usage(format!(
                    "{short} {value}: digits are numbers from 1 to 20, as in 9,17"
                ))
            })?;
            if name == "precision" {
                overrides.float |= float.is_some();
                overrides.double |= double.is_some();
            }
            if Some(index) >= last {
                last = Some(index);
                let default = Precision::default();
                precision.float = float.unwrap_or(default.float);
                precision.double = double.unwrap_or(default.double);
            }
        }
    }
    Ok((precision, overrides))
}

/// Parses the digits of floats and doubles: `F`, `F,D`. As in netCDF-C, a number may have white space before it, and
/// text after the last number is ignored. netCDF-C ignores a value that begins with a comma; here it sets the digits of
/// doubles.
fn digits(text: &str) -> Option<(Option<usize>, Option<usize>)> {
    let number = |text| {
        let (number, rest) = leading_number(text, 10);
        Some((number.filter(|n| (1..=20).contains(n))?, rest))
    };
    if let Some(double) = text.strip_prefix(',') {
        return Some((None, Some(number(double)?.0)));
    }
    let (float, rest) = number(text)?;
    let double = match rest.strip_prefix(',') {
        Some(double) => Some(number(double)?.0),
        None => None,
    };
    Some((Some(float), double))
}

/// The number at the beginning of `text`, parsed like C's `strtol`, and the text after it.
fn leading_number(text: &str, radix: u32) -> (Option<usize>, &str) {
    let text = text.trim_ascii_start();
    let digits = text.strip_prefix('+').unwrap_or(text);
    let end = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
    (usize::from_str_radix(&digits[..end], radix).ok(), &digits[end..])
}

/// `-X`: true to leave out `_NCProperties`.
fn without_properties(matches: &ArgMatches) -> Result<bool> {
    let mut without = false;
    for value in matches.get_many::<String>("extra").into_iter().flatten() {
        match value.bytes().next() {
            Some(b'p' | b'P') => without = true,
            Some(b'm' | b'M' | b'f' | b'F') => {}
            _ => return Err(Error::Usage(format!("invalid value for -X option: {value}"))),
        }
    }
    Ok(without)
}

/// `-t` and `-i`. As in netCDF-C, the last one counts.
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

/// Splits a comma-separated list. A backslash escapes the next character.
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

/// The name of a dataset without `-n`: the file's name without its last suffix.
pub fn dataset_name(file: &OsStr) -> String {
    let file = file.to_string_lossy();
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
        arguments(&command().try_get_matches_from(all).unwrap()).unwrap()
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
        assert_eq!(read(&["-n", "-foo"]).name.as_deref(), Some("-foo"));
        let args = read(&["-h", "-v", "a"]).dump;
        assert_eq!((args.data, args.required), (DataOf::None, vec!["a".to_owned()]));
        let args = read(&["-v", "a", "-c"]).dump;
        assert_eq!(
            (args.data, args.required),
            (DataOf::Coordinates, vec!["a".to_owned()])
        );
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
    fn how_values_look() {
        let dump = read(&["-p9,17", "-l0x64", "-fF", "-b", "c", "-gg,/h", "-sXp", "-wL0"]).dump;
        assert_eq!((dump.precision.float, dump.precision.double), (9, 17));
        assert!(dump.overrides.float && dump.overrides.double && dump.without_properties);
        assert_eq!(dump.line_length.columns(), 100);
        assert!(dump.annotations.rows && dump.annotations.elements);
        assert_eq!(dump.annotations.order, IndexOrder::C);
        assert_eq!(dump.groups, ["g", "/h"]);
        let dump = read(&["-p5", "-d3,4"]).dump;
        assert_eq!((dump.precision.float, dump.precision.double), (3, 4));
        assert!(dump.overrides.float && !dump.overrides.double);
        let dump = read(&["-d3,4", "-p5"]).dump;
        assert_eq!((dump.precision.float, dump.precision.double), (5, 15));
        assert_eq!(read(&["-p,4"]).dump.precision.double, 4);
        // As C's strtol reads them.
        for (spelled, digits) in [
            ("5x", (5, 15)),
            (" +5", (5, 15)),
            ("5x,9", (5, 15)),
            ("5,9x", (5, 9)),
            ("5, 9,3", (5, 9)),
        ] {
            let precision = read(&["-p", spelled]).dump.precision;
            assert_eq!((precision.float, precision.double), digits, "{spelled}");
        }
        assert_eq!(read(&["-l20x"]).dump.line_length.columns(), 20);
    }

    #[test]
    fn what_a_flag_cannot_have() {
        for args in [
            ["-p", "0"],
            ["-p", "21"],
            ["-p", "3,"],
            ["-p", "-1"],
            ["-p", "3,x"],
            ["-p", "99999999999999999999999"],
            ["-d", "x"],
            ["-l", "9"],
            ["-l", "ten"],
            ["-b", "x"],
            ["-f", ""],
            ["-X", "q"],
        ] {
            let all = ["ncdump"].iter().chain(&args).chain(&["in.nc"]);
            let matches = command().try_get_matches_from(all).unwrap();
            assert!(matches!(arguments(&matches), Err(Error::Usage(_))), "{args:?}");
        }
    }

    #[test]
    fn the_name_is_the_files() {
        for (path, name) in [
            ("b.nc", "b"),
            ("b", "b"),
            ("x.y.nc", "x.y"),
            ("we ird.h5", "we ird"),
            ("x.zarr", "x"),
            ("x.zarr.zip", "x.zarr"),
        ] {
            assert_eq!(dataset_name(path.as_ref()), name);
        }
    }
}
