//! The arguments of a call of `ncdump`, made of the options of the table.

mod values;

use std::ffi::{OsStr, OsString};

use clap::ArgMatches;
use ncutils_cli::filters;
use ncutils_cli::messages::Messages;
use ncutils_cli::options::NCDUMP;
use ncutils_cli::values::remote::{self, RemoteOptions};
use ncutils_cli::values::text::{patterns, text, texts};
use ncutils_cli::values::{data_access, memory, subset};
use ncutils_core::error::{Error, Result};
use ncutils_core::filter::Registry;
use ncutils_core::integrity::Equality;
use ncutils_core::message::one_line;
use ncutils_core::print::{DataOf, DumpOptions};
use ncutils_core::store::DataAccess;
use ncutils_core::subset::SubsetRequest;
use values::{annotations, line_length, precision, times, tolerance, without_properties};

/// The parsed arguments of a call of `ncdump`.
#[derive(Debug, Clone)]
pub struct Arguments {
    /// The inputs, as named by the user. Several go with `-h`, `-k`, `-K`, `--sizes`, `--check` and `--digest`
    /// only.
    pub inputs: Vec<OsString>,
    /// The input that is read, of several.
    pub input: OsString,
    /// True if the input is one of several, whose lines begin with its name.
    pub of_several: bool,
    /// `-k`: print only the kind of the file.
    pub kind_only: bool,
    /// `-x`: print NcML instead of CDL.
    pub ncml: bool,
    /// `-K`: print only the format of the file.
    pub format_only: bool,
    /// `-n`: the dataset's name after `netcdf`; `None` for the file's name.
    pub name: Option<String>,
    /// `--json`: print JSON instead of CDL.
    pub json: bool,
    /// `--isel` and `--sel`: the part of the input to print.
    pub part: SubsetRequest,
    /// Options of the dump.
    pub dump: DumpOptions,
    /// `-m`: maximum memory in bytes; `None` lets the library decide.
    pub memory: Option<u64>,
    /// The filters that chunks can be decoded with.
    pub registry: Registry,
    /// `--data-dir`, `--require-sources`: which other files may be read.
    pub access: DataAccess,
    /// `--references path`: read references as the paths of their objects.
    pub reference_paths: bool,
    /// `--sources`: print only which other files the dataset refers to.
    pub sources: bool,
    /// `--check`, `--digest`, `--diff`: prove something of the dataset, and print nothing of it.
    pub proof: Option<Proof>,
    /// `--sizes`: tell only what takes the bytes of the dataset.
    pub sizes: bool,
    /// `--map`: print only a page that shows what takes the bytes of the dataset.
    pub map: bool,
    /// `--filters`: the list of known filters, to print instead of a file.
    pub list: Option<String>,
    /// `--requests` and `--verbose`.
    pub remote: RemoteOptions,
    /// What the call tells on standard error.
    pub messages: Messages,
}

impl Arguments {
    /// True if what is asked for can be asked of several inputs.
    fn takes_several(&self) -> bool {
        let of_header = matches!(self.dump.data, DataOf::None) && !self.json && !self.ncml;
        match &self.proof {
            Some(Proof::Same(..)) => false,
            Some(_) => true,
            None if self.sizes => true,
            None => !self.sources && !self.map && (self.kind_only || self.format_only || of_header),
        }
    }

    /// Lines as they are printed: those of one of several inputs begin with its name.
    pub fn labelled(&self, lines: &str) -> String {
        match self.of_several {
            true => {
                let name = self.input.display().to_string();
                let name = one_line(&name);
                lines.lines().map(|line| format!("{name}: {line}\n")).collect()
            }
            false => lines.to_owned(),
        }
    }
}

/// What is to be proved of the dataset.
#[derive(Debug, Clone, PartialEq)]
pub enum Proof {
    /// That it is sound.
    Check,
    /// What it holds, by digests.
    Digest,
    /// That it is the same as another dataset, named as the user typed it.
    Same(OsString, Equality),
}

/// The exit status of a run that fails: 2 if two datasets were to be compared, as 1 says that they differ.
pub fn failure_status(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let is_diff = |argument: OsString| {
        let argument = argument.as_encoded_bytes();
        argument == b"--diff" || argument.starts_with(b"--diff=")
    };
    match arguments.into_iter().any(is_diff) {
        true => 2,
        false => 1,
    }
}

/// The arguments that clap has parsed.
///
/// # Errors
/// [`Error::Usage`] with the invalid value of an option.
pub fn arguments(matches: &ArgMatches) -> Result<Arguments> {
    let listed = |id: &str| patterns(texts(matches, id));
    let vars = listed("vars");
    let required = vars.clone();
    let data = if matches.get_flag("header") {
        DataOf::None
    } else if matches.get_flag("coordinates") {
        DataOf::Coordinates
    } else if !vars.is_empty() {
        DataOf::Listed(vars)
    } else {
        DataOf::All
    };
    let in_one = matches.get_flag("filters");
    let (precision, overrides) = precision(matches)?;
    let memory = memory::bytes(matches, "memory", "-m")?;
    let registry = filters::registry(matches, memory);
    let inputs = matches.get_many::<OsString>("input").into_iter().flatten();
    let inputs: Vec<OsString> = inputs.cloned().collect();
    let arguments = Arguments {
        memory,
        remote: remote::options(matches),
        messages: Messages::of(&NCDUMP, matches),
        input: inputs.first().cloned().unwrap_or_default(),
        of_several: inputs.len() > 1,
        inputs,
        json: matches.get_flag("json"),
        ncml: matches.get_flag("ncml"),
        kind_only: matches.get_flag("kind"),
        format_only: matches.get_flag("format"),
        name: text(matches, "name").map(str::to_owned),
        part: subset::asked(matches)?,
        dump: DumpOptions {
            data,
            required,
            groups: listed("groups"),
            special: matches.get_flag("special") || in_one,
            without_properties: without_properties(matches)?,
            filters: in_one,
            registry: registry.clone(),
            times: times(matches),
            precision,
            overrides,
            line_length: line_length(matches)?,
            annotations: annotations(matches)?,
        },
        registry,
        access: data_access::access(matches)?,
        reference_paths: text(matches, "references").is_some(),
        sources: matches.get_flag("sources"),
        proof: proof(matches)?,
        sizes: matches.get_flag("sizes"),
        map: matches.get_flag("map"),
        list: matches.get_flag("list-filters").then(|| filters::list(matches)),
    };
    match arguments.of_several && !arguments.takes_several() {
        true => Err(Error::Usage(
            "several inputs go with -h, -k, -K, --sizes, --check and --digest; name one input".to_owned(),
        )),
        false => Ok(arguments),
    }
}

/// What is to be proved.
fn proof(matches: &ArgMatches) -> Result<Option<Proof>> {
    if matches.get_flag("check") {
        return Ok(Some(Proof::Check));
    }
    if matches.get_flag("digest") {
        return Ok(Some(Proof::Digest));
    }
    let Some(other) = matches.get_one::<OsString>("diff") else {
        return Ok(None);
    };
    let equality = match text(matches, "tolerance") {
        Some(text) => tolerance(text)?,
        None if matches.get_flag("exact") => Equality::Bits,
        None => Equality::Values,
    };
    Ok(Some(Proof::Same(other.clone(), equality)))
}

/// The name of a dataset without `-n`: the file's name without its last suffix.
pub fn dataset_name(file: &OsStr) -> String {
    let file = file.to_string_lossy();
    match file.rsplit_once('.') {
        Some((name, _)) => name.to_owned(),
        None => file.into_owned(),
    }
}

#[cfg(test)]
mod tests;
