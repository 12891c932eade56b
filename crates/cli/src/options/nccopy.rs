//! The options of nccopy.

use std::sync::LazyLock;

use ncutils_core::copy::plan::ReadingProgram;
use ncutils_core::error::{Alternative, Request};

use super::join::join;
use super::kinds::{ARCHIVES, PAGED, SHARDED, SPARSE};
use super::mode::Mode::{self, Bytes, Hdf5, SalvageArchive, Values, Zst};
use super::opt::{Opt, Value};
use super::program::Program;
use super::shared::{
    accepted, digits, general, kinds, memory, other_files, prefer_plugin, references, remote, replace,
    string_length, subset, threads,
};

/// Options that change values or their storage, and that `-k h5` applies too.
const OF_DATASETS: &[Mode] = &[Values, Hdf5];

/// The same for options that archives have, too.
const OF_CHUNKS: &[Mode] = &[Values, Hdf5, Bytes];

/// Options of what only the copy engine makes.
const OF_VALUES: &[Mode] = &[Values];

/// Options that select a mode by their value.
const OF_KIND: &[Mode] = &[Values, Hdf5, Bytes, Zst];

const EXAMPLES: &str = "\
Examples:
  nccopy -F 'temp,32015,3' in.nc out.nc      compress the variable temp with zstd
  nccopy -F '*,2|1,5' in.nc out.nc           shuffle and deflate every variable
  nccopy -F none in.nc out.nc                take all filters off
  nccopy -d 5 -s -c time/1,lat/90,lon/90 in.nc out.nc
  nccopy -k nc4 -u in.nc out.nc              netCDF-4 with fixed dimensions
  nccopy in.nc 'out.zarr#mode=nczarr,file'   NCZarr in a folder
  nccopy in.nc 'out.zip#mode=zarr,zip'       pure Zarr in a zip file
  nccopy in.nc 'out.zarr#mode=zarr,v3'       Zarr version 3, large variables in shards
  nccopy --shard time/365 in.nc 'out.zarr#mode=zarr,v3'
  nccopy in.zarr out.nc                      netCDF-4 from Zarr
  nccopy -k archive in.nc out.nc3z           a compressed archive of a classic file
  nccopy --restore in.nc3z out.nc            the file that was archived
  nccopy --isel time=-12: in.nc out.nc       the last twelve steps of time
  nccopy --sel lat=-10..10 --sel time=2000-02 in.nc out.nc
  nccopy --verify -d 5 -s in.nc out.nc       compare the output before it takes its name
  nccopy --salvage broken.nc out.nc          all that can be read of a damaged file
  nccopy --dry-run -d 5 -s in.nc out.nc      what this would do, without doing it
  nccopy -d 5 -s *.nc packed/                each file into a folder
  nccopy -d 5 -s --in-place *.nc             each file by its copy
";

const USAGE: &[&str] = &[
    "[OPTIONS] INPUT OUTPUT",
    "[OPTIONS] INPUT... FOLDER/",
    "[OPTIONS] --recursive FOLDER OUTPUT/",
    "[OPTIONS] --files-from LIST FOLDER/",
    "[OPTIONS] --in-place FILE...",
    "[OPTIONS] --join DIM INPUT... OUTPUT",
    "[OPTIONS] --append INPUT... OUTPUT",
    "[OPTIONS] --merge INPUT... OUTPUT",
];

const NOTES: &str = "\
Other filters come from plugins of HDF5 in the folders of HDF5_PLUGIN_PATH; 'ncdump --filters' lists all.
A variable that no option names keeps its chunks, filters and fill value; its chunks are copied as they are.";

/// nccopy.
pub static NCCOPY: LazyLock<Program> = LazyLock::new(|| {
    Program {
    name: "nccopy",
    about: "Copies a netCDF or HDF5 file, changing its kind, chunk shapes or filters on the way",
    groups: vec![
        ("Kind of the output", kind()),
        ("Filters", filters()),
        ("Chunks and storage", storage()),
        ("Subset", selection()),
        ("Integrity", integrity()),
        ("Output on the terminal", reports()),
        ("Input and output", access()),
        ("Many files", many_files()),
        ("Join", join()),
        ("Resources", vec![memory().more(MEMORY), threads()]),
        ("Accepted for compatibility", compatibility()),
        ("General", general().into()),
    ],
    operands: vec![
        Opt::operand("paths", "PATH", "The dataset to read and the one to write, by their paths or URLs")
            .value(Value::Paths("PATH"))
            .more("An output is a file, or with a fragment such as #mode=nczarr,file, #mode=zarr,zip or #mode=zarr,v3 a Zarr dataset. It appears, or replaces an older one, only when it is complete. With several inputs the output is a folder, and each input becomes a file of its name in it."),
    ],
    usage: USAGE,
    modes: &[
        (Values, "values"),
        (Bytes, "archives"),
        (Hdf5, "`-k h5`"),
        (Zst, "`-k zst`"),
        (SalvageArchive, "`--salvage` of an archive"),
    ],
    after: || format!("{EXAMPLES}\n{}\n{NOTES}", crate::filters::built_in()),
}
});

const MEMORY: &str = "With suffix K, M or G (decimal). An input chunk that takes more when it is decoded is refused, above 64 MiB.";

fn kind() -> Vec<Opt> {
    let mut options = vec![
        Opt::short('k', "kind", "Kind of the output: nc3, nc6, nc5, nc4, nc7, archive, zst, h5 and others")
            .value(Value::Text("KIND"))
            .more(format!(
                "{}\nzst: the input's bytes in Zstandard's seekable format.\nh5: HDF5 as it is, with all its objects, types and links (hdf5 is another name of nc4).",
                kinds()
            ))
            .section("nccopy.md#kind-of-the-output")
            .modes(OF_KIND),
    ];
    options.extend(digits(OF_KIND));
    options.extend([
        Opt::long("for", "Keep to kinds and filters that a program reads, as it is commonly installed; repeatable")
            .value(Value::Texts("READER"))
            .more(format!(
                "{}.\nKept filters that it lacks are replaced by shuffle and deflate. What it does not show is told.",
                ReadingProgram::ALL.map(|program| program.name).join(", ")
            ))
            .section("programs.md")
            .modes(OF_VALUES)
            .requests(&[Request::Programs]),
        Opt::long("restore", "Restore the original of an archive, byte for byte")
            .more("-k with the original's kind does the same.")
            .section("nccopy.md#archives")
            .modes(&[Values, Bytes]),
        Opt::long("block", "bytes of a block; default 256 KiB; repeatable")
            .value(Value::Texts("BLOCK"))
            .more("BYTES, or VAR:BYTES for one variable.")
            .section("nccopy.md#archives")
            .kinds(ARCHIVES)
            .modes(&[Values, Bytes]),
    ]);
    options
}

fn filters() -> Vec<Opt> {
    vec![
        Opt::short('d', "deflate", "Deflate every variable at level N, 1 to 9; 0 takes compression off")
            .value(Value::Text("N"))
            .section("nccopy.md#filters")
            .modes(OF_CHUNKS)
            .requests(&[Request::Deflate]),
        Opt::short('s', "shuffle", "Shuffle the bytes of numbers before they are deflated")
            .section("nccopy.md#filters")
            .modes(OF_CHUNKS),
        Opt::short('F', "filter", "Set the filters of some variables, or of all; repeatable")
            .value(Value::Texts("FILTER"))
            .more("var&var,FILTER|FILTER, or '*,FILTER|FILTER' for all variables; none for no filter, keep for those of the input. A FILTER is id,p1,… or name,p1,… or name,member=value,…, or auto, auto=fast or auto=small to choose by the data.")
            .section("nccopy.md#filters")
            .modes(OF_CHUNKS)
            .requests(&[Request::Filters])
            .alternatives(&[(Alternative::OtherFilters, ": choose other filters for this variable by -F")]),
        Opt::long("quantize", "Quantize floats before they are compressed; repeatable")
            .value(Value::Texts("QUANTIZE"))
            .more("var&var,ALGORITHM,N, or '*,ALGORITHM,N' for all variables. bitgroom and granularbr keep N digits, bitround keeps N bits.")
            .section("filters.md#quantize")
            .modes(OF_DATASETS)
            .requests(&[Request::Quantization]),
        prefer_plugin(),
    ]
}

fn storage() -> Vec<Opt> {
    vec![
        Opt::short('c', "chunks", "Chunk shapes; repeatable")
            .value(Value::Texts("CHUNKS"))
            .more("dim/n,dim/,…: by dimension, dim/ for its whole length.\nvar:n1,n2,…: of one variable.\nvar: or var:contiguous, var:compact: without chunks; / for all variables.\nauto=map, auto=series or auto=balanced, and ',SIZE': for how the data is read.\n'var:external=FILE[@OFFSET[+SIZE]][;FILE…]': raw data in files below the output's folder, which must not exist.")
            .section("nccopy.md#chunks")
            .modes(OF_CHUNKS)
            .requests(&[Request::Chunks]),
        Opt::short('M', "min-chunk", "Smallest chunk, where the program chooses the shape")
            .value(Value::Text("BYTES"))
            .more("A variable whose chunk would be smaller stays in one piece.")
            .section("nccopy.md#chunks")
            .modes(OF_DATASETS),
        Opt::long("shard", "shapes of shards, in elements; repeatable")
            .value(Value::Texts("SHARDS"))
            .more("dim/n,dim/,…: by dimension.\nvar:n1,n2,…: of one variable; var: for none.\nnone, auto, or a size of decoded bytes such as 128M: for all.")
            .section("nccopy.md#chunks")
            .kinds(SHARDED)
            .modes(OF_VALUES)
            .requests(&[Request::Shards]),
        Opt::long("shard-index", "place of the index in each shard")
            .value(Value::OneOf("PLACE", vec!["start", "end"]))
            .section("nccopy.md#chunks")
            .kinds(SHARDED)
            .modes(OF_VALUES),
        Opt::short('u', "fix-all", "Make unlimited dimensions fixed, at their present lengths")
            .section("nccopy.md#chunks")
            .modes(OF_DATASETS)
            .requests(&[Request::FixedDimensions]),
        Opt::long("fixed", "Make these unlimited dimensions fixed, at their present lengths; repeatable")
            .value(Value::Texts("DIM,…"))
            .section("nccopy.md#chunks")
            .modes(OF_VALUES),
        Opt::long("unlimited", "Make these dimensions unlimited; repeatable")
            .value(Value::Texts("DIM,…"))
            .section("nccopy.md#chunks")
            .modes(OF_VALUES),
        string_length(OF_VALUES),
        Opt::long("drop-unsupported", "Leave out what the output's kind cannot hold")
            .more("Attributes, variables, groups and types. Warnings tell them.")
            .section("nccopy.md#kind-of-the-output")
            .modes(OF_VALUES)
            .alternatives(&[
                (Alternative::LeavingOut, "; --drop-unsupported leaves it out"),
                (Alternative::LeavingAllOut, "; --drop-unsupported leaves them out"),
            ]),
        Opt::long("strings", "Make strings arrays of characters, which classic files hold")
            .value(Value::OneOf("FORM", vec!["char"]))
            .more("Each variable has one more dimension, as long as its longest string or --strlen.")
            .section("nccopy.md#kind-of-the-output")
            .modes(OF_VALUES)
            .told("--strings char")
            .requests(&[Request::CharStrings]),
        references(OF_VALUES),
        Opt::long("flatten", "Join groups into one: /a/b/v is a_b_v, or joined by SEP")
            .value(Value::Optional("SEP", "_"))
            .more("Attributes of groups become global ones. Names in other options are the new ones.")
            .section("nccopy.md#kind-of-the-output")
            .modes(OF_VALUES)
            .requests(&[Request::FlatGroups]),
        Opt::long("skip-fill", "leave out chunks that hold only the fill value")
            .more("Other kinds store them.")
            .section("nccopy.md#chunks")
            .kinds(SPARSE)
            .modes(OF_DATASETS),
        Opt::long("page", "manage the file's space in pages of BYTES, 512 to 1 GiB")
            .value(Value::Number("BYTES", 0..=u64::MAX))
            .more("Pages are for libhdf5's page buffer. 0 for none. Default as the input.")
            .section("nccopy.md#chunks")
            .kinds(PAGED)
            .modes(OF_DATASETS)
            .requests(&[Request::Pages]),
    ]
}

fn selection() -> Vec<Opt> {
    let listed = |letter, id, name, told, help: &'static str| {
        Opt::short(letter, id, help)
            .value(Value::Texts(name))
            .section("nccopy.md#subset")
            .modes(OF_DATASETS)
            .told(told)
    };
    let (variables, groups) = ("-v and -V", "-g and -G");
    let mut options = vec![
        listed(
            'v',
            "vars",
            "VAR,…",
            variables,
            "Copy the data of these variables only; the others read as fill",
        ),
        listed(
            'V',
            "only-vars",
            "VAR,…",
            variables,
            "Copy these variables only; the others are left out",
        ),
        listed(
            'g',
            "groups",
            "GROUP,…",
            groups,
            "Copy the data of these groups only; the others read as fill",
        ),
        listed(
            'G',
            "only-groups",
            "GROUP,…",
            groups,
            "Copy these groups only; the others are left out",
        ),
    ];
    options.push(
        Opt::long("exclude", "Leave these variables out; repeatable")
            .value(Value::Texts("VAR,…"))
            .section("nccopy.md#subset")
            .modes(OF_DATASETS),
    );
    options.push(
        Opt::long(
            "with-coordinates",
            "With -v, -V, -g or -G: copy coordinates and what else the chosen variables name, too",
        )
        .more("Bounds, ancillary variables, grid mappings, cell measures and terms of formulas, as the CF conventions name them.")
        .section("nccopy.md#subset")
        .modes(OF_VALUES),
    );
    options.extend(subset(OF_DATASETS));
    options
}

fn integrity() -> Vec<Opt> {
    vec![
        Opt::long(
            "verify",
            "Compare the output with what was asked for before it takes its name",
        )
        .section("nccopy.md#chunks-that-are-copied-as-they-are")
        .modes(&[Values, Bytes, Hdf5, Zst])
        .conflicts(&["dry-run"]),
        Opt::long(
            "no-check",
            "Copy encoded chunks as they are, without a test for damage",
        )
        .section("nccopy.md#chunks-that-are-copied-as-they-are")
        .modes(&[Values, Hdf5, Mode::Append])
        .alternatives(&[(
            Alternative::SoundChunks,
            "; --salvage copies the other chunks, --no-check all as they are",
        )]),
        Opt::long("unfinished", "Copy an HDF5 file that its writer has not closed")
            .more("What the writer has not written to the file yet is missing in the copy.")
            .section("nccopy.md#unfinished-files")
            .modes(&[Values, Bytes, Hdf5, Zst]),
        Opt::long(
            "salvage",
            "Copy all that can be read of a damaged or truncated input",
        )
        .more("What is lost is listed. The exit status is 3 if anything is.")
        .section("nccopy.md#salvage")
        .modes(&[Values, Hdf5, SalvageArchive])
        .conflicts(&["restore", "dry-run"]),
        Opt::long(
            "keep-suspect",
            "With --salvage: keep chunks whose only fault is a checksum",
        )
        .section("nccopy.md#salvage")
        .requires("salvage"),
    ]
}

fn reports() -> Vec<Opt> {
    let section = "nccopy.md#plan-and-summary";
    vec![
        Opt::long(
            "dry-run",
            "Print what would be done, for each variable, and write nothing",
        )
        .section(section),
        Opt::long(
            "summary",
            "Print what was done: for each variable its route, bytes, ratio and time",
        )
        .section(section)
        .modes(&[Values, Hdf5, Bytes, Mode::Append]),
        Opt::long(
            "json",
            "Print JSON: the plan, the summary, or what became of each of several inputs",
        )
        .section(section),
        Opt::long(
            "quiet",
            "Print errors alone: no warnings, no choices, no progress bar",
        )
        .conflicts(&["verbose"]),
    ]
}

fn many_files() -> Vec<Opt> {
    let section = "nccopy.md#many-files";
    vec![
        Opt::long(
            "recursive",
            "Copy all datasets of a folder and the folders below it",
        )
        .more("Their folders are kept. Other files are left out, with a warning.")
        .section(section)
        .conflicts(&["files-from", "in-place"]),
        Opt::long(
            "files-from",
            "Read the names of inputs from LIST, one a line or ended by NUL",
        )
        .value(Value::Path("LIST"))
        .more("- is standard input. Names that are given beside it come first.")
        .section(section),
        Opt::long(
            "in-place",
            "Replace each input by its copy, and skip those that need no change",
        )
        .more("Mode, owner and extended attributes are kept.")
        .section("nccopy.md#many-files")
        .conflicts(&["restore"]),
        Opt::long(
            "break-links",
            "With --in-place: replace a file that has several hard links",
        )
        .more("The other names keep the old file.")
        .section("nccopy.md#many-files")
        .requires("in-place"),
        Opt::long("preserve", "Give the output the times of the input").section(section),
        Opt::long(
            "update",
            "Skip an input whose output is newer, and stored as the options ask",
        )
        .section("nccopy.md#many-files")
        .conflicts(&["in-place"]),
    ]
}

fn access() -> Vec<Opt> {
    let mut options = vec![replace()];
    options.extend(other_files());
    options.extend(remote());
    options
}

fn compatibility() -> Vec<Opt> {
    vec![
        accepted('x', "exclude-chunked"),
        accepted('h', "chunk-cache").value(Value::Text("BYTES")),
        accepted('e', "cache-elements").value(Value::Text("N")),
        accepted('w', "diskless-write"),
        accepted('r', "diskless-read"),
        accepted('L', "log").value(Value::Text("N")),
    ]
}
