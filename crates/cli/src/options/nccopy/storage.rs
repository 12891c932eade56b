//! The options of nccopy for how variables are stored: kind, chunks, filters.

use ncutils_core::copy::plan::ReadingProgram;
use ncutils_core::error::{Alternative, Request};

use super::mode_lists::{OF_CHUNKS, OF_DATASETS, OF_KIND, OF_VALUES};
use crate::options::kinds::{ARCHIVES, PAGED, SHARDED, SPARSE};
use crate::options::mode::Mode::{Bytes, Values};
use crate::options::opt::{Opt, Value};
use crate::options::shared::{digits, kinds, prefer_plugin, references, string_length};

/// The kind of the output, and what becomes of what it cannot hold.
pub(super) fn kind() -> Vec<Opt> {
    let mut options = vec![
        Opt::short('k', "kind", "Kind of the output: nc3, nc4, nc7, zarr3, kerchunk, icechunk and others")
            .or_long("kind")
            .value(Value::Text("KIND"))
            .more(format!(
                "{}\nzst: the input's bytes in Zstandard's seekable format.\nh5: HDF5 as it is, with all its objects, types and links (hdf5 is another name of nc4).\nkerchunk: references to the input's chunks, as JSON, or as Parquet in a folder NAME.parq.\nicechunk: the same in a new Icechunk repository.",
                kinds()
            ))
            .section("nccopy.md#kind-of-the-output")
            .modes(OF_KIND),
    ];
    options.extend(digits(OF_KIND));
    options.extend([
        Opt::long("for", "Keep to kinds and filters that READER reads, as installed; repeatable")
            .common()
            .value(Value::Texts("READER"))
            .more(format!(
                "{}.\nKept filters that it lacks are replaced by shuffle and deflate. What it does not show is told.",
                ReadingProgram::ALL.map(|program| program.name).join(", ")
            ))
            .section("programs.md")
            .modes(OF_VALUES)
            .requests(&[Request::Programs]),
        Opt::long("restore", "Restore the original of an archive, byte for byte")
            .common()
            .more("-k with the original's kind does the same.")
            .section("nccopy.md#archives")
            .modes(&[Values, Bytes]),
        Opt::long("block", "bytes of a block; default 256 KiB; repeatable")
            .value(Value::Texts("BLOCK"))
            .more("BYTES, or VAR:BYTES for one variable.")
            .section("nccopy.md#archives")
            .kinds(ARCHIVES)
            .modes(&[Values, Bytes]),
        string_length(OF_VALUES),
        Opt::long("drop-unsupported", "Leave out what the output's kind cannot hold")
            .common()
            .more("Attributes, variables, groups and types. Warnings tell them.")
            .section("nccopy.md#kind-of-the-output")
            .modes(OF_VALUES)
            .alternatives(&[
                (Alternative::LeavingOut, "; --drop-unsupported leaves it out"),
                (Alternative::LeavingAllOut, "; --drop-unsupported leaves them out"),
            ]),
        Opt::long(
            "strings",
            "Make strings arrays of characters, which classic files hold",
        )
        .common()
        .value(Value::OneOf("FORM", vec!["char"]))
        .more("Each variable has one more dimension, as long as its longest string or --strlen.")
        .section("nccopy.md#kind-of-the-output")
        .modes(OF_VALUES)
        .told("--strings char")
        .requests(&[Request::CharStrings]),
        references(OF_VALUES),
        Opt::long(
            "flatten",
            "Join groups into one: /a/b/v is a_b_v, or joined by SEP",
        )
        .value(Value::Optional("SEP", "_"))
        .more("Attributes of groups become global ones. Names in other options are the new ones.")
        .section("nccopy.md#kind-of-the-output")
        .modes(OF_VALUES)
        .requests(&[Request::FlatGroups]),
    ]);
    options
}

/// Filters.
pub(super) fn compression() -> Vec<Opt> {
    vec![
        Opt::short('d', "deflate", "Deflate every variable at level N, 1 to 9; 0 takes compression off")
            .or_long("deflate")
            .value(Value::Text("N"))
            .section("nccopy.md#filters")
            .modes(OF_CHUNKS)
            .requests(&[Request::Deflate])
            .alternatives(&[(Alternative::KeptFilters, "; leave out -d, -s and -F")]),
        Opt::short('s', "shuffle", "Shuffle the bytes of numbers before they are deflated")
            .or_long("shuffle")
            .section("nccopy.md#filters")
            .modes(OF_CHUNKS),
        Opt::short('F', "filter", "Set the filters of some variables, or of all; repeatable")
            .or_long("filter")
            .value(Value::Texts("FILTER"))
            .more("var&var,FILTER|FILTER, or '*,FILTER|FILTER' for all variables; alone, none for no filter, keep for those of the input, auto to choose. A FILTER is id,p1,… or name,p1,… or name,member=value,…, or auto, auto=fast or auto=small to choose by the data.")
            .section("nccopy.md#filters")
            .modes(OF_CHUNKS)
            .requests(&[Request::Filters])
            .alternatives(&[(Alternative::OtherFilters, ": choose other filters for this variable by -F")]),
        Opt::long("quantize", "Quantize floats before they are compressed; repeatable")
.common()
            .value(Value::Texts("QUANTIZE"))
            .more("var&var,ALGORITHM,N, or '*,ALGORITHM,N' for all variables. bitgroom and granularbr keep N digits, bitround keeps N bits.")
            .section("filters.md#quantize")
            .modes(OF_DATASETS)
            .requests(&[Request::Quantization])
            .alternatives(&[(Alternative::KeptValues, "; leave out --quantize")]),
        prefer_plugin(),
    ]
}

/// Chunks, shards and dimensions.
pub(super) fn chunks() -> Vec<Opt> {
    vec![
        Opt::short('c', "chunks", "Chunk shapes; repeatable")
            .or_long("chunk")
            .value(Value::Texts("CHUNKS"))
            .more("dim/n,dim/,…: by dimension, dim/ for its whole length.\nvar:n1,n2,…: of one variable.\nvar: or var:contiguous, var:compact: without chunks; / for all variables.\nauto=map, auto=series or auto=balanced, and ',SIZE': for how the data is read.\n'var:external=FILE[@OFFSET[+SIZE]][;FILE…]': raw data in files below the output's folder, which must not exist.")
            .section("nccopy.md#chunks")
            .modes(OF_CHUNKS)
            .requests(&[Request::Chunks])
            .alternatives(&[(
                Alternative::WholeChunks,
                "; leave out -c, choose whole chunks, or store the values by --inline BYTES",
            )]),
        Opt::short('M', "min-chunk", "Smallest chunk, where the program chooses the shape")
            .or_long("min-chunk")
            .value(Value::Text("BYTES"))
            .more("A variable whose chunk would be smaller stays in one piece.")
            .section("nccopy.md#chunks")
            .modes(OF_DATASETS),
        Opt::long("shard", "shapes of shards, in elements; repeatable")
.common()
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
        Opt::long("as-shards", "Write Zarr version 3 whose shards are HDF5 files, and a netCDF-4 file of them")
            .more("The netCDF-4 file lies in the folder, and is named for it. Each chunk is stored once. Filters: none, shuffle, deflate, zstd, blosc, fletcher32.")
            .section("nccopy.md#shards-as-hdf5")
            .kinds(SHARDED)
            .modes(OF_VALUES)
            .conflicts(&["page", "append", "in-place", "plan", "resume", "restore", "block"])
            .alternatives(&[(Alternative::MadeAnew, "; --as-shards makes it anew")]),
        Opt::short('u', "fix-all", "Make unlimited dimensions fixed, at their present lengths")
            .or_long("fix-unlimited")
            .section("nccopy.md#chunks")
            .modes(OF_DATASETS)
            .requests(&[Request::FixedDimensions]),
        Opt::long("fixed", "Make these unlimited dimensions fixed; repeatable")
.common()
            .value(Value::Texts("DIM,…"))
            .section("nccopy.md#chunks")
            .modes(OF_VALUES),
        Opt::long("unlimited", "Make these dimensions unlimited; repeatable")
.common()
            .value(Value::Texts("DIM,…"))
            .section("nccopy.md#chunks")
            .modes(OF_VALUES),
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
