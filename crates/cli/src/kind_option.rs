//! The options for the kind of the output: `-k`, and `-3` to `-7`.

use clap::{Arg, ArgAction, ArgMatches};
use ncutils_core::error::{Error, Result};
use ncutils_core::model::Kind;

/// The values of `-k`, for `--help`.
pub const NAMES: &str =
    "nc3 (classic), nc6 (64-bit offset), nc5 (cdf5), nc4 (netCDF-4), nc7 (netCDF-4 classic model)";

const DIGITS: [(&str, char, Kind); 5] = [
    ("3", '3', Kind::Classic),
    ("4", '4', Kind::Netcdf4),
    ("5", '5', Kind::Data64),
    ("6", '6', Kind::Offset64),
    ("7", '7', Kind::Netcdf4Classic),
];

/// The options `-3` to `-7`.
pub fn digits() -> impl Iterator<Item = Arg> {
    DIGITS.into_iter().map(|(name, digit, kind)| {
        Arg::new(name)
            .short(digit)
            .action(ArgAction::SetTrue)
            .help(format!("Same as -k '{}'", kind.name()))
    })
}

/// The kind given by an option of [`digits`], or by an option in `named`, whose value is a name. The last one counts.
///
/// # Errors
/// An unknown name.
pub fn asked(matches: &ArgMatches, named: &[&str]) -> Result<Option<Kind>> {
    let mut last: Option<(usize, Kind)> = None;
    let mut take = |at: Option<usize>, kind: Kind| {
        if at > last.map(|(at, _)| at) || last.is_none() {
            last = at.map(|at| (at, kind));
        }
    };
    for option in named {
        if let Some(name) = matches.get_one::<String>(option) {
            take(matches.index_of(option), from_name(name)?);
        }
    }
    for (name, _, kind) in DIGITS {
        if matches.get_flag(name) {
            take(matches.index_of(name), kind);
        }
    }
    Ok(last.map(|(_, kind)| kind))
}

fn from_name(name: &str) -> Result<Kind> {
    Kind::from_name(name)
        .ok_or_else(|| Error::Usage(format!("-k '{name}': unknown kind; the kinds are {NAMES}")))
}
