//! The flags of `nccopy`. Each is defined once, here. The parser, `--help` and the man page are made from these
//! definitions.

use std::ffi::OsString;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use ncutils_cli::options::{flag, help, program, value, version};
use ncutils_cli::remote::{self, RemoteOptions};
use ncutils_cli::{data_access, filters, kind_option, memory, part, replace, string_length};
use ncutils_core::copy::archive::{ArchiveOptions, BlockSpec};
use ncutils_core::copy::plan::{ChunkSpec, CopyOptions, Listed, QuantizeRequest, ShardSpec};
use ncutils_core::error::{Error, Result};
use ncutils_core::filter::spec::FilterRequest;
use ncutils_core::integrity::CheckOptions;
use ncutils_core::model::IndexLocation;
use ncutils_core::store::DataAccess;
use ncutils_core::subset::SubsetRequest;

/// The parsed arguments of a call of `nccopy`.
#[derive(Debug)]
pub struct Arguments {
    /// The input, as named by the user.
    pub input: OsString,
    /// The output, as named by the user.
    pub output: OsString,
    /// Options of the copy.
    pub copy: CopyOptions,
    /// `--data-dir`, `--require-sources`: which other files may be read.
    pub access: DataAccess,
    /// `--isel` and `--sel`: the part of the input to copy.
    pub part: SubsetRequest,
    /// `-m`: maximum memory in bytes; `None` lets the engine decide.
    pub memory: Option<u64>,
    /// `--replace`.
    pub replace: bool,
    /// `--threads`: number of threads; `None` lets the engine decide.
    pub threads: Option<usize>,
    /// Options of archives.
    pub archive: ArchiveOptions,
    /// `-k zst`: compress the input's bytes as they are.
    pub plain_zst: bool,
    /// `-k h5`: copy HDF5 as it is.
    pub as_hdf5: bool,
    /// `--salvage`: copy all that can be read of a damaged input.
    pub salvage: bool,
    /// `--keep-suspect`: keep chunks whose only fault is a checksum.
    pub keep_suspect: bool,
    /// `--verify`: read the output back and compare it before it takes its name.
    pub verify: bool,
    /// `--dry-run`: print the plan, and write nothing.
    pub dry_run: bool,
    /// `--summary`: print what was done.
    pub summary: bool,
    /// `--json`: print both as JSON.
    pub json: bool,
    /// `--requests` and `--verbose`.
    pub remote: RemoteOptions,
}

impl Arguments {
    /// How values are checked and compared.
    pub fn work(&self) -> CheckOptions {
        CheckOptions {
            threads: self.threads,
            memory: self.memory,
        }
    }
}

const AFTER_HELP: &str = "\
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

Filters built in: deflate 1, shuffle 2, fletcher32 3, szip 4, n-bit 5, scale-offset 6, bzip2 307, lzf 32000, blosc 32001, lz4 32004, bitshuffle 32008, zfp 32013 (with the cargo feature zfp), zstd 32015, BitGroom 32022, Granular BitRound 32023, blosc2 32026.
Codecs of Zarr built in besides: adler32, astype, bitround, cast_value, crc32, crc32c, delta, fixedscaleoffset, gzip, lzma, packbits, quantize, scale_offset, transpose.
Other filters come from plugins of HDF5 in the folders of HDF5_PLUGIN_PATH; 'ncdump --filters' lists all.
A variable that no option speaks of keeps its chunks, filters and fill value; its chunks are copied as they are.";

/// The command with all its flags.
pub fn command() -> Command {
    let list = |name: &'static str, short: char, metavar: &'static str, help: &'static str| {
        value(name, short, metavar, help).action(ArgAction::Append)
    };
    program("nccopy", env!("CARGO_PKG_VERSION"), "Copies a netCDF or HDF5 file, changing its kind, chunk shapes or filters on the way", AFTER_HELP)
        .arg(value("kind", 'k', "KIND", "").help(format!("Kind of the output: {}; archive, a compressed netCDF-3 archive (nc3z, nc6z, nc5z name its kind); zst, the input's bytes in Zstandard's seekable format; h5, HDF5 as it is, with all its objects, types and links (hdf5 is another name of nc4)", kind_option::names())))
        .args(kind_option::digits())
        .arg(value("deflate", 'd', "N", "Deflate every variable at level N, 1 to 9; 0 takes compression off"))
        .arg(flag("shuffle", 's', "Shuffle the bytes of numbers before deflating"))
        .arg(flag("unlimited", 'u', "Make unlimited dimensions fixed, at their present lengths"))
        .arg(list("chunks", 'c', "CHUNKS", "Chunk shapes: dim/n,dim/,…  var:n1,n2,…  var:  var:contiguous  var:compact  'var:external=FILE[@OFFSET[+SIZE]][;FILE…]' (raw data in files below the output's folder, which must not exist)  / (no chunks); repeatable"))
        .arg(Arg::new("shard").long("shard").value_name("SHARDS").action(ArgAction::Append).help("Zarr version 3: shapes of shards, in elements: dim/n,dim/,…  var:n1,n2,…  var: (none)  none  auto  or a size of decoded bytes, such as 128M; repeatable"))
        .arg(Arg::new("shard-index").long("shard-index").value_name("PLACE").value_parser(["start", "end"]).help("Zarr version 3: the place of the index in each shard"))
        .arg(list("filter", 'F', "FILTER", "Filters: var&var,FILTER|FILTER, a FILTER being id,p1,… or name,p1,… or name,member=value,…, or auto, auto=fast, auto=small to choose by the data; '*' for all variables, none for no filter; repeatable"))
        .arg(Arg::new("quantize").long("quantize").value_name("QUANTIZE").action(ArgAction::Append).help("Quantize floats before they are compressed: var&var,ALGORITHM,N or *,ALGORITHM,N; bitgroom and granularbr keep N digits, bitround N bits; repeatable"))
        .arg(Arg::new("block").long("block").value_name("BLOCK").action(ArgAction::Append).help("Archives: BYTES of a block, or VAR:BYTES for one variable; default 256 KiB; repeatable"))
        .arg(long_flag("restore", "Restore the original of an archive, byte for byte; -k with the original's kind does the same"))
        .arg(string_length::option())
        .arg(Arg::new("page").long("page").value_name("BYTES").value_parser(value_parser!(u64)).help("netCDF-4, HDF5: manage the file's space in pages of BYTES, 512 to 1 GiB, for libhdf5's page buffer; 0 for none; default as the input"))
        .arg(long_flag("skip-fill", "Zarr: leave out chunks that hold only the fill value; other formats store them"))
        .arg(list("vars", 'v', "VAR,…", "Copy the data of these variables only; the others are defined and read as fill"))
        .arg(list("only-vars", 'V', "VAR,…", "Copy these variables only; the others are left out"))
        .arg(list("groups", 'g', "GROUP,…", "Copy the data of the variables in these groups only"))
        .arg(list("only-groups", 'G', "GROUP,…", "Copy these groups only; the others are left out"))
        .args(part::options())
        .arg(value("memory", 'm', "BYTES", "Memory for the copy, with suffix K, M or G (decimal); default a quarter of the machine's"))
        .arg(value("min-chunk", 'M', "BYTES", "Where the program chooses chunking, leave a variable whose chunk would be smaller in one piece"))
        .arg(Arg::new("threads").long("threads").value_name("N").value_parser(value_parser!(usize)).help("Threads to work with; default one for each core"))
        .arg(filters::prefer_plugin())
        .arg(replace::option())
        .args(data_access::options())
        .arg(long_flag("salvage", "Copy all that can be read of a damaged or truncated input; list what is lost; status 3 if anything is").conflicts_with_all(["restore", "dry-run"]))
        .arg(long_flag("keep-suspect", "With --salvage: keep chunks whose only fault is a checksum").requires("salvage"))
        .arg(long_flag("verify", "Read the output back before it takes its name, and compare it with what was asked for").conflicts_with("dry-run"))
        .arg(long_flag("dry-run", "Print what would be done, for each variable, and write nothing"))
        .arg(long_flag("summary", "Print what was done: for each variable its route, bytes, ratio and time"))
        .arg(long_flag("json", "Print the plan or the summary as JSON; with --dry-run or --summary only"))
        .arg(value("chunk-cache", 'h', "BYTES", "Accepted for compatibility; not needed"))
        .arg(value("cache-elements", 'e', "N", "Accepted for compatibility; not needed"))
        .arg(flag("diskless-write", 'w', "Accepted for compatibility; not needed"))
        .arg(flag("diskless-read", 'r', "Accepted for compatibility; not needed"))
        .arg(value("log", 'L', "N", "Accepted for compatibility; not needed"))
        .args(remote::arguments())
        .arg(help())
        .arg(version())
        .arg(Arg::new("input").value_name("INPUT").required(true).value_parser(value_parser!(OsString)).help("The dataset to read, by its path or URL (file://, s3://, gs://, az://, https://): a file, or a folder, zip or remote tree of Zarr; - for standard input"))
        .arg(Arg::new("output").value_name("OUTPUT").required(true).value_parser(value_parser!(OsString)).help("The file to write, or with a fragment such as #mode=nczarr,file, #mode=zarr,zip or #mode=zarr,v3 a Zarr dataset; it appears, or replaces an older one, only when complete"))
}

fn long_flag(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
}

/// Parses the flags.
///
/// # Errors
/// The expected value of an option.
pub fn arguments(matches: &ArgMatches) -> Result<Arguments> {
    let text = |name: &str| matches.get_one::<String>(name).map(String::as_str);
    let all = |name: &str| {
        matches
            .get_many::<String>(name)
            .into_iter()
            .flatten()
            .map(String::as_str)
    };
    let named = text("kind").filter(|name| ["archive", "zst", "h5"].contains(name));
    let container = named.filter(|_| kind_option::is_last(matches, "kind"));
    // The name of a container that a digit follows does not count.
    let of_kinds: &[&str] = if named.is_some() { &[] } else { &["kind"] };
    let kind = match container {
        Some(_) => None,
        None => kind_option::asked(matches, of_kinds)
            .map_err(|error| kind_option::and_archives(error, ", zst and h5"))?,
    };
    let copy = CopyOptions {
        kind,
        deflate: text("deflate").map(deflate_level).transpose()?,
        shuffle: matches.get_flag("shuffle"),
        fix_unlimited: matches.get_flag("unlimited"),
        chunking: all("chunks").map(ChunkSpec::parse).collect::<Result<_>>()?,
        shards: all("shard").map(ShardSpec::parse).collect::<Result<_>>()?,
        shard_index: text("shard-index").map(|place| match place {
            "start" => IndexLocation::Start,
            _ => IndexLocation::End,
        }),
        quantize: all("quantize")
            .map(QuantizeRequest::parse)
            .collect::<Result<_>>()?,
        filters: all("filter")
            .map(ncutils_core::filter::spec::parse)
            .collect::<Result<Vec<FilterRequest>>>()?,
        variables: listed(all("vars"), all("only-vars"), "-v", "-V")?,
        groups: listed(all("groups"), all("only-groups"), "-g", "-G")?,
        min_chunk_bytes: text("min-chunk").map(|v| memory::bytes(v, "-M")).transpose()?,
        string_length: string_length::asked(matches)?,
        skip_fill: matches.get_flag("skip-fill"),
        page_size: matches.get_one("page").copied(),
        registry: filters::registry(matches),
    };
    let (dry_run, summary, json) = (
        matches.get_flag("dry-run"),
        matches.get_flag("summary"),
        matches.get_flag("json"),
    );
    if json && !dry_run && !summary {
        return Err(Error::Usage(
            "--json says how to print a plan or a summary; give --dry-run or --summary too".into(),
        ));
    }
    let part = part::asked(matches)?;
    let of_part = !part.is_empty();
    Ok(Arguments {
        remote: remote::options(matches),
        input: matches.get_one::<OsString>("input").cloned().unwrap_or_default(),
        output: matches.get_one::<OsString>("output").cloned().unwrap_or_default(),
        copy,
        replace: replace::asked(matches),
        access: data_access::access(matches)?,
        part,
        memory: text("memory").map(|v| memory::bytes(v, "-m")).transpose()?,
        threads: matches.get_one::<usize>("threads").copied(),
        archive: ArchiveOptions {
            pack: container == Some("archive"),
            restore: matches.get_flag("restore"),
            blocks: all("block").map(BlockSpec::parse).collect::<Result<_>>()?,
            of_part,
        },
        plain_zst: container == Some("zst"),
        as_hdf5: container == Some("h5"),
        salvage: matches.get_flag("salvage"),
        keep_suspect: matches.get_flag("keep-suspect"),
        verify: matches.get_flag("verify"),
        dry_run,
        summary,
        json,
    })
}

fn deflate_level(text: &str) -> Result<u32> {
    text.parse().ok().filter(|level| *level <= 9).ok_or_else(|| {
        Error::Usage(format!(
            "-d '{text}': expected a deflate level from 0 (none) to 9 (smallest)"
        ))
    })
}

fn listed<'a>(
    define_others: impl Iterator<Item = &'a str>,
    only: impl Iterator<Item = &'a str>,
    define_flag: &str,
    only_flag: &str,
) -> Result<Option<Listed>> {
    let defined = names(define_others, define_flag)?;
    let only = names(only, only_flag)?;
    match (defined.is_empty(), only.is_empty()) {
        (true, true) => Ok(None),
        (false, true) => Ok(Some(Listed {
            names: defined,
            define_others: true,
        })),
        (true, false) => Ok(Some(Listed {
            names: only,
            define_others: false,
        })),
        (false, false) => Err(Error::Usage(format!(
            "{define_flag} and {only_flag} contradict each other; give one of them"
        ))),
    }
}

/// Splits comma-separated lists. A backslash escapes the next character.
fn names<'a>(lists: impl Iterator<Item = &'a str>, flag: &str) -> Result<Vec<String>> {
    let mut all = Vec::new();
    for list in lists {
        let mut name = String::new();
        let mut chars = list.chars();
        while let Some(c) = chars.next() {
            match c {
                '\\' => name.extend(chars.next()),
                ',' => all.push(std::mem::take(&mut name)),
                c => name.push(c),
            }
        }
        all.push(name);
    }
    if all.iter().any(String::is_empty) {
        return Err(Error::Usage(format!(
            "{flag}: expected names separated by commas"
        )));
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ncutils_core::model::Kind;

    fn read(args: &[&str]) -> Result<Arguments> {
        let all = ["nccopy"].iter().chain(args).chain(&["in.nc", "out.nc"]);
        arguments(&command().try_get_matches_from(all).unwrap())
    }

    #[test]
    fn the_definition_is_consistent() {
        command().debug_assert();
    }

    #[test]
    fn the_help_names_every_filter_built_in() {
        let line = AFTER_HELP
            .lines()
            .find(|line| line.starts_with("Filters built in: "))
            .unwrap();
        let ids: Vec<u32> = line
            .split([' ', ',', '.'])
            .filter_map(|word| word.parse().ok())
            .collect();
        let registry = ncutils_core::filter::Registry::builtin();
        let builtin: Vec<u32> = registry.iter().filter_map(|codec| codec.hdf5_id()).collect();
        // The help names filters of cargo features in any case.
        let ids: Vec<u32> = ids
            .into_iter()
            .filter(|id| *id != 32013 || builtin.contains(id))
            .collect();
        assert_eq!(ids, builtin, "{line}");
        let line = AFTER_HELP
            .lines()
            .find_map(|line| line.strip_prefix("Codecs of Zarr built in besides: "))
            .unwrap();
        let names: Vec<&str> = line.trim_end_matches('.').split(", ").collect();
        let without_id = registry.iter().filter(|codec| codec.hdf5_id().is_none());
        let builtin: Vec<&str> = without_id.map(|codec| codec.name()).collect();
        assert_eq!(names, builtin, "{line}");
    }

    #[test]
    fn flags_cluster_and_attach_as_getopt_takes_them() {
        let args = read(&[
            "-d1", "-s", "-M0", "-k", "nc4", "-uw", "-m64M", "-h", "1000", "-e5", "-L0",
        ])
        .unwrap();
        assert_eq!(args.copy.deflate, Some(1));
        assert!(args.copy.shuffle && args.copy.fix_unlimited);
        assert_eq!(args.copy.min_chunk_bytes, Some(0));
        assert_eq!(args.copy.kind, Some(Kind::Netcdf4));
        assert_eq!(args.memory, Some(64_000_000));
        assert_eq!(read(&["-sd", "3"]).unwrap().copy.deflate, Some(3));
        assert_eq!(read(&["-knc7"]).unwrap().copy.kind, Some(Kind::Netcdf4Classic));
    }

    #[test]
    fn the_last_kind_counts() {
        assert_eq!(read(&["-3", "-k", "nc4"]).unwrap().copy.kind, Some(Kind::Netcdf4));
        assert_eq!(read(&["-k", "nc4", "-3"]).unwrap().copy.kind, Some(Kind::Classic));
        assert_eq!(read(&["-7", "-5", "-6"]).unwrap().copy.kind, Some(Kind::Offset64));
        assert_eq!(read(&[]).unwrap().copy.kind, None);
        let read = |args: &[&str]| {
            let read = read(args).unwrap();
            let containers = (read.archive.pack, read.plain_zst, read.as_hdf5);
            (read.copy.kind, containers)
        };
        let none = (false, false, false);
        let seven = Some(Kind::Netcdf4Classic);
        for container in ["archive", "zst", "h5"] {
            assert_eq!(read(&["-k", container, "-7"]), (seven, none));
            assert_eq!(read(&["-3", "-k", container, "-7"]), (seven, none));
            assert_eq!(read(&["-k", container, "-k", "nc4"]), (Some(Kind::Netcdf4), none));
        }
        assert_eq!(read(&["-7", "-k", "h5"]), (None, (false, false, true)));
        assert_eq!(read(&["-7", "-k", "zst"]), (None, (false, true, false)));
        assert_eq!(
            read(&["-k", "nc4", "-7", "-k", "archive"]),
            (None, (true, false, false))
        );
    }

    #[test]
    fn repeated_options_add_up_or_override() {
        let args = read(&[
            "-c",
            "t/1",
            "-c",
            "v:1,2",
            "-d",
            "1",
            "-d",
            "2",
            "-v",
            "a,b",
            "-v",
            r"c\,d",
            "--shard",
            "t/9",
            "--shard",
            "128M",
            "--shard-index",
            "start",
        ])
        .unwrap();
        assert_eq!(args.copy.shards.len(), 2);
        assert_eq!(args.copy.shard_index, Some(IndexLocation::Start));
        assert_eq!(args.copy.chunking.len(), 2);
        assert_eq!(args.copy.deflate, Some(2));
        assert_eq!(args.copy.variables.unwrap().names, ["a", "b", "c,d"]);
    }

    #[test]
    fn wrong_values_are_refused() {
        for bad in [
            &["-d", "10"][..],
            &["-d", "x"],
            &["-d", "-1"],
            &["-k", "nc9"],
            &["-m", "much"],
            &["-v", "a,,b"],
            &["-v", "a", "-V", "b"],
            &["--json"],
        ] {
            assert!(matches!(read(bad), Err(Error::Usage(_))), "{bad:?}");
        }
        let error = read(&["--shard", "time"]).unwrap_err();
        let error = ncutils_cli::name_options(error).to_string();
        assert!(
            error.starts_with("--shard 'time': expected dim/length"),
            "{error}"
        );
        assert_eq!(read(&["--shard", "v:"]).unwrap().copy.shard_index, None);
    }
}
