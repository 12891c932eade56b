//! [`ReferenceRequest`]: how references name inputs, as the options say.

use std::fs;
use std::path::Path;

use clap::ArgMatches;
use ncutils_cli::values::text::text;
use ncutils_core::copy::plan::{AskedLayout, ChunkSpec, CopyOptions};
use ncutils_core::error::{Error, Result};
use ncutils_core::format::{ChunkShapeRequest, NameForm, ReferenceNames};
use ncutils_core::location::{Location, common_folder};
use ncutils_core::subset::SubsetRequest;

/// `--base` and `--relative`.
#[derive(Debug, Clone, Default)]
pub struct ReferenceRequest {
    /// The URL that stands for the folder of all inputs.
    base: Option<String>,
    /// True for paths from the output's folder.
    relative: bool,
}

impl ReferenceRequest {
    /// What a call asks for.
    ///
    /// # Errors
    /// Both forms at once; a base that is no URL, or has a secret.
    pub fn of(matches: &ArgMatches) -> Result<Self> {
        let request = Self {
            base: text(matches, "base").map(str::to_owned),
            relative: matches.get_flag("relative"),
        };
        if let Some(base) = &request.base {
            let Some((_, place)) = base.split_once("://").filter(|(scheme, _)| !scheme.is_empty()) else {
                return Err(Error::Usage(
                    "--base: a URL such as s3://bucket/folder; --relative names inputs by their paths"
                        .to_owned(),
                ));
            };
            let host = place.split('/').next().unwrap_or_default();
            // What is in references is in the hands of whoever reads them.
            if host.contains('@') || base.contains(['?', '#']) {
                return Err(Error::Usage(
                    "--base: a URL without login, query and fragment; readers bring their own".to_owned(),
                ));
            }
        }
        match request.base.is_some() && request.relative {
            true => Err(Error::Usage(
                "--base and --relative both name the inputs; leave one of them out".to_owned(),
            )),
            false => Ok(request),
        }
    }

    /// True if inputs are named by where they will be, and not by where they are.
    pub fn is_elsewhere(&self) -> bool {
        self.base.is_some()
    }

    /// How the references of a copy name its inputs, of which `part` is copied and which may be joined along a dimension; `None` if the
    /// output has none.
    ///
    /// # Errors
    /// An input that other programs do not find.
    pub fn names(
        &self,
        inputs: &[Location],
        output: &Location,
        copy: &CopyOptions,
        part: &SubsetRequest,
        joined: Option<&str>,
    ) -> Result<Option<ReferenceNames>> {
        if !output.makes_references(copy.kind) {
            return Ok(None);
        }
        if self.relative && output.makes_repository(copy.kind) {
            let told = "a repository names other files by whole URLs; leave out --relative, or give --base";
            return Err(Error::Usage(told.to_owned()).in_file(output.name()));
        }
        let form = match &self.base {
            Some(url) => NameForm::Base {
                url: url.clone(),
                folder: common_folder(inputs)?,
            },
            None if self.relative => NameForm::From(folder_of(output)?),
            None => NameForm::Absolute,
        };
        Ok(Some(ReferenceNames {
            form,
            chunks: wanted_chunks(copy, part, joined),
        }))
    }
}

/// The chunks that a copy wants of variables in one piece.
fn wanted_chunks(copy: &CopyOptions, part: &SubsetRequest, joined: Option<&str>) -> ChunkShapeRequest {
    let mut wanted = ChunkShapeRequest {
        joined: joined.map(str::to_owned),
        ..ChunkShapeRequest::default()
    };
    let by_index = part.indices.iter().map(|request| request.dimension());
    let by_value = part.values.iter().map(|request| request.dimension());
    wanted.cut.extend(by_index.chain(by_value).map(str::to_owned));
    for spec in &copy.chunking {
        match spec {
            ChunkSpec::Dimensions(lengths) => wanted.lengths.extend_from_slice(lengths),
            ChunkSpec::Variable {
                name,
                layout: AskedLayout::Chunked(shape),
            } => wanted.shapes.push((name.clone(), shape.clone())),
            // Other layouts say nothing of chunks that references have.
            ChunkSpec::Variable { .. } | ChunkSpec::Unchunked | ChunkSpec::Access(..) => {}
        }
    }
    wanted
}

/// The folder that an output is in, as an absolute path.
fn folder_of(output: &Location) -> Result<std::path::PathBuf> {
    let path = output.path().ok_or_else(|| {
        Error::Usage("--relative is for outputs in local folders; give --base".to_owned())
            .in_file(output.name())
    })?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    fs::canonicalize(folder.unwrap_or(Path::new(".")))
        .map_err(|e| Error::io("cannot open", e).in_file(output.name()))
}
