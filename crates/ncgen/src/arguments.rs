//! The arguments of a call of `ncgen`, made of the options of the table.

use std::ffi::OsString;

use clap::ArgMatches;
use ncutils_cli::filters;
use ncutils_cli::messages::Messages;
use ncutils_cli::options::NCGEN;
use ncutils_cli::values::remote::{self, RemoteOptions};
use ncutils_cli::values::text::text;
use ncutils_cli::values::{kind, memory, string_length};
use ncutils_core::copy::plan::StringLength;
use ncutils_core::error::{Error, Result};
use ncutils_core::filter::Registry;
use ncutils_core::model::Kind;

use crate::language::Language;

/// The parsed arguments of a call of `ncgen`.
#[derive(Debug)]
pub struct Arguments {
    /// The CDL text, as named by the user; `-` or `None` for standard input.
    pub input: Option<OsString>,
    /// `-o`: the output, as named by the user.
    pub output: Option<OsString>,
    /// `-N`: the output's name for text from standard input.
    pub name: Option<String>,
    /// The suffix of the output's name without `-o`: `.nc`, or `.cdf` with `-n`.
    pub suffix: &'static str,
    /// The output's language; `None` if the text is only checked.
    pub language: Option<Language>,
    /// `-M`: name of the main function of a program.
    pub main: Option<String>,
    /// `-k`, `-3` … `-7`.
    pub kind: Option<Kind>,
    /// `-k archive`: make a compressed archive of a classic file, of the least kind.
    pub archive: bool,
    /// `-H`: leave out the values.
    pub header_only: bool,
    /// `-x`: variables have no fill value.
    pub no_fill: bool,
    /// `--strlen`: the bytes of each string, where all strings of a variable take the same number.
    pub string_length: Option<StringLength>,
    /// `-m`: maximum memory in bytes; `None` lets the engine decide.
    pub memory: Option<u64>,
    /// `--replace`.
    pub replace: bool,
    /// The filters that chunks can be encoded with.
    pub registry: Registry,
    /// `--requests` and `--verbose`.
    pub remote: RemoteOptions,
    /// What the call tells on standard error.
    pub messages: Messages,
}

/// The arguments that clap has parsed.
///
/// # Errors
/// The expected value of an option.
pub fn arguments(matches: &ArgMatches) -> Result<Arguments> {
    let owned = |id: &str| text(matches, id).map(str::to_owned);
    let output = matches.get_one::<OsString>("output").cloned();
    let archive = text(matches, "kind") == Some("archive");
    let kind = match archive {
        true => None,
        false => {
            kind::asked(matches, &["kind", "version-name"]).map_err(|error| kind::and_archives(error, ""))?
        }
    };
    let implied = archive || kind.is_some() || output.is_some();
    let memory = memory::bytes(matches, "memory", "-m")?;
    Ok(Arguments {
        remote: remote::options(matches),
        messages: Messages::of(&NCGEN, matches),
        input: matches.get_one::<OsString>("input").cloned(),
        output,
        name: owned("name"),
        suffix: if matches.get_flag("cdf") { ".cdf" } else { ".nc" },
        language: language(matches)?.or(implied.then_some(Language::Binary)),
        main: owned("main"),
        kind,
        archive,
        header_only: matches.get_flag("header"),
        no_fill: matches.get_flag("no-fill"),
        string_length: string_length::asked(matches)?,
        replace: matches.get_flag("replace"),
        memory,
        registry: filters::registry(matches, memory),
    })
}

/// The language given by `-l`, `-b`, `-c`, `-f` and `-n`, which must agree.
fn language(matches: &ArgMatches) -> Result<Option<Language>> {
    let named = text(matches, "language").map(Language::from_name).transpose()?;
    let flags = [
        ("binary", Language::Binary),
        ("cdf", Language::Binary),
        ("c", Language::C),
        ("fortran", Language::Fortran77),
    ];
    let mut asked = named;
    for (flag, language) in flags {
        if matches.get_flag(flag) {
            if asked.is_some_and(|other| other != language) {
                return Err(Error::Usage(
                    "-b, -n, -c, -f and -l ask for different languages; give one of them".to_owned(),
                ));
            }
            asked = Some(language);
        }
    }
    Ok(asked)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(args: &[&str]) -> Result<Arguments> {
        arguments(
            &NCGEN
                .command()
                .try_get_matches_from(["ncgen"].iter().chain(args))
                .unwrap(),
        )
    }

    #[test]
    fn the_definition_is_consistent() {
        NCGEN.command().debug_assert();
    }

    #[test]
    fn flags_cluster_and_attach_as_getopt_takes_them() {
        let args = read(&[
            "-bxHo", "out.nc", "-knc7", "-lb", "-L0", "-D2", "-d", "-W", "8", "-B9", "in.cdl",
        ]);
        let args = args.unwrap();
        assert_eq!(args.kind, Some(Kind::Netcdf4Classic));
        assert!(args.no_fill && args.header_only);
        assert_eq!(args.output.unwrap(), "out.nc");
        assert_eq!(args.input.unwrap(), "in.cdl");
        assert_eq!(args.language, Some(Language::Binary));
        let args = read(&["-NM", "-Mx", "-"]).unwrap();
        assert_eq!(
            (args.name.as_deref(), args.main.as_deref()),
            (Some("M"), Some("x"))
        );
        assert_eq!(
            (args.input, args.language, args.suffix),
            (Some("-".into()), None, ".nc")
        );
    }

    #[test]
    fn what_is_made() {
        for (args, language) in [
            (&[][..], None),
            (&["-1"], None),
            (&["-x", "-H"], None),
            (&["-b"], Some(Language::Binary)),
            (&["-n"], Some(Language::Binary)),
            (&["-bn"], Some(Language::Binary)),
            (&["-3"], Some(Language::Binary)),
            (&["-v", "1"], Some(Language::Binary)),
            (&["-o", "x"], Some(Language::Binary)),
            (&["-c"], Some(Language::C)),
            (&["-lC", "-o", "x"], Some(Language::C)),
            (&["-f"], Some(Language::Fortran77)),
            (&["-lfortran77"], Some(Language::Fortran77)),
        ] {
            assert_eq!(read(args).unwrap().language, language, "{args:?}");
        }
        assert_eq!(read(&["-n"]).unwrap().suffix, ".cdf");
        for bad in [
            &["-b", "-lc"][..],
            &["-cf"],
            &["-lj"],
            &["-lpython"],
            &["-k", "nc9"],
            &["-m", "much"],
        ] {
            assert!(matches!(read(bad), Err(Error::Usage(_))), "{bad:?}");
        }
    }

    #[test]
    fn numbers_of_kinds_are_old_names_and_digits_are_not() {
        for (args, kind) in [
            (&["-k", "3"][..], Kind::Netcdf4),
            (&["-3"], Kind::Classic),
            (&["-v", "netCDF-4_classic"], Kind::Netcdf4Classic),
            (&["-k", "64-bit-offset", "-5"], Kind::Data64),
            (&["-5", "-v", "64-bit offset"], Kind::Offset64),
            (&["-k", "enhanced"], Kind::Netcdf4),
            (&["-kcdf-5"], Kind::Data64),
        ] {
            assert_eq!(read(args).unwrap().kind, Some(kind), "{args:?}");
        }
    }

    #[test]
    fn one_text() {
        assert!(NCGEN.command().try_get_matches_from(["ncgen", "a", "b"]).is_err());
    }
}
