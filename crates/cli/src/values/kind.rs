//! The kind of the output: `-k`, and `-3` to `-7`.

use clap::ArgMatches;
use ncutils_core::error::{Error, Result};
use ncutils_core::model::Kind;
use ncutils_core::model::similar::question;

/// Other names of kinds, and the words for no single kind.
const OTHERS: [&str; 7] = [
    "netcdf4", "netcdf-4", "archive", "zst", "h5", "kerchunk", "icechunk",
];

/// Names of kinds in other programs, in lower case, with those that are meant.
const ELSEWHERE: [(&str, &str); 10] = [
    ("netcdf3", "nc3"),
    ("netcdf-3", "nc3"),
    ("netcdf3_classic", "nc3"),
    ("cdf1", "nc3"),
    ("nc2", "nc6"),
    ("cdf2", "nc6"),
    ("netcdf3_64bit_offset", "nc6"),
    ("netcdf3_64bit", "nc6"),
    ("netcdf3_64bit_data", "nc5"),
    ("netcdf4_classic", "nc7"),
];

/// The values of `-k`, for the help and for errors: `nc3 (classic), …`.
pub fn names() -> String {
    let kinds = Kind::OF_FILES.into_iter().chain(Kind::OF_ZARR);
    let names = kinds.map(|kind| format!("{} ({})", kind.can().short_name, kind.name()));
    names.collect::<Vec<_>>().join(", ")
}

/// The error for an unknown kind, with what `-k` takes beside the [names]: archives, and `more`.
pub fn and_archives(error: Error, more: &str) -> Error {
    match error {
        // The error has a list of kinds, unless it asks about one.
        Error::Usage(why) if !why.ends_with('?') => Error::Usage(format!(
            "{why}; and archive, nc3z, nc6z, nc5z{more}, which --help explains"
        )),
        other => other,
    }
}

/// The kinds with an option of one digit, sorted by the digit. The option's id is the kind's name.
pub fn with_digits() -> Vec<(char, Kind)> {
    let digit = |kind: Kind| Some((kind.can().digit?, kind));
    let mut kinds: Vec<_> = Kind::OF_FILES.into_iter().filter_map(digit).collect();
    kinds.sort_by_key(|(digit, _)| *digit);
    kinds
}

/// The kind given by an option of one digit, or by an option in `named`, whose value is a name. The last one counts.
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
    for (_, kind) in with_digits() {
        if matches.get_flag(kind.name()) {
            take(matches.index_of(kind.name()), kind);
        }
    }
    Ok(last.map(|(_, kind)| kind))
}

/// True if an option was given, and no option of one digit after it.
pub fn is_last(matches: &ArgMatches, option: &str) -> bool {
    let digits = with_digits().into_iter();
    let given = digits.filter(|(_, kind)| matches.get_flag(kind.name()));
    let last = given.filter_map(|(_, kind)| matches.index_of(kind.name())).max();
    matches.index_of(option) > last
}

fn from_name(name: &str) -> Result<Kind> {
    let of_zarr = Kind::OF_ZARR.into_iter().find(|kind| kind.can().is_named(name));
    of_zarr.or_else(|| Kind::from_name(name)).ok_or_else(|| {
        let words = Kind::OF_FILES
            .into_iter()
            .chain(Kind::OF_ZARR)
            .chain(Kind::ARCHIVES);
        let words = words.flat_map(|kind| [kind.can().short_name, kind.name()]);
        let elsewhere = ELSEWHERE
            .iter()
            .find(|(other, _)| name.eq_ignore_ascii_case(other));
        let meant = match elsewhere {
            Some((_, meant)) => format!(": is '{meant}' meant?"),
            // Several are meant equally.
            None if name.eq_ignore_ascii_case("zarr") => String::new(),
            None => question(name, words.chain(OTHERS)),
        };
        Error::Usage(match meant.as_str() {
            "" => format!("-k '{name}': unknown kind; the kinds are {}", names()),
            meant => format!("-k '{name}': unknown kind{meant}"),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::NCGEN;

    #[test]
    fn every_kind_has_a_digit_and_a_name() {
        assert_eq!(
            names(),
            "nc3 (classic), nc6 (64-bit offset), nc5 (cdf5), nc4 (netCDF-4), nc7 (netCDF-4 classic model), \
             nczarr (NCZarr), zarr2 (Zarr version 2), zarr3 (Zarr version 3)"
        );
        for (digit, kind) in [
            ("-3", Kind::Classic),
            ("-4", Kind::Netcdf4),
            ("-5", Kind::Data64),
            ("-6", Kind::Offset64),
            ("-7", Kind::Netcdf4Classic),
        ] {
            let matches = NCGEN.command().get_matches_from(["ncgen", digit]);
            assert_eq!(asked(&matches, &[]).unwrap(), Some(kind));
        }
        let error = from_name("odd").unwrap_err().to_string();
        assert_eq!(
            error,
            format!("-k 'odd': unknown kind; the kinds are {}", names())
        );
        let near = and_archives(from_name("nc44").unwrap_err(), " and zst").to_string();
        assert_eq!(near, "-k 'nc44': unknown kind: is 'nc4' meant?");
        for (name, meant) in [("netcdf3", "nc3"), ("NETCDF3_64BIT_DATA", "nc5"), ("cdf2", "nc6")] {
            let error = from_name(name).unwrap_err().to_string();
            assert_eq!(error, format!("-k '{name}': unknown kind: is '{meant}' meant?"));
        }
        let error = and_archives(from_name("odd").unwrap_err(), " and zst").to_string();
        assert!(
            error.ends_with("; and archive, nc3z, nc6z, nc5z and zst, which --help explains"),
            "{error}"
        );
        for (name, kind) in [
            ("nczarr", Kind::Nczarr),
            ("zarr2", Kind::Zarr2),
            ("zarr3", Kind::Zarr3),
        ] {
            assert_eq!(from_name(name).unwrap(), kind);
        }
    }
}
