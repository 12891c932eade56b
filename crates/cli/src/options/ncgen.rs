//! The options of ncgen.

use std::sync::LazyLock;

use ncutils_core::error::Alternative;

use super::opt::{Opt, Value};
use super::program::Program;
use super::shared::{
    accepted, digits, general, kinds, memory, prefer_plugin, remote, replace, string_length, threads,
};

const AFTER: &str = "\
Examples:
  ncgen in.cdl                   check the text, and make nothing
  ncgen -b in.cdl                make in.nc, of the kind that the text needs
  ncgen -k nc4 -o out.nc in.cdl  make a netCDF-4 file
  ncgen -o 'out.zarr#mode=nczarr,file' in.cdl  make NCZarr in a folder
  ncgen -l c in.cdl > make.c     print a C program that makes in.nc

Without a fragment, -k and a global attribute _Format, the kind is netCDF-4 where the text has groups, user-defined types, strings, \
more than one unlimited dimension, one that is not first, or attributes such as _DeflateLevel; else cdf5 where it has unsigned \
or 64-bit integers; else classic.";

/// ncgen.
pub static NCGEN: LazyLock<Program> = LazyLock::new(|| Program {
    name: "ncgen",
    about: "Makes a netCDF file, or a program that makes it, of CDL text; or checks the text",
    groups: vec![
        ("Output", output()),
        ("Kind of the file", kind()),
        ("Programs", programs()),
        ("Values", values()),
        ("Remote stores and plugins", access()),
        ("Compatibility", compatibility()),
        ("General", common()),
    ],
    most_used: &[
        "binary", "output", "kind", "netCDF-4", "classic", "language", "header", "strlen", "threads", "help",
    ],
    operands: vec![
        Opt::operand(
            "input",
            "INPUT",
            "The CDL text, by its path or URL; - or nothing for standard input",
        )
        .more("URLs begin with file://, s3://, gs://, az:// or https://."),
    ],
    usage: &[],
    modes: &[],
    after: || AFTER.to_owned(),
});

fn output() -> Vec<Opt> {
    vec![
        Opt::short('b', "binary", "Make the file; implied by -k, -3 to -7 and -o")
            .or_long("binary"),
        Opt::short('o', "output", "The file to make")
            .or_long("output")
            .value(Value::Path("FILE"))
            .more("With a fragment such as #mode=nczarr,file or #mode=zarr,zip it is a Zarr dataset. It appears, or replaces an older one, only when it is complete."),
        Opt::short('n', "cdf", "As -b, but the file's name ends in .cdf if -o gives no name")
            .or_long("cdf"),
        Opt::short('N', "name", "Name of the file, for text from standard input")
            .or_long("name")
            .common()
            .value(Value::Text("NAME"))
            .more("Without the option, the text's own name."),
    ]
}

fn kind() -> Vec<Opt> {
    let mut options = vec![
        Opt::short(
            'k',
            "kind",
            "Kind of the file: nc3, nc6, nc5, nc4, nc7, archive and others",
        )
        .or_long("kind")
        .value(Value::Text("KIND"))
        .more(kinds())
        .section("nccopy.md#kind-of-the-output"),
        Opt::short('v', "version-name", "Same as -k")
            .or_long("version-name")
            .value(Value::Text("KIND")),
    ];
    options.extend(digits(&[]));
    options
}

fn programs() -> Vec<Opt> {
    vec![
        Opt::short(
            'l',
            "language",
            "Print a program that makes the file: c, or f77 (classic model only)",
        )
        .or_long("language")
        .value(Value::Text("LANGUAGE"))
        .more("Other names: C, fortran77 and Fortran77. b makes the file, as -b does.")
        .alternatives(&[(Alternative::CProgram, "; use -l c")]),
        Opt::short('c', "c", "Same as -l c").or_long("c").common(),
        Opt::short('f', "fortran", "Same as -l f77")
            .or_long("fortran")
            .common(),
        Opt::short(
            'M',
            "main",
            "Name of the program's main function; default main, in Fortran make",
        )
        .or_long("main")
        .common()
        .value(Value::Text("NAME")),
    ]
}

fn values() -> Vec<Opt> {
    vec![
        Opt::short('H', "header", "Leave out the values: make the header only")
            .or_long("header")
            .alternatives(&[(Alternative::NoValues, ", or leave the values out by -H")]),
        Opt::short('x', "no-fill", "Variables have no fill value")
            .or_long("no-fill")
            .common()
            .more("Elements without values in the text read as fill, as zeros, or are undefined."),
        string_length(&[]),
    ]
}

fn access() -> Vec<Opt> {
    let mut options = vec![replace()];
    options.extend(remote());
    options.push(prefer_plugin());
    options
}

fn common() -> Vec<Opt> {
    let mut options = vec![memory(""), threads()];
    options.extend(general().map(|option| match option.id {
        "help" => option.or_short('h'),
        _ => option,
    }));
    options
}

fn compatibility() -> Vec<Opt> {
    vec![
        accepted('1', "1", "1"),
        accepted('B', "buffer", "buffer-size").value(Value::Text("BYTES")),
        accepted('d', "debug", "debug"),
        accepted('D', "debug-level", "debug-level").value(Value::Text("N")),
        accepted('L', "log", "log-level").value(Value::Text("N")),
        accepted('P', "diskless", "diskless"),
        accepted('W', "whole", "whole").value(Value::Text("N")),
    ]
}
