//! Reads the header and the attributes of one object.

use crate::format::netcdf4::hdf5_error::hdf5_error;
use ncutils_hdf5::{Attribute, Dataset, Datatype, File, Object, ObjectKind, Tolerated};

use super::links::ObjectId;
use crate::error::Result;
use crate::format::Fault;
use crate::format::netcdf4::conventions::MAX_NAME;
use crate::format::netcdf4::read::datatype::presented::Presented;
use crate::format::netcdf4::read::user_path::user_path;

/// The content of an object, and warnings about the parts that were left out.
pub struct Described {
    /// The content.
    pub what: What,
    /// What netCDF cannot hold.
    pub warnings: Vec<String>,
    /// What is wrong with an object of a damaged file.
    pub faults: Vec<Fault>,
}

impl Described {
    /// The attributes of the object.
    pub fn attributes(&self) -> &[Attribute] {
        match &self.what {
            What::Group(attributes) | What::Dataset(_, attributes) => attributes,
            What::Type(_) | What::Nothing => &[],
        }
    }
}

/// The content of an object.
pub enum What {
    /// A group with these attributes.
    Group(Vec<Attribute>),
    /// A committed datatype.
    Type(Datatype),
    /// A dataset with these attributes.
    Dataset(Box<Dataset>, Vec<Attribute>),
    /// An object that is left out.
    Nothing,
}

/// Reads one object's header and attributes. Of a damaged file, all of them that can be read.
///
/// # Errors
/// If the object is damaged and the file must not be, or if it is the root group and its header cannot be read.
pub fn describe(file: &File, id: ObjectId, path: &str, damaged: bool) -> Result<Described> {
    let (tolerating, faults) = match damaged {
        true => file.tolerating(),
        false => (file.clone(), Tolerated::default()),
    };
    let mut read = Reading {
        file: &tolerating,
        path,
        damaged,
        described: Described {
            what: What::Nothing,
            warnings: Vec::new(),
            faults: Vec::new(),
        },
    };
    let what = read.what(id.address);
    let mut described = read.described;
    let in_object = |error: ncutils_hdf5::Error| match path {
        "/" => hdf5_error(error),
        path => hdf5_error(error).in_variable(&user_path(path)),
    };
    let noted = faults.take();
    let is_damaged = !noted.is_empty();
    let noted = noted.into_iter().map(|error| Fault::of(&in_object(error)));
    described.faults.splice(0..0, noted);
    match what {
        Ok(what) => described.what = what,
        Err(ncutils_hdf5::Error::Unsupported(_)) if is_damaged => {
            let why = "it is left out, as the part of its header that can be read does not tell what it is";
            described
                .faults
                .push(Fault::new(why).in_variable(&user_path(path)));
        }
        Err(ncutils_hdf5::Error::Unsupported(why)) => {
            described
                .warnings
                .push(format!("{path} is left out: {why} is not supported"));
        }
        Err(error) if damaged && path != "/" => described.faults.push(Fault::of(&in_object(error))),
        Err(error) => return Err(in_object(error)),
    }
    Ok(described)
}

/// An object that is being read.
struct Reading<'a> {
    file: &'a File,
    path: &'a str,
    damaged: bool,
    described: Described,
}

impl Reading<'_> {
    fn what(&mut self, address: u64) -> ncutils_hdf5::Result<What> {
        let object = self.file.object(address)?;
        Ok(match object.kind {
            ObjectKind::Group => What::Group(self.attributes(&object)?),
            ObjectKind::Dataset => {
                let mut dataset = self.file.dataset(&object)?;
                self.present(&mut dataset.datatype, None);
                What::Dataset(Box::new(dataset), self.attributes(&object)?)
            }
            ObjectKind::NamedDatatype => {
                let mut datatype = self.file.named_datatype(&object)?;
                // What has this type is told.
                if let Some(presented) = Presented::of(&datatype) {
                    datatype = presented.datatype;
                }
                What::Type(datatype)
            }
            _ => {
                return Err(ncutils_hdf5::Error::Unsupported(
                    "an object that is neither group, dataset nor datatype".into(),
                ));
            }
        })
    }

    /// The attributes that netCDF can hold.
    fn attributes(&mut self, object: &Object) -> ncutils_hdf5::Result<Vec<Attribute>> {
        let stored = match self.file.attributes(object) {
            Err(error) if self.damaged => {
                self.damaged_attribute(&error);
                Vec::new()
            }
            stored => stored?,
        };
        let path = self.path;
        let mut kept = Vec::with_capacity(stored.len());
        for attribute in stored {
            match attribute {
                Ok(attribute) if attribute.name.len() > MAX_NAME => self.described.warnings.push(format!(
                    "an attribute of {path} is left out: its name of {} bytes is longer than netCDF's {MAX_NAME}",
                    attribute.name.len()
                )),
                Ok(mut attribute) => {
                    self.present(&mut attribute.datatype, Some(&attribute.name));
                    kept.push(attribute);
                }
                Err(ncutils_hdf5::Error::Unsupported(why)) => self
                    .described
                    .warnings
                    .push(format!("an attribute of {path} is left out: {why} is not supported")),
                Err(error) if self.damaged => self.damaged_attribute(&error),
                Err(error) => return Err(error),
            }
        }
        Ok(kept)
    }

    /// Replaces a datatype that netCDF lacks, if another one holds the same. `attribute` is the name of what has it.
    fn present(&mut self, datatype: &mut Datatype, attribute: Option<&str>) {
        let Some(presented) = Presented::of(datatype) else {
            return;
        };
        *datatype = presented.datatype;
        if presented.has_bits {
            let path = self.path;
            let what =
                attribute.map_or_else(|| path.to_owned(), |name| format!("the attribute {path}:{name}"));
            self.described
                .warnings
                .push(format!("{what}: its bit fields are read as unsigned integers"));
        }
    }

    /// Notes an attribute that cannot be read.
    fn damaged_attribute(&mut self, error: &ncutils_hdf5::Error) {
        let fault = Fault::new(format!("an attribute cannot be read: {error}"));
        self.described.faults.push(match self.path {
            "/" => fault,
            path => fault.in_variable(&user_path(path)),
        });
    }
}
