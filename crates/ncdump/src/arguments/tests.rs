use ncutils_core::error::Error;
use ncutils_core::print::IndexOrder;
use ncutils_core::time::DateSeparator;

use super::*;
use ncutils_core::model::NamePattern;

fn read(args: &[&str]) -> Arguments {
    let all = ["ncdump"].iter().chain(args).chain(&["in.nc"]);
    arguments(&NCDUMP.command().try_get_matches_from(all).unwrap()).unwrap()
}

#[test]
fn the_definition_is_consistent() {
    NCDUMP.command().debug_assert();
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
    assert_eq!((args.data, args.required), (DataOf::None, vec!["a".into()]));
    let args = read(&["-v", "a", "-c"]).dump;
    assert_eq!(
        (args.data, args.required),
        (DataOf::Coordinates, vec!["a".into()])
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
    assert_eq!(dump.groups, ["g", "/h"].map(NamePattern::from));
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
        let matches = NCDUMP.command().try_get_matches_from(all).unwrap();
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

#[test]
fn what_a_mode_would_ignore_is_refused() {
    let parses = |args: &[&str]| {
        let all = ["ncdump"].iter().chain(args).chain(&["in.nc"]);
        NCDUMP.command().try_get_matches_from(all).is_ok()
    };
    for mode in [
        &["--check"][..],
        &["--digest"],
        &["--diff", "b.nc"],
        &["--sources"],
    ] {
        assert!(parses(mode), "{mode:?}");
        for option in [
            "-h", "-c", "-gg", "-bc", "-fc", "-l80", "-p9", "-d9", "-s", "-F", "-x", "-t", "-i", "-Xp", "-K",
            "-k", "-nx",
        ] {
            assert!(!parses(&[mode, &[option]].concat()), "{mode:?} {option}");
        }
        for other in [
            &["--check"][..],
            &["--digest"],
            &["--diff", "b.nc"],
            &["--sources"],
        ] {
            assert!(
                mode == other || !parses(&[mode, other].concat()),
                "{mode:?} {other:?}"
            );
        }
        let takes = |option: &[&str]| parses(&[mode, option].concat());
        assert_eq!(takes(&["--json"]), mode == ["--check"], "{mode:?}");
        assert_eq!(takes(&["-v", "a"]), mode != ["--sources"], "{mode:?}");
        let takes_part = mode == ["--digest"] || mode.len() == 2;
        assert_eq!(takes(&["--isel", "x=1"]), takes_part, "{mode:?}");
        assert_eq!(takes(&["--sel", "x=1"]), takes_part, "{mode:?}");
        assert_eq!(takes(&["--exact"]), mode.len() == 2, "{mode:?}");
    }
}

#[test]
fn only_comparisons_fail_with_another_status() {
    let status = |args: &[&str]| failure_status(args.iter().map(OsString::from));
    assert_eq!(status(&["ncdump", "--diff", "a.nc"]), 2);
    assert_eq!(status(&["ncdump", "--diff=a.nc"]), 2);
    assert_eq!(status(&["ncdump", "--different", "diff"]), 1);
}
