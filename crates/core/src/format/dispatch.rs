//! Chooses the format: by magic number for reading, by kind for writing.

use std::cell::Cell;
use std::io;
use std::sync::Arc;
use std::time::Instant;

use tracing::{Level, debug};

use super::read_options::ReadOptions;
use super::reader::Reader;
use super::variable_plan::VariablePlan;
use super::writer::Writer;
use super::zarr::{Warning, ZarrOptions};
use super::{archive, classic, dap, hdf5_shards, netcdf4, references, zarr};
use crate::error::{Error, Result};
use crate::filter::Registry;
use crate::model::{Kind, Schema};
use crate::store::{Destination, DestinationKind, GrowingKeys, Input, InputKind, KeyStore, Object, Output};
use crate::threads;

/// Checks, before anything is created, that a dataset can be of `schema.kind`.
///
/// # Errors
/// Names the item that the kind cannot hold.
pub fn check(schema: &Schema) -> Result<()> {
    match schema.kind {
        Kind::Classic | Kind::Offset64 | Kind::Data64 => classic::check_places(schema),
        Kind::Netcdf4 | Kind::Netcdf4Classic => netcdf4::check(schema),
        Kind::Nczarr | Kind::Zarr2 | Kind::Zarr3 | Kind::Kerchunk | Kind::Icechunk => zarr::check(schema),
        Kind::ClassicArchive | Kind::Offset64Archive | Kind::Data64Archive => {
            classic::check_places(&archive::as_original(schema))
        }
        Kind::Other(_) => Err(no_writer(schema)),
    }
}

/// What the kind of a dataset cannot hold, as far as it is found at once: one error that names the item for each. A kind of
/// another crate holds all.
pub fn unheld(schema: &Schema) -> Vec<Error> {
    match schema.kind {
        Kind::Zarr3 | Kind::Icechunk => zarr::unheld_by_version_3(schema),
        Kind::Other(_) => Vec::new(),
        _ => check(schema).err().into_iter().collect(),
    }
}

/// Checks that [`create`] would accept this dataset, without its destination. Creates nothing.
///
/// # Errors
/// The errors of [`create`] that do not depend on the destination.
pub fn check_plans(schema: &Schema, plans: &[VariablePlan]) -> Result<()> {
    match schema.kind {
        Kind::Classic | Kind::Offset64 | Kind::Data64 => classic::check_places(schema),
        Kind::Netcdf4 | Kind::Netcdf4Classic => netcdf4::check_plans(schema, plans),
        Kind::Nczarr | Kind::Zarr2 | Kind::Zarr3 | Kind::Kerchunk | Kind::Icechunk => {
            zarr::check_plans(schema, plans)
        }
        Kind::ClassicArchive | Kind::Offset64Archive | Kind::Data64Archive => {
            classic::check_places(&archive::as_original(schema))
        }
        Kind::Other(_) => Err(no_writer(schema)),
    }
}

/// Same as [`check_plans`], with the options of [`create_with`].
///
/// # Errors
/// Those of [`check_plans`].
pub fn check_plans_with(schema: &Schema, plans: &[VariablePlan], options: &ZarrOptions) -> Result<()> {
    match options.shards_as_hdf5 {
        true => hdf5_shards::check_plans(schema, plans),
        false => check_plans(schema, plans),
    }
}

/// Creates a dataset of `schema.kind` at a destination. `plans` has one entry for each of `schema.vars`, in
/// order.
///
/// # Errors
/// Names the item that the kind cannot hold, or says why the destination fails. Nothing exists under its name
/// then.
pub fn create(
    destination: impl Into<Destination>,
    schema: &Schema,
    plans: &[VariablePlan],
) -> Result<Box<dyn Writer>> {
    create_with(destination, schema, plans, &ZarrOptions::write(schema.kind))
}

/// Same as [`create`], with options for a Zarr hierarchy. Other formats ignore them.
///
/// # Errors
/// The errors of [`create`].
pub fn create_with(
    destination: impl Into<Destination>,
    schema: &Schema,
    plans: &[VariablePlan],
    options: &ZarrOptions,
) -> Result<Box<dyn Writer>> {
    if let Kind::Other(_) = schema.kind {
        return Err(no_writer(schema));
    }
    let destination = destination.into();
    debug!(name = ?destination.name(), kind = schema.kind.name(), "creating");
    match (schema.kind, destination.kind().clone()) {
        (Kind::Classic | Kind::Offset64 | Kind::Data64, DestinationKind::Object(output)) => {
            Ok(Box::new(classic::ClassicWriter::create(output, schema, plans)?))
        }
        (Kind::Netcdf4 | Kind::Netcdf4Classic, DestinationKind::Object(output)) => {
            netcdf4::create(output, destination.raw_files(), schema, plans)
        }
        (Kind::Zarr3, DestinationKind::Keys(output)) if options.shards_as_hdf5 => {
            hdf5_shards::create(output, destination.name(), schema, plans, *options)
        }
        (
            Kind::Nczarr | Kind::Zarr2 | Kind::Zarr3 | Kind::Kerchunk | Kind::Icechunk,
            DestinationKind::Keys(output),
        ) => zarr::create(output, schema, plans, *options),
        (
            Kind::ClassicArchive | Kind::Offset64Archive | Kind::Data64Archive,
            DestinationKind::Object(output),
        ) => {
            let options = archive::PackOptions {
                threads: threads::count(),
                ..archive::PackOptions::default()
            };
            let writer = archive::ArchiveWriter::create(output, schema, plans, options)?;
            Ok(Box::new(writer))
        }
        (Kind::Other(_), _) => Err(no_writer(schema)),
        (kind, DestinationKind::Keys(_)) => Err(Error::Usage(format!(
            "a dataset of the kind {} is one file, and cannot be a store of keys",
            kind.name()
        ))),
        (kind, DestinationKind::Object(_)) => Err(Error::Usage(format!(
            "a dataset of the kind {} is a store of keys, and cannot be one file",
            kind.name()
        ))),
    }
}

/// A dataset that exists and grows where it is.
pub enum Growing {
    /// A file: to read it, and to write it.
    File {
        /// The file as it was.
        old: Arc<dyn Object>,
        /// The same file. What was added is made durable by [`Output::sync`] before anything leads to it.
        output: Arc<dyn Output>,
    },
    /// Keys: to read them, and to write them.
    Keys {
        /// The keys as they were.
        old: Arc<dyn KeyStore>,
        /// The same keys.
        output: Arc<dyn GrowingKeys>,
    },
}

/// Adds to a dataset where it is. `schema` is its own with the new lengths, and `plans` tell what is written of each
/// variable. For a kind that grows by [records](crate::model::Growth::Records), both are of the new records alone.
///
/// # Errors
/// Names what cannot grow. The dataset is the old one then.
pub fn grow(
    growing: Growing,
    schema: &Schema,
    plans: &[VariablePlan],
    registry: &Registry,
) -> Result<Box<dyn Writer>> {
    match (schema.kind, growing) {
        (Kind::Classic | Kind::Offset64 | Kind::Data64, Growing::File { old, output }) => {
            let writer = classic::ClassicWriter::grow(&*old, output, schema, plans)?;
            Ok(Box::new(writer))
        }
        (Kind::Netcdf4 | Kind::Netcdf4Classic, Growing::File { old, output }) => {
            netcdf4::verbatim::grow(old, output, schema, plans, registry)
        }
        (Kind::Nczarr | Kind::Zarr2 | Kind::Zarr3 | Kind::Icechunk, Growing::Keys { old, output }) => {
            zarr::grow(&old, output, schema, plans)
        }
        (kind, _) => Err(Error::Unsupported(format!(
            "adding to a dataset of the kind {} where it is",
            kind.name()
        ))),
    }
}

/// What a dataset to be written has otherwise than its input, as its schema tells, and what other programs will not read of
/// it, or read otherwise than it was.
///
/// # Errors
/// The errors of [`check_plans`].
pub fn warnings(schema: &Schema, plans: &[VariablePlan], options: &ZarrOptions) -> Result<Vec<Warning>> {
    if options.shards_as_hdf5 {
        hdf5_shards::check_plans(schema, plans)?;
    }
    let mut warnings: Vec<Warning> = schema.warnings.iter().map(Warning::of_output).collect();
    if let Kind::Nczarr | Kind::Zarr2 | Kind::Zarr3 | Kind::Kerchunk | Kind::Icechunk = schema.kind {
        warnings.extend(zarr::warnings(schema, plans, *options)?);
    }
    if !matches!(
        schema.kind,
        Kind::Zarr2 | Kind::Zarr3 | Kind::Kerchunk | Kind::Icechunk
    ) {
        warnings.extend(zarr::rounded_numbers(schema).map(Warning::of_output));
    }
    Ok(warnings)
}

/// The error for a kind without a writer in this crate. Only the crate that defines the kind can write it.
fn no_writer(schema: &Schema) -> Error {
    Error::Usage(format!(
        "datasets of the kind '{}' cannot be written here: no writer of that kind is built in",
        schema.kind.name()
    ))
}

/// Opens a dataset of any format. The codecs of `registry` decode its chunks.
///
/// # Errors
/// [`Error::UnknownFormat`] if no format recognizes it. Otherwise what is wrong with it.
pub fn open(input: impl Into<Input>, registry: &Registry) -> Result<Box<dyn Reader>> {
    open_with(input, registry, &ReadOptions::DEFAULT)
}

/// Same as [`open`], with options.
///
/// # Errors
/// The errors of [`open`].
pub fn open_with(
    input: impl Into<Input>,
    registry: &Registry,
    options: &ReadOptions,
) -> Result<Box<dyn Reader>> {
    open_as(input.into(), registry, options, Care::Whole)
}

/// Opens a dataset that may be damaged or truncated. What can be read of its indexes is read, and
/// [`StructureCheck`](crate::format::StructureCheck) tells the rest. Missing data is an error when it is read.
///
/// # Errors
/// If not even the structure of the dataset can be read.
pub fn open_damaged(
    input: impl Into<Input>,
    registry: &Registry,
    options: &ReadOptions,
) -> Result<Box<dyn Reader>> {
    open_as(input.into(), registry, options, Care::Damaged)
}

/// Like [`open_damaged`], with what no way from the root of an HDF5 file leads to any more. The whole file is read for it if a part
/// of the hierarchy cannot be read.
///
/// # Errors
/// If nothing of the dataset can be read.
pub fn open_salvaged(
    input: impl Into<Input>,
    registry: &Registry,
    options: &ReadOptions,
) -> Result<Box<dyn Reader>> {
    open_as(input.into(), registry, options, Care::Salvaged)
}

/// How much of a dataset must be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Care {
    /// All.
    Whole,
    /// What is left.
    Damaged,
    /// What is left, also of what nothing leads to.
    Salvaged,
}

fn open_as(input: Input, registry: &Registry, options: &ReadOptions, care: Care) -> Result<Box<dyn Reader>> {
    let begun = tracing::enabled!(Level::DEBUG).then(Instant::now);
    let reader = match input.kind() {
        InputKind::Object(object) => open_object(object, &input, registry, options, care),
        InputKind::Keys(store) => {
            let opened = |keys: &Arc<dyn KeyStore>| open_keys(keys, registry, &options.zarr, care);
            match references::open_keys(store, input.referenced(), options.snapshot.as_ref())? {
                Some(keys) => references::described(opened(&keys)),
                None => opened(store),
            }
        }
        InputKind::Queries(server) => dap::open(server, &options.dap),
    }?;
    if let Some(begun) = begun {
        debug!(name = ?input.name(), kind = reader.schema().kind.name(), time = ?begun.elapsed(), "opened");
    }
    Ok(reader)
}

fn open_object(
    object: &Arc<dyn Object>,
    input: &Input,
    registry: &Registry,
    options: &ReadOptions,
    care: Care,
) -> Result<Box<dyn Reader>> {
    let format = match detect(&**object) {
        // The superblock of an HDF5 file may be lost, by which it is recognized.
        Err(Error::UnknownFormat) if care == Care::Salvaged => {
            let external_files = input.external_files().cloned();
            let opened = netcdf4::Netcdf4Reader::open_salvaged(
                object.clone(),
                external_files,
                registry,
                options.reference_paths,
            );
            return match opened {
                Ok(reader) => Ok(Box::new(reader)),
                Err(error) if error.is_failure() => Err(error),
                _ => Err(Error::UnknownFormat),
            };
        }
        format => format?,
    };
    match format {
        Format::Classic => Ok(Box::new(classic::ClassicReader::open(object.clone())?)),
        Format::Archive => {
            let opened = match care {
                Care::Whole => archive::ArchiveReader::open(object.clone()),
                Care::Damaged | Care::Salvaged => archive::ArchiveReader::open_damaged(object.clone()),
            };
            Ok(Box::new(opened?))
        }
        Format::References => {
            let keys = references::open_json(object, input.referenced().cloned())?;
            references::described(open_keys(&keys, registry, &options.zarr, care))
        }
        Format::Hdf5 => {
            let external_files = input.external_files().cloned();
            let (object, paths) = (object.clone(), options.reference_paths);
            let opened = match care {
                Care::Whole => {
                    netcdf4::Netcdf4Reader::open_with(object.clone(), external_files, registry, paths)
                        .map_err(|error| netcdf4::with_remains(error, object, registry))
                }
                Care::Damaged => {
                    netcdf4::Netcdf4Reader::open_damaged(object, external_files, registry, paths)
                }
                Care::Salvaged => {
                    netcdf4::Netcdf4Reader::open_salvaged(object.clone(), external_files, registry, paths)
                }
            };
            Ok(Box::new(opened?))
        }
    }
}

/// Opens a format of keys, which is recognized by a key that it must have.
fn open_keys(
    store: &Arc<dyn KeyStore>,
    registry: &Registry,
    options: &ZarrOptions,
    care: Care,
) -> Result<Box<dyn Reader>> {
    if zarr::is_zarr(&**store)? {
        return match care {
            Care::Whole => zarr::open(store, *options, registry),
            Care::Damaged | Care::Salvaged => zarr::open_damaged(store, *options, registry),
        };
    }
    Err(Error::UnknownFormat)
}

/// The format, as its first bytes tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Classic,
    Archive,
    Hdf5,
    /// References in JSON.
    References,
}

/// True for the format that is read from a pipe without waiting for the pipe's end.
pub(crate) fn is_read_as_it_comes(object: &dyn Object) -> bool {
    let mut magic = archive::MAGIC;
    object.read_exact_at(0, &mut magic).is_ok() && magic == archive::MAGIC
}

/// True if one file of these bytes can be a dataset, as far as its magic number tells.
pub(crate) fn has_magic(object: &dyn Object) -> bool {
    !matches!(detect(object), Err(Error::UnknownFormat | Error::Unsupported(_)))
}

/// Finds the format by its magic number. `CDF` is at the start of the file. HDF5's signature is at the start,
/// or after a user block of 512, 1024, 2048… bytes.
fn detect(object: &dyn Object) -> Result<Format> {
    const HDF5: [u8; 8] = *b"\x89HDF\r\n\x1a\n";
    // If the size is unknown, a read that fails marks the end.
    let size = object.size().map_err(|e| Error::io("cannot read", e))?;
    let ended = Cell::new(false);
    let starts_with = |at: u64, magic: &[&[u8]]| -> Result<Option<usize>> {
        let mut found = [0; 8];
        // One request for all magic numbers. A file too short for it may still have the short one.
        for len in [8, 3] {
            let fits = at
                .checked_add(len)
                .is_some_and(|end| size.is_none_or(|size| end <= size));
            let found = &mut found[..len as usize];
            match fits.then(|| object.read_exact_at(at, found)) {
                None => {}
                Some(Ok(())) => return Ok(magic.iter().position(|magic| found.starts_with(magic))),
                Some(Err(e)) if size.is_none() && e.kind() == io::ErrorKind::UnexpectedEof => {}
                Some(Err(e)) => return Err(Error::io("cannot read", e)),
            }
        }
        ended.set(true);
        Ok(None)
    };
    match starts_with(0, &[b"CDF", &archive::MAGIC, &HDF5])? {
        Some(0) => return Ok(Format::Classic),
        Some(1) => return Ok(Format::Archive),
        Some(_) => return Ok(Format::Hdf5),
        None => {}
    }
    let mut at = 512u64;
    while !ended.get() {
        if starts_with(at, &[&HDF5])?.is_some() {
            return Ok(Format::Hdf5);
        }
        at = at.saturating_mul(2);
    }
    match size.is_some_and(|size| references::has_references(object, size)) {
        true => Ok(Format::References),
        false => Err(Error::UnknownFormat),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Capabilities;
    use crate::store::{MemoryKeys, MemoryOutput};

    #[test]
    fn a_kind_of_another_crate_is_not_written_here() {
        static CAN: Capabilities = Capabilities::new("elsewhere");
        let schema = Schema::new(Kind::Other(&CAN));
        let says =
            "datasets of the kind 'elsewhere' cannot be written here: no writer of that kind is built in";
        assert_eq!(check(&schema).unwrap_err().to_string(), says);
        let refused = create(Arc::new(MemoryOutput::new()), &schema, &[]).err().unwrap();
        assert_eq!(refused.to_string(), says);
    }

    #[test]
    fn formats_are_found_by_their_magic_number() {
        let signature = b"\x89HDF\r\n\x1a\n";
        let behind = |block: usize| [&vec![b'u'; block][..], signature].concat();
        for block in [0, 512, 1024, 2048, 1 << 16] {
            assert_eq!(detect(&behind(block)).unwrap(), Format::Hdf5);
        }
        assert_eq!(detect(&b"CDF\x01".to_vec()).unwrap(), Format::Classic);
        assert_eq!(detect(&b"\x89NC3Z\r\n\x1a".to_vec()).unwrap(), Format::Archive);
        for other in [
            Vec::new(),
            b"CD".to_vec(),
            behind(600),
            behind(512)[..519].to_vec(),
        ] {
            assert!(matches!(detect(&other), Err(Error::UnknownFormat)));
        }
        for references in [
            &br#"{"version": 1, "refs": {"a/0": ["s3://b/k", 0, 8]}}"#[..],
            br#"{".zgroup": "{\"zarr_format\": 2}", "a/0": "x"}"#,
        ] {
            assert_eq!(detect(&references.to_vec()).unwrap(), Format::References);
        }
        assert!(matches!(
            detect(&b"{\"a\": 1}".to_vec()),
            Err(Error::UnknownFormat)
        ));
        let missing = open(Input::keys("", Arc::new(MemoryKeys::new())), &Registry::builtin());
        assert!(matches!(missing.err(), Some(Error::UnknownFormat)));
        let error = open(Arc::new(b"CDF\x03....".to_vec()), &Registry::builtin())
            .err()
            .unwrap();
        assert_eq!(
            error.to_string(),
            "version 3 of the classic format is not supported"
        );
    }
}
