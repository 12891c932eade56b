//! Opens an HDF5 file as a [`Netcdf4Reader`].

use crate::format::netcdf4::hdf5_error::hdf5_error;
use std::sync::Arc;

use ncutils_hdf5::{File, ObjectKind};

use super::data::stored::StoredVariable;
use super::netcdf4_reader::{Netcdf4Reader, OpenedVariable};
use super::object::hierarchy;
use super::object::links::{Linker, OpenFile};
use super::open_flags::told_of_writer;
use super::schema;
use crate::error::{Error, Result};
use crate::filter::{Registry, SharedPipelines};
use crate::format::Fault;
use crate::model::Schema;
use crate::store::{ExternalFiles, Object};

/// The error of an HDF5 file that cannot be opened: of one that is truncated, whether anything is left of it.
pub(in crate::format) fn with_remains(error: Error, object: Arc<dyn Object>, registry: &Registry) -> Error {
    if !error.is_truncated() {
        return error;
    }
    let root = OpenFile::of_damaged(object, registry).and_then(|open| {
        let root = open.file.object(open.file.root()).map_err(hdf5_error)?;
        Ok(root.kind == ObjectKind::Group)
    });
    match root.unwrap_or(false) {
        true => error,
        false => Error::NothingLeft(Box::new(error)),
    }
}

/// What a scan found of a file that no link leads to; `None` for nothing.
pub(in crate::format::netcdf4) fn scan_fault(file: &File) -> Option<Fault> {
    let recovered = file.recovered()?;
    if (recovered.objects, recovered.left_out) == (0, 0) {
        return None;
    }
    let mut told = format!("{} objects that no link leads to were found", recovered.objects);
    if recovered.objects == 1 {
        told = "1 object that no link leads to was found".to_owned();
    }
    match recovered.without_group {
        0 => {}
        1 => told += "; 1 is in the group recovered, as its own is lost",
        n => told += &format!("; {n} are in the group recovered, as their own are lost"),
    }
    match recovered.left_out {
        0 => {}
        1 => told += "; 1 more is left out, as others use its bytes",
        n => told += &format!("; {n} more are left out, as others use their bytes"),
    }
    Some(Fault {
        // An object whose group is lost has another path than before.
        is_summary: recovered.without_group == 0,
        ..Fault::new(told)
    })
}

impl Netcdf4Reader {
    /// Opens an HDF5 file and reads its structure. External links are looked up in `external_files`.
    ///
    /// # Errors
    /// If the file is not HDF5, or is damaged. Items that netCDF cannot hold are left out, with a line in
    /// [`Schema::warnings`].
    pub fn open(
        object: Arc<dyn Object>,
        external_files: Option<Arc<dyn ExternalFiles>>,
        registry: &Registry,
    ) -> Result<Self> {
        Self::open_with(object, external_files, registry, false)
    }

    /// Like [`Netcdf4Reader::open`]. With `reference_paths`, references are strings: the paths of the objects that they refer
    /// to. Else they are left out.
    ///
    /// # Errors
    /// Those of [`Netcdf4Reader::open`].
    pub fn open_with(
        object: Arc<dyn Object>,
        external_files: Option<Arc<dyn ExternalFiles>>,
        registry: &Registry,
        reference_paths: bool,
    ) -> Result<Self> {
        let linker = Linker::open(object.clone(), external_files, registry);
        linker
            .and_then(|linker| Self::read(linker, registry, reference_paths))
            .map_err(|error| told_of_writer(error, &object))
    }

    /// Opens a file that may be damaged or truncated: its end of file may lie past its size. Objects, attributes and links that
    /// cannot be read are left out, and told by [`StructureCheck`](crate::format::StructureCheck). Chunk
    /// indexes may be read in part. `reference_paths` is that of [`Netcdf4Reader::open_with`].
    ///
    /// # Errors
    /// If the superblock or the header of the root group cannot be read.
    pub fn open_damaged(
        object: Arc<dyn Object>,
        external_files: Option<Arc<dyn ExternalFiles>>,
        registry: &Registry,
        reference_paths: bool,
    ) -> Result<Self> {
        let linker = Linker::open_damaged(object, external_files, registry, false)?;
        Self::read_damaged(linker, registry, reference_paths)
    }

    /// The same, with the objects that no link leads to any more. [`ncutils_hdf5::OpenOptions::recovering`] tells how they are found.
    ///
    /// # Errors
    /// If nothing of the file is left.
    pub fn open_salvaged(
        object: Arc<dyn Object>,
        external_files: Option<Arc<dyn ExternalFiles>>,
        registry: &Registry,
        reference_paths: bool,
    ) -> Result<Self> {
        let linker = Linker::open_damaged(object.clone(), external_files.clone(), registry, true)?;
        let found = Self::read_damaged(linker, registry, reference_paths)?;
        match found.is_empty() {
            // This tells why nothing can be read, unless the file is empty.
            true => Self::open_damaged(object, external_files, registry, reference_paths),
            false => Ok(found.told_of_scan()),
        }
    }

    /// Tells what a scan found, as the first fault.
    fn told_of_scan(mut self) -> Self {
        let told = self.files.first().and_then(|open| scan_fault(&open.file));
        self.faults.splice(0..0, told);
        self
    }

    fn read_damaged(linker: Linker, registry: &Registry, reference_paths: bool) -> Result<Self> {
        let read = Self::read(linker, registry, reference_paths)?;
        Ok(Self {
            damaged: true,
            ..read
        })
    }

    /// Reads elements whose variable-length content cannot be read as NIL, as copies of HDF5 as it is have them.
    #[must_use]
    pub fn losing_elements(mut self) -> Self {
        for file in &mut self.files {
            file.loses_elements = true;
        }
        self
    }

    fn read(mut linker: Linker, registry: &Registry, reference_paths: bool) -> Result<Self> {
        let mut hierarchy = hierarchy::read(&mut linker)?;
        if reference_paths {
            let names = hierarchy.names(linker.files().len());
            linker.name_objects(names);
        }
        let links = std::mem::take(&mut hierarchy.links);
        let built = schema::build(&linker, hierarchy, registry)?;
        let (schema, stored) = (built.schema, built.stored);
        Ok(Self {
            links,
            faults: built.damage.into_faults(),
            ..Self::of(schema, linker.into_files(), stored, registry)
        })
    }

    /// A reader of these variables of open files.
    pub(in crate::format::netcdf4) fn of(
        schema: Schema,
        files: Vec<OpenFile>,
        stored: Vec<StoredVariable>,
        registry: &Registry,
    ) -> Self {
        let unfinished = files.first().and_then(OpenFile::unfinished);
        Self {
            schema: Schema { unfinished, ..schema },
            files,
            variables: stored.into_iter().map(OpenedVariable::new).collect(),
            pipelines: SharedPipelines::new(registry.clone()),
            links: Vec::new(),
            damaged: false,
            faults: Vec::new(),
        }
    }

    /// Marks the file as one that may be damaged, so that chunk indexes may be read in part. `faults` tells the damage of
    /// its structure.
    pub(in crate::format::netcdf4) fn of_damaged(self, faults: Vec<Fault>) -> Self {
        Self {
            damaged: true,
            faults,
            ..self
        }
    }
}
