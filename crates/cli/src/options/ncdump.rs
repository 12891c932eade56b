//! The options of ncdump.

use std::sync::LazyLock;

use super::mode::Mode::{self, Check, Diff, Digest, Map, Print, Sizes, Sources};
use super::opt::{Opt, Value};
use super::program::Program;
use super::shared::{
    accepted, general, input, memory, other_files, prefer_plugin, references, remote, subset,
};

/// Options that say what is printed of the content, or how it looks.
const OF_PRINTING: &[Mode] = &[Print];

const AFTER: &str = "\
Examples:
  ncdump -h in.nc         structure: dimensions, variables, attributes
  ncdump -hs in.nc        and how each variable is stored: chunks, filters, byte order
  ncdump -v temp in.nc    structure, and the values of temp
  ncdump --sizes in.nc    which variables take how many bytes?
  ncdump --sel time=2000-02 --isel lev=0 in.nc
  ncdump --check in.nc    is every chunk, checksum and index sound?
  ncdump --digest in.nc   SHA-256 of each variable, the same in every format
  ncdump --diff other.zarr --tolerance 1e-6 in.nc
  ncdump --filters        the filters built in, and those of plugins";

/// ncdump.
pub static NCDUMP: LazyLock<Program> = LazyLock::new(|| Program {
    name: "ncdump",
    about: "Prints a netCDF or HDF5 file as CDL text",
    groups: vec![
        ("What to print", selection()),
        ("Which parts", subset(&[Print, Digest, Diff]).into()),
        ("How values look", form()),
        ("How variables are stored", storage()),
        ("Other output than CDL", others()),
        ("Safety", integrity()),
        ("Remote stores and other files", access()),
        ("Compatibility", compatibility()),
        ("General", common()),
    ],
    most_used: &[
        "header", "vars", "special", "times", "kind", "sel", "isel", "check", "diff", "help",
    ],
    operands: vec![
        input()
            .value(Value::Paths("INPUT"))
            .required_unless("list-filters"),
    ],
    usage: &[
        "[OPTIONS] INPUT",
        "[OPTIONS] -h|-k|-K|--sizes|--check|--digest INPUT...",
        "--filters",
    ],
    modes: &[],
    after: || AFTER.to_owned(),
});

fn selection() -> Vec<Opt> {
    vec![
        Opt::short('h', "header", "Header only: types, dimensions, variables, attributes; no data")
            .or_long("header")
            .modes(OF_PRINTING),
        Opt::short('c', "coordinates", "Data of coordinate variables only")
            .or_long("coordinates")
            .common().modes(OF_PRINTING),
        Opt::short('v', "vars", "Data of these variables only, named by name or path; repeatable")
            .or_long("variables")
            .value(Value::Texts("VAR,…"))
            .more("temp is every variable of that name, /a/temp one of them. With --check, --digest and --diff: nothing but these variables.")
            .modes(&[Print, Check, Digest, Diff]),
        Opt::short('g', "groups", "Data of the variables directly in these groups only; repeatable")
            .or_long("groups")
            .common()
            .value(Value::Texts("GROUP,…"))
            .more("Groups are named by name or path. The header stays complete.")
            .modes(OF_PRINTING),
    ]
}

fn form() -> Vec<Opt> {
    let digits = Value::Texts("FLOAT[,DOUBLE]");
    vec![
        Opt::short(
            'p',
            "precision",
            "Significant digits of floats and doubles, 1 to 20 [default: 7,15]",
        )
        .or_long("precision")
        .value(digits.clone())
        .common()
        .more("They apply to attributes, too.")
        .modes(OF_PRINTING),
        Opt::short(
            'd',
            "digits",
            "As -p, but a variable's attribute C_format comes before it",
        )
        .or_long("digits")
        .value(digits)
        .more("The last of -p and -d sets the number of digits.")
        .modes(OF_PRINTING),
        Opt::short(
            'l',
            "line-length",
            "Columns of lines of values, 10 or more [default: 80]",
        )
        .or_long("line-length")
        .value(Value::Text("LENGTH"))
        .common()
        .modes(OF_PRINTING),
        Opt::short('b', "rows", "Say before each row which elements it has")
            .or_long("brief")
            .common()
            .value(Value::Text("c|f"))
            .more("In a comment such as // t(0,3, 0-719), for variables of two or more dimensions. c: by C's indices, from 0. f: by Fortran's, from 1 and fastest dimension first.")
            .modes(OF_PRINTING),
        Opt::short('f', "elements", "Say behind each value which element it is")
            .or_long("full")
            .common()
            .value(Value::Text("c|f"))
            .more("As -b, with each value on a line of its own; rows of char stay whole.")
            .modes(OF_PRINTING),
        Opt::short(
            't',
            "times",
            "Print times as dates: \"1990-01-04 12\" for 3.5 days since 1990-01-01",
        )
        .or_long("times")
        .section("ncdump.md#times")
        .modes(OF_PRINTING),
        Opt::short(
            'i',
            "iso-times",
            "As -t, with a T between date and time, as ISO 8601 has it",
        )
        .or_long("iso-times")
        .common()
        .section("ncdump.md#times")
        .modes(OF_PRINTING),
        Opt::long(
            "exact",
            "Lose nothing: all digits of numbers, all types, the kind of the file",
        )
        .more("With --diff: compare bits, so that NaNs and zeros may differ.")
        .section("ncdump.md#exact")
        .common()
        .modes(&[Print, Diff])
        .conflicts(&["times", "iso-times", "json"]),
        references(&[Print, Digest, Diff]),
        Opt::short('n', "name", "Name for the netCDF, instead of the file's")
            .or_long("name")
            .common()
            .value(Value::Text("NAME"))
            .modes(&[Print, Map]),
    ]
}

fn storage() -> Vec<Opt> {
    let section = "ncdump.md#storage";
    vec![
        Opt::short(
            's',
            "special",
            "Show how variables are stored, as attributes that begin with _",
        )
        .or_long("special")
        .section(section)
        .modes(OF_PRINTING),
        Opt::short(
            'F',
            "filters",
            "As -s, with all filters in one attribute _Filter, in their order",
        )
        .or_long("filter-attributes")
        .common()
        .section(section)
        .modes(OF_PRINTING),
        Opt::short(
            'X',
            "extra",
            "p: no _NCProperties with -s; m, F: accepted, without effect",
        )
        .or_long("extra")
        .value(Value::Texts("p|m|F"))
        .modes(OF_PRINTING),
    ]
}

fn others() -> Vec<Opt> {
    vec![
        Opt::short('x', "ncml", "Print the header as NcML, which is XML")
            .or_long("ncml")
            .common()
            .section("ncdump.md#ncml")
            .modes(OF_PRINTING)
            .conflicts(&["json", "exact"]),
        Opt::long("json", "Print JSON, in the shape of NCO's 'ncks --jsn'")
            .more("With --check and --sizes: the report as JSON.")
            .section("json.md")
            .common()
            .modes(&[Print, Check, Sizes]),
        Opt::short('k', "kind", "Print the kind of the file, and nothing else")
            .or_long("kind")
            .more("classic, 64-bit offset, cdf5, netCDF-4 (Zarr too) or netCDF-4 classic model; classic archive, 64-bit offset archive or cdf5 archive.")
            .modes(OF_PRINTING),
        Opt::short('K', "format", "Print the format of the file, and nothing else")
            .or_long("format")
            .common()
            .more("classic, 64-bit offset, 64-bit data, HDF5, NCZarr version 2.0.0, Zarr version 2 or Zarr version 3, and the flags with which netCDF-C opens it; an archive as by -k.")
            .modes(OF_PRINTING),
        Opt::long("sources", "List the other files that the dataset refers to, and nothing else")
            .more("Each with where it is, or why it is not read.")
            .common()
            .section("other-files.md")
            .selects(&[Sources]),
        Opt::long("sizes", "Tell how many bytes each variable takes, the largest first")
            .more("In the file and in memory, with shape, type, chunks and filters; then metadata and unused space. Reads no data.")
            .section("ncdump.md#sizes")
            .common()
            .selects(&[Sizes]),
        Opt::long("map", "Print a page of HTML that shows the bytes of variables and chunks")
            .more("And what other filters, other chunks or Zarr would make of them, by samples. Write it to a file: ncdump --map in.nc > map.html")
            .section("ncdump.md#map")
            .common()
            .selects(&[Map]),
        // The id of -F is the word.
        Opt::long("list-filters", "List the filters built in and those of plugins, and read no file")
            .or_long("filters")
            .common()
            .section("filters.md#plugins"),
    ]
}

fn integrity() -> Vec<Opt> {
    vec![
        Opt::long("check", "Read all of the dataset and print what is wrong, a line for each fault")
            .more("The exit status is 1 if anything is.")
            .section("ncdump.md#check-and-diff")
            .selects(&[Check]),
        Opt::long("digest", "Print SHA-256 digests of values and attributes, the same in every format")
            .section("../formats/digest.md")
            .common()
            .selects(&[Digest]),
        Opt::long("diff", "Compare the dataset OTHER with INPUT, and print what differs")
            .value(Value::Path("OTHER"))
            .more("OTHER may be of any format; its values come first in a line. The exit status is 0 if they are the same, 1 if they differ, 2 for trouble.")
            .section("ncdump.md#check-and-diff")
            .selects(&[Diff]),
        Opt::long("tolerance", "With --diff: let numbers differ by ABS, or REL times the larger")
            .value(Value::Text("ABS[,REL]"))
            .section("ncdump.md#check-and-diff")
            .common()
            .requires("diff")
            .conflicts(&["exact"]),
    ]
}

const MEMORY: &str =
    "A chunk that needs more than this, and more than 64 MiB, when it is decoded is refused.";

fn access() -> Vec<Opt> {
    let mut options = Vec::from(remote());
    options.extend(other_files());
    options.push(prefer_plugin());
    options
}

fn common() -> Vec<Opt> {
    let mut options = vec![memory(MEMORY)];
    options.extend(general());
    options
}

fn compatibility() -> Vec<Opt> {
    vec![
        accepted('w', "cache", "cache"),
        accepted('L', "log-level", "log-level").value(Value::Text("LEVEL")),
    ]
}
