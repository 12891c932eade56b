//! The flags of `ncgen`. Each is defined once, here. The parser, `--help` and the man page are made from these
//! definitions.

use std::ffi::OsString;

use clap::{Arg, ArgMatches, Command, value_parser};
use ncutils_cli::options::{flag, help, program, value, version};
use ncutils_cli::remote::{self, RemoteOptions};
use ncutils_cli::{filters, kind_option, memory, replace, string_length};
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
    /// `--threads`: number of threads; `None` lets the engine decide.
    pub threads: Option<usize>,
    /// The filters that chunks can be encoded with.
    pub registry: Registry,
    /// `--requests` and `--verbose`.
    pub remote: RemoteOptions,
}

const AFTER_HELP: &str = "\
Examples:
  ncgen in.cdl                   check the text, and make nothing
  ncgen -b in.cdl                make in.nc, of the kind that the text needs
  ncgen -k nc4 -o out.nc in.cdl  make a netCDF-4 file
  ncgen -o 'out.zarr#mode=nczarr,file' in.cdl  make NCZarr in a folder
  ncgen -l c in.cdl > make.c     print a C program that makes in.nc

Without a fragment, -k and a global attribute _Format, the kind is netCDF-4 where the text has groups, user-defined types, strings, \
more than one unlimited dimension, one that is not first, or attributes such as _DeflateLevel; else cdf5 where it has unsigned \
or 64-bit integers; else classic.";

/// The command with all its flags.
pub fn command() -> Command {
    program(
        "ncgen",
        env!("CARGO_PKG_VERSION"),
        "Makes a netCDF file, or a program that makes it, of CDL text; or checks the text",
        AFTER_HELP,
    )
    .arg(flag(
        "binary",
        'b',
        "Make the file; implied by -k, -3 to -7 and -o",
    ))
    .arg(
        value(
            "output",
            'o',
            "FILE",
            "The file to make, or with a fragment such as #mode=nczarr,file or #mode=zarr,zip a Zarr dataset; it appears, or replaces an older one, only when complete",
        )
        .value_parser(value_parser!(OsString)),
    )
    .arg(value("kind", 'k', "KIND", "").help(format!("Kind of the file: {}; archive, a compressed netCDF-3 archive (nc3z, nc6z, nc5z name its kind)", kind_option::names())))
    .arg(value("version-name", 'v', "KIND", "Same as -k"))
    .args(kind_option::digits())
    .arg(value(
        "language",
        'l',
        "LANGUAGE",
        "Print a program that makes the file: c, or f77 (classic model only); b: make the file",
    ))
    .arg(flag("c", 'c', "Same as -l c"))
    .arg(flag("fortran", 'f', "Same as -l f77"))
    .arg(flag("cdf", 'n', "As -b, but the file's name ends in .cdf"))
    .arg(value(
        "main",
        'M',
        "NAME",
        "The name of the program's main function; default main, in Fortran make",
    ))
    .arg(value(
        "name",
        'N',
        "NAME",
        "Names the file where the text comes from standard input, instead of the text's own name",
    ))
    .arg(flag("header", 'H', "Leave out the values: make the header only"))
    .arg(flag(
        "no-fill",
        'x',
        "Variables have no fill value; what has no values in the text reads as anything",
    ))
    .arg(string_length::option())
    .arg(
        value(
            "memory",
            'm',
            "BYTES",
            "Memory to take, with suffix K, M or G (decimal); default a quarter of the machine's",
        )
        .long("memory"),
    )
    .arg(
        Arg::new("threads")
            .long("threads")
            .value_name("N")
            .value_parser(value_parser!(usize))
            .help("Threads to work with; default one for each core"),
    )
    .arg(filters::prefer_plugin())
    .arg(replace::option())
    .arg(flag("1", '1', "Accepted for compatibility; does nothing"))
    .arg(value(
        "buffer",
        'B',
        "BYTES",
        "Accepted for compatibility; not needed",
    ))
    .arg(flag("debug", 'd', "Accepted for compatibility; does nothing"))
    .arg(value(
        "debug-level",
        'D',
        "N",
        "Accepted for compatibility; does nothing",
    ))
    .arg(value("log", 'L', "N", "Accepted for compatibility; does nothing"))
    .arg(flag("diskless", 'P', "Accepted for compatibility; not needed"))
    .arg(value("whole", 'W', "N", "Accepted for compatibility; not needed"))
    .args(remote::arguments())
    .arg(help().short('h'))
    .arg(version())
    .arg(
        Arg::new("input")
            .value_name("INPUT")
            .value_parser(value_parser!(OsString))
            .help("The CDL text, by its path or URL (file://, s3://, gs://, az://, https://); - or nothing for standard input"),
    )
}

/// Parses the flags.
///
/// # Errors
/// The expected value of an option.
pub fn arguments(matches: &ArgMatches) -> Result<Arguments> {
    let text = |name: &str| matches.get_one::<String>(name).cloned();
    let output = matches.get_one::<OsString>("output").cloned();
    let archive = matches
        .get_one::<String>("kind")
        .is_some_and(|kind| kind == "archive");
    let kind = match archive {
        true => None,
        false => kind_option::asked(matches, &["kind", "version-name"])
            .map_err(|error| kind_option::and_archives(error, ""))?,
    };
    let implied = archive || kind.is_some() || output.is_some();
    Ok(Arguments {
        remote: remote::options(matches),
        input: matches.get_one::<OsString>("input").cloned(),
        output,
        name: text("name"),
        suffix: if matches.get_flag("cdf") { ".cdf" } else { ".nc" },
        language: language(matches)?.or(implied.then_some(Language::Binary)),
        main: text("main"),
        kind,
        archive,
        header_only: matches.get_flag("header"),
        no_fill: matches.get_flag("no-fill"),
        string_length: string_length::asked(matches)?,
        replace: replace::asked(matches),
        memory: text("memory").map(|v| memory::bytes(&v, "-m")).transpose()?,
        threads: matches.get_one::<usize>("threads").copied(),
        registry: filters::registry(matches),
    })
}

/// The language given by `-l`, `-b`, `-c`, `-f` and `-n`, which must agree.
fn language(matches: &ArgMatches) -> Result<Option<Language>> {
    let named = matches
        .get_one::<String>("language")
        .map(|name| Language::from_name(name))
        .transpose()?;
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
            &command()
                .try_get_matches_from(["ncgen"].iter().chain(args))
                .unwrap(),
        )
    }

    #[test]
    fn the_definition_is_consistent() {
        command().debug_assert();
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
        assert!(command().try_get_matches_from(["ncgen", "a", "b"]).is_err());
    }
}
