//! [`Verbatim`]: an HDF5 file that is copied as it is.

use crate::format::netcdf4::hdf5_error::as_hdf5;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use ncutils_hdf5::FileSettings;

use super::addressed::elements::CopiedObjects;
use super::addressed::lost_elements::LostElements;
use super::addressed::{dataset, part_of_dataset};
use super::attachments;
use super::empty::EmptyShapes;
use super::hierarchy;
use super::hierarchy::Hierarchy;
use super::schema;
use super::selection::Selection;
use super::specs::Specs;
use super::variable::Variable;
use crate::error::{Error, Result};
use crate::filter::Registry;
use crate::format::netcdf4::read::{Netcdf4Reader, OpenFile, scan_fault, with_remains};
use crate::format::netcdf4::write::{Netcdf4Writer, pages};
use crate::format::{Fault, Reader, VariablePlan, Writer};
use crate::model::Schema;
use crate::store::{Destination, DestinationKind, ExternalFiles, Object, Output};

/// Bytes of a user block that are copied at once.
const PIECE: u64 = 1 << 20;

/// An HDF5 file to be copied as it is.
pub struct Verbatim {
    pub(super) file: OpenFile,
    pub(super) hierarchy: Hierarchy,
    pub(super) reader: Netcdf4Reader,
    pub(super) addressed: Netcdf4Reader,
    pub(super) registry: Registry,
    /// Number of references to what is not copied.
    pub(super) lost: AtomicU64,
    /// Elements that could not be read of a damaged file, a fault for each dataset.
    pub(super) lost_elements: Mutex<Vec<Fault>>,
}

impl Verbatim {
    /// Opens an HDF5 file and finds its objects.
    ///
    /// # Errors
    /// [`Error::UnknownFormat`] if it is not HDF5. Other errors if it is damaged, or it has something that cannot be copied as it is.
    pub fn open(object: Arc<dyn Object>, registry: &Registry) -> Result<Self> {
        Self::open_selected(object, registry, Selection::default())
    }

    /// Opens an HDF5 file, and finds those of its objects that are selected.
    ///
    /// # Errors
    /// Those of [`Verbatim::open`].
    pub fn open_selected(object: Arc<dyn Object>, registry: &Registry, selection: Selection) -> Result<Self> {
        let opened = Self::open_objects(object.clone(), registry, selection, false);
        opened.map_err(|error| with_remains(error, object, registry))
    }

    /// Opens a file that may be damaged or truncated, and finds those of its selected objects that can be read. The
    /// [reader](Self::reader)'s own check tells what is left out.
    ///
    /// # Errors
    /// [`Error::UnknownFormat`] if it is not HDF5. Other errors if the superblock or the root group cannot be read.
    pub fn open_damaged(object: Arc<dyn Object>, registry: &Registry, selection: Selection) -> Result<Self> {
        Self::open_objects(object, registry, selection, true)
    }

    /// Opens a copy that was written. Datasets whose raw data lies in files beside it are variables of its
    /// [reader](Self::reader), too.
    ///
    /// # Errors
    /// Those of [`Verbatim::open`].
    pub fn open_written(
        object: Arc<dyn Object>,
        external_files: Option<Arc<dyn ExternalFiles>>,
        registry: &Registry,
    ) -> Result<Self> {
        Self::open_beside(object, external_files, registry, Selection::default(), false)
    }

    fn open_objects(
        object: Arc<dyn Object>,
        registry: &Registry,
        selection: Selection,
        damaged: bool,
    ) -> Result<Self> {
        Self::open_beside(object, None, registry, selection, damaged)
    }

    fn open_beside(
        object: Arc<dyn Object>,
        external_files: Option<Arc<dyn ExternalFiles>>,
        registry: &Registry,
        selection: Selection,
        damaged: bool,
    ) -> Result<Self> {
        let open = || {
            let opened = match damaged {
                true => OpenFile::recovered(object.clone(), registry),
                false => OpenFile::new(object.clone(), external_files.clone(), registry),
            };
            opened.map_err(|error| match as_hdf5(&error) {
                Some(ncutils_hdf5::Error::NotHdf5) => Error::UnknownFormat,
                _ => error,
            })
        };
        let file = open()?;
        let mut hierarchy = hierarchy::read(&file.file, selection.clone(), damaged)?;
        if damaged && hierarchy.items.len() <= 1 {
            // This tells why nothing can be read, unless the file is empty.
            let usual = OpenFile::of_damaged(object.clone(), registry)?;
            hierarchy::read(&usual.file, selection, damaged)?;
        }
        let (mut reader, mut addressed) = schema::readers(open()?, open()?, &mut hierarchy, registry)?;
        if let Some(losses) = &mut hierarchy.losses {
            let told = scan_fault(&file.file).into_iter();
            reader = reader.of_damaged(told.chain(std::mem::take(&mut losses.faults)).collect());
            addressed = addressed.of_damaged(Vec::new());
        }
        Ok(Self {
            file,
            hierarchy,
            reader,
            addressed,
            registry: registry.clone(),
            lost: AtomicU64::new(0),
            lost_elements: Mutex::default(),
        })
    }

    /// The datasets that the engine copies, as variables.
    pub fn reader(&self) -> &dyn Reader {
        &self.reader
    }

    /// The datasets whose elements hold addresses, as variables of opaque bytes. The engine cannot copy them.
    pub fn addressed(&self) -> &dyn Reader {
        &self.addressed
    }

    /// The dataset at an address, as a variable; `None` for what is none, as it has no data of its own.
    pub fn variable_at(&self, address: u64) -> Option<Variable> {
        let item = self.hierarchy.items.get(self.hierarchy.ids.get(&address)?.0)?;
        item.var
            .map(Variable::Plain)
            .or(item.addressed.map(Variable::Addressed))
    }

    /// The addresses and paths of all datasets with data of their own.
    pub fn datasets(&self) -> impl Iterator<Item = (u64, impl Fn() -> String)> {
        let items = self.hierarchy.items.iter();
        let stored = items.filter(|item| item.var.is_some() || item.addressed.is_some());
        stored.map(|item| (item.address, || self.hierarchy.path(item)))
    }

    /// The address of the first dimension scale of each dimension of a dataset, as its attribute `DIMENSION_LIST` tells; `None` for
    /// a dimension without a scale.
    ///
    /// # Errors
    /// An attribute of the dataset is damaged.
    pub fn scales(&self, address: u64) -> Result<Vec<Option<u64>>> {
        attachments::scales(&self.hierarchy, &self.file.file, address)
    }

    /// The address of the object at a path; `None` if there is none, or it lies in another file.
    pub fn address_of(&self, path: &str) -> Option<u64> {
        self.file.file.open_path(path).ok().map(|object| object.address)
    }

    /// Creates the copy, but for the data of the [reader's](Self::reader) variables, which are stored as planned. `addressed`
    /// reads the [other variables](Self::addressed), or a part of them. Datasets without elements have the shapes in `empty`, or else
    /// their own.
    ///
    /// # Errors
    /// HDF5 cannot hold a dataset as planned; elements cannot be read or rewritten; the output fails.
    pub fn create(
        &self,
        destination: &Destination,
        schema: &Schema,
        plans: &[VariablePlan],
        addressed: &dyn Reader,
        empty: &EmptyShapes,
    ) -> Result<Box<dyn Writer>> {
        let DestinationKind::Object(output) = destination.kind() else {
            return Err(Error::Usage(
                "HDF5 is one file, and cannot be a store of keys".to_owned(),
            ));
        };
        let base = self.file.file.user_block_size();
        let places = CopiedObjects {
            file: &self.file.file,
            objects: &self.hierarchy.ids,
            lost: &self.lost,
            size: self.file.size,
            lost_elements: None,
        };
        let raw = destination.raw_files();
        let specs = Specs::new(
            &self.hierarchy,
            places,
            schema,
            plans,
            (&self.addressed, addressed),
            empty,
        )?;
        let space = self
            .file
            .file
            .file_space()
            .filter(|space| space.page_size().is_none());
        let settings = FileSettings {
            user_block: base,
            space: pages(schema)?.or(space),
            behind: None,
        };
        let writer = Netcdf4Writer::create_with(settings, output.clone(), raw, schema, plans, &specs)?;
        // Attributes were resolved more than once.
        self.lost.store(specs.lost_in_headers()?, Ordering::Relaxed);
        self.copy_user_block(&**output, base)?;
        for (id, var) in self.hierarchy.addressed() {
            let item = &self.hierarchy.items[id.0];
            let lost = LostElements::default();
            let is_damaged = self.hierarchy.losses.is_some();
            let places = CopiedObjects {
                lost_elements: is_damaged.then_some(&lost),
                ..places
            };
            let readers = (&self.addressed as &dyn Reader, addressed);
            let copied = match self.hierarchy.is_rewritten(readers, var) {
                true => {
                    let part = part_of_dataset::AddressedPart {
                        reader: addressed,
                        var,
                    };
                    part.copy(&places, &self.registry, item.address, id, writer.file())
                }
                false => dataset::copy(&places, &self.registry, item.address, id, writer.file()),
            };
            copied.map_err(|error| error.in_variable(&self.hierarchy.path(item)))?;
            let faults = self.lost_elements.lock();
            let mut faults = faults.unwrap_or_else(PoisonError::into_inner);
            faults.extend(
                is_damaged
                    .then(|| lost.fault(&self.hierarchy.path(item)))
                    .flatten(),
            );
        }
        Ok(Box::new(writer))
    }

    fn copy_user_block(&self, output: &dyn Output, size: u64) -> Result<()> {
        let mut at = 0;
        while at < size {
            let mut bytes = vec![0; (size - at).min(PIECE) as usize];
            let read = self.file.source.read_exact_at(at, &mut bytes);
            read.map_err(|e: io::Error| Error::io("cannot read the user block", e))?;
            let written = output.write_all_at(at, &bytes);
            written.map_err(|e| Error::io("cannot write the user block", e))?;
            at += bytes.len() as u64;
        }
        Ok(())
    }

    /// The elements of a damaged file that could not be read, and are null in the copy: a fault for each dataset. Complete
    /// once the copy was [created](Self::create).
    pub fn lost_elements(&self) -> Vec<Fault> {
        let faults = self.lost_elements.lock();
        faults.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What is not in the copy as it is in the input: a line each. Complete once the copy was [created](Self::create).
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = self.hierarchy.warnings.clone();
        match self.lost.load(Ordering::Relaxed) {
            0 => {}
            1 => warnings
                .push("1 reference leads to nothing that is copied, and is null in the copy".to_owned()),
            lost => warnings.push(format!(
                "{lost} references lead to nothing that is copied, and are null in the copy"
            )),
        }
        warnings
    }
}
