//! The arguments of a call of `nccopy`, made of the options of the table.

use std::fmt;
use std::sync::Arc;

use clap::ArgMatches;
use clap::parser::ValueSource;
use ncutils_cli::filters;
use ncutils_cli::messages::Messages;
use ncutils_cli::options::{Given, NCCOPY};
use ncutils_cli::progress::FileProgress;
use ncutils_cli::values::remote::{self, RemoteOptions};
use ncutils_cli::values::text::{names, patterns, text, texts};
use ncutils_cli::values::{data_access, memory, string_length, subset};
use ncutils_core::copy::archive::{ArchiveOptions, BlockSpec};
use ncutils_core::copy::default_budget;
use ncutils_core::copy::plan::{ChunkSpec, CopyOptions, Limits, Listed, QuantizeRequest, ShardSpec};
use ncutils_core::error::{Error, Result};
use ncutils_core::filter::spec::{self, FilterRequest};
use ncutils_core::integrity::CheckOptions;
use ncutils_core::join::{JoinRequest, Overlap};
use ncutils_core::location::Location;
use ncutils_core::model::{IndexLocation, Kind};
use ncutils_core::store::DataAccess;
use ncutils_core::subset::SubsetRequest;
use ncutils_core::view::ViewRequest;

use crate::asked_kind::AskedKind;
use crate::files::{Files, Form};
use crate::job_step::Step;
use crate::reference_names::ReferenceRequest;

/// The parsed arguments of a call of `nccopy`.
#[derive(Debug, Clone)]
pub struct Arguments {
    /// Inputs and outputs, as named by the user.
    pub files: Files,
    /// True if the call has several inputs, or an output that is a folder for them.
    pub of_several: bool,
    /// Where the progress of one of several copies is told.
    pub progress: Option<Arc<FileProgress>>,
    /// Options of the copy.
    pub copy: CopyOptions,
    /// `--join`, and how.
    pub join: JoinRequest,
    /// `--data-dir`, `--require-sources`: which other files may be read.
    pub access: DataAccess,
    /// `--references path`: read references as the paths of their objects.
    pub reference_paths: bool,
    /// `--base` and `--relative`: how references name inputs.
    pub names: ReferenceRequest,
    /// `--isel` and `--sel`: the part of the input to copy.
    pub part: SubsetRequest,
    /// `--flatten` and `--strings`: how the input is presented before all else.
    pub view: ViewRequest,
    /// `-m`: maximum memory in bytes; `None` lets the engine decide.
    pub memory: Option<u64>,
    /// `--replace`.
    pub replace: bool,
    /// Options of archives.
    pub archive: ArchiveOptions,
    /// `-k zst`: compress the input's bytes as they are.
    pub plain_zst: bool,
    /// `-k h5`: copy HDF5 as it is.
    pub as_hdf5: bool,
    /// `--unfinished`: copy an input that its writer has not closed.
    pub unfinished: bool,
    /// `--salvage`: copy all that can be read of a damaged input.
    pub salvage: bool,
    /// `--keep-suspect`: keep chunks whose only fault is a checksum.
    pub keep_suspect: bool,
    /// `--verify`: read the output back and compare it before it takes its name.
    pub verify: bool,
    /// `--no-check`: copy encoded chunks without a test.
    pub no_check: bool,
    /// `--dry-run`: print the plan, and write nothing.
    pub dry_run: bool,
    /// `--summary`: print what was done.
    pub summary: bool,
    /// `--json`: print both as JSON.
    pub json: bool,
    /// `--requests` and `--verbose`.
    pub remote: RemoteOptions,
    /// The options of the call, for modes that do not apply all.
    pub given: Given,
    /// What the call tells on standard error.
    pub messages: Messages,
    /// What this process does of a job of many; `None` for a copy by one process.
    pub step: Option<Step>,
    /// Whether the next of several inputs is copied.
    pub goes_on: GoesOn,
}

/// A question that is asked before each of several inputs is copied.
#[derive(Clone, Default)]
pub struct GoesOn(Option<Arc<dyn Fn() -> bool + Send + Sync>>);

impl GoesOn {
    /// Goes on while the answer is true.
    pub fn while_true(ask: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(ask)))
    }

    /// The answer; true if there is no question.
    pub fn asked(&self) -> bool {
        self.0.as_ref().is_none_or(|ask| ask())
    }
}

impl fmt::Debug for GoesOn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("GoesOn").finish_non_exhaustive()
    }
}

/// What a call reports, and how it reaches remote stores.
pub struct Reports {
    /// `--requests` and `--verbose`.
    pub remote: RemoteOptions,
    /// `--summary`.
    pub summary: bool,
    /// `--json`.
    pub json: bool,
    /// `--verify`.
    pub verify: bool,
}

impl Arguments {
    /// The kind that is asked for, for an input of a kind. A folder of keys that is replaced stays one, whatever its name.
    pub fn kind_for(&self, input: Kind) -> Option<Kind> {
        let is_kept = (self.files.in_place || self.files.append) && input.can().keys;
        self.copy.kind.or(is_kept.then_some(input))
    }

    /// What is told of the plan of a copy. Of many processes, the one that plans tells it.
    pub fn of_plan(&self) -> Messages {
        match self.step {
            None | Some(Step::Plan(_)) => self.messages,
            Some(Step::Part(_) | Step::Finish(_)) => self.messages.quieted(),
        }
    }

    /// Refuses a step of a job whose copy passes on the bytes of the input, which have no parts.
    ///
    /// # Errors
    /// The copy is a step of a job.
    pub fn refuse_step_of_bytes(&self) -> Result<()> {
        match self.step {
            None => Ok(()),
            Some(_) => Err(Error::Usage(
                "this copy passes the bytes of the input on, and is made at once by one process; leave out --plan or --resume"
                    .to_owned(),
            )),
        }
    }

    /// How values are checked and compared.
    pub fn work(&self) -> CheckOptions {
        CheckOptions {
            memory: self.memory,
            ..CheckOptions::default()
        }
    }

    /// Bytes of memory that a copy of bytes may take for data, besides what the output takes.
    pub fn memory_beside(&self, output: &Location) -> u64 {
        let budget = self.memory.unwrap_or_else(default_budget);
        budget.saturating_sub(output.memory_of_output(budget))
    }

    /// What a call that goes on with a planned copy says itself.
    pub fn reports_of(matches: &ArgMatches) -> Reports {
        Reports {
            remote: remote::options(matches),
            summary: matches.get_flag("summary"),
            json: matches.get_flag("json"),
            verify: matches.get_flag("verify"),
        }
    }

    /// The arguments that clap has parsed.
    ///
    /// # Errors
    /// The expected value of an option.
    pub fn of(matches: &ArgMatches) -> Result<Self> {
        let given = |id: &str| matches.get_flag(id);
        let AskedKind { kind, container } = AskedKind::of(matches)?;
        let min_chunk_bytes = memory::bytes(matches, "min-chunk", "-M")?;
        let memory = memory::bytes(matches, "memory", "-m")?;
        let string_length = string_length::asked(matches)?;
        let copy = CopyOptions {
            kind,
            deflate: text(matches, "deflate").map(deflate_level).transpose()?,
            shuffle: given("shuffle"),
            fix_unlimited: given("fix-all"),
            fixed_dims: names(texts(matches, "fixed")),
            unlimited_dims: names(texts(matches, "unlimited")),
            chunking: texts(matches, "chunks")
                .map(ChunkSpec::parse)
                .collect::<Result<_>>()?,
            shards: texts(matches, "shard")
                .map(ShardSpec::parse)
                .collect::<Result<_>>()?,
            shard_index: text(matches, "shard-index").map(|place| match place {
                "start" => IndexLocation::Start,
                _ => IndexLocation::End,
            }),
            shards_as_hdf5: given("as-shards"),
            quantize: texts(matches, "quantize")
                .map(QuantizeRequest::parse)
                .collect::<Result<_>>()?,
            filters: texts(matches, "filter")
                .map(spec::parse)
                .collect::<Result<Vec<FilterRequest>>>()?,
            variables: listed(matches, ("vars", "-v"), ("only-vars", "-V"))?,
            with_coordinates: given("with-coordinates"),
            excluded: patterns(texts(matches, "exclude")),
            groups: listed(matches, ("groups", "-g"), ("only-groups", "-G"))?,
            min_chunk_bytes,
            string_length,
            inline_bytes: memory::bytes(matches, "inline", "--inline")?,
            copy_ragged: given("copy-ragged"),
            drop_unsupported: given("drop-unsupported"),
            verbatim: false,
            skip_fill: given("skip-fill"),
            page_size: matches.get_one("page").copied(),
            limits: Limits::of(names(texts(matches, "for")).iter().map(String::as_str))?,
            registry: filters::registry(matches, memory),
        };
        let (dry_run, summary, json) = (given("dry-run"), given("summary"), given("json"));
        let files = Files::of(matches);
        let of_several = !files.join && !files.append && !matches!(files.form()?, Form::One(..));
        if json && !dry_run && !summary && !of_several {
            return Err(Error::Usage(
                "--json says how to print a plan or a summary; give --dry-run or --summary too".into(),
            ));
        }
        let is_given = |id: &&&str| matches.value_source(id) == Some(ValueSource::CommandLine);
        let alone = ["first", "overlap", "inexact", "fill-missing"];
        if let (Some(option), false) = (alone.iter().find(is_given), files.join || files.append) {
            return Err(Error::Usage(format!(
                "--{option} is for inputs that become one output; give --join, --merge or --append too"
            )));
        }
        let part = subset::asked(matches)?;
        let of_part = !part.is_empty();
        Ok(Self {
            files,
            of_several,
            progress: None,
            copy,
            join: join(matches),
            access: data_access::access(matches)?,
            reference_paths: text(matches, "references").is_some(),
            names: ReferenceRequest::of(matches)?,
            part,
            view: ViewRequest {
                flatten: text(matches, "flatten").map(str::to_owned),
                char_strings: text(matches, "strings").is_some(),
                string_length,
                own_dimensions: false,
            },
            memory,
            replace: given("replace"),
            archive: ArchiveOptions {
                pack: container == Some("archive"),
                restore: given("restore"),
                blocks: texts(matches, "block")
                    .map(BlockSpec::parse)
                    .collect::<Result<_>>()?,
                of_part,
            },
            plain_zst: container == Some("zst"),
            as_hdf5: container == Some("h5"),
            unfinished: given("unfinished"),
            salvage: given("salvage"),
            keep_suspect: given("keep-suspect"),
            verify: given("verify"),
            no_check: given("no-check"),
            dry_run,
            summary,
            json,
            remote: remote::options(matches),
            given: NCCOPY.given(matches),
            messages: Messages::of(&NCCOPY, matches),
            step: Step::of_copy(matches),
            goes_on: GoesOn::default(),
        })
    }
}

fn join(matches: &ArgMatches) -> JoinRequest {
    JoinRequest {
        dim: text(matches, "join").unwrap_or_default().to_owned(),
        merge: matches.get_flag("merge"),
        sort: matches.get_flag("sort"),
        labels: names(texts(matches, "label")),
        overlap: text(matches, "overlap").map(|which| match which {
            "first" => Overlap::First,
            _ => Overlap::Last,
        }),
        inexact: matches.get_flag("inexact"),
        unpack: patterns(texts(matches, "unpack")),
        first: matches.get_flag("first"),
        fill_missing: matches.get_flag("fill-missing"),
    }
}

fn deflate_level(text: &str) -> Result<u32> {
    text.parse().ok().filter(|level| *level <= 9).ok_or_else(|| {
        Error::Usage(format!(
            "-d '{text}': expected a deflate level from 0 (none) to 9 (smallest)"
        ))
    })
}

/// The names that one of two options lists. Each option is an id, and how it is typed.
fn listed(matches: &ArgMatches, define_others: (&str, &str), only: (&str, &str)) -> Result<Option<Listed>> {
    let names = |(id, typed): (&str, &str)| {
        let names = patterns(texts(matches, id));
        match names.iter().any(|name| name.as_str().is_empty()) {
            true => Err(Error::Usage(format!(
                "{typed}: expected names separated by commas"
            ))),
            false => Ok(names),
        }
    };
    let (defined, listed) = (names(define_others)?, names(only)?);
    match (defined.is_empty(), listed.is_empty()) {
        (true, true) => Ok(None),
        (false, true) => Ok(Some(Listed {
            names: defined,
            define_others: true,
        })),
        (true, false) => Ok(Some(Listed {
            names: listed,
            define_others: false,
        })),
        (false, false) => Err(Error::Usage(format!(
            "{} and {} contradict each other; give one of them",
            define_others.1, only.1
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ncutils_cli::options::Mode;

    fn read(args: &[&str]) -> Result<Arguments> {
        let all = ["nccopy"].iter().chain(args).chain(&["in.nc", "out.nc"]);
        Arguments::of(&NCCOPY.command().try_get_matches_from(all).unwrap())
    }

    #[test]
    fn the_definition_is_consistent() {
        NCCOPY.command().debug_assert();
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
        assert_eq!(
            args.copy.variables.unwrap().names,
            ["a", "b", "c,d"].map(Into::into)
        );
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
        let error = NCCOPY.name_options(error).to_string();
        assert!(
            error.starts_with("--shard 'time': expected dim/length"),
            "{error}"
        );
        assert_eq!(read(&["--shard", "v:"]).unwrap().copy.shard_index, None);
    }

    fn refused(options: &[&str], mode: Mode) -> Option<String> {
        let refused = read(options).unwrap().given.refuse_for(mode);
        refused.err().map(|error| error.to_string())
    }

    #[test]
    fn the_option_that_a_way_does_not_apply_is_named() {
        for (options, named) in [
            (&["-k", "nc4"][..], "leave out -k"),
            (&["--isel", "x=1"], "leave out --isel and --sel"),
            (&["-M", "1k"], "leave out -M"),
            (&["--page", "4096"], "leave out --page"),
            (&["--strlen", "5"], "leave out --strlen"),
            (&["--summary"], "leave out --summary"),
        ] {
            let refused = refused(options, Mode::SalvageArchive).unwrap();
            assert!(refused.contains(named), "{refused}");
        }
        assert!(
            refused(&["--salvage"], Mode::Zst)
                .unwrap()
                .contains("leave out --salvage")
        );
    }

    #[test]
    fn what_is_applied_passes() {
        assert_eq!(
            refused(&["-m", "64M", "--threads", "2", "--replace"], Mode::Zst),
            None
        );
        assert_eq!(refused(&["-k", "h5", "-u", "-d", "5"], Mode::Hdf5), None);
    }
}
