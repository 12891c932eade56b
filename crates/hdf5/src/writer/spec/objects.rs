//! The description of a file: the tree of objects that [`FileWriter::create`](crate::writer::FileWriter::create) lays out.

use std::borrow::Cow;

use super::data::Data;
use super::object_id::ObjectId;
use crate::{
    AllocationTime, Dataspace, Datatype, ExternalSegment, FillTime, Filter, ObjectProperties, StorageMessages,
};

/// All objects of a file. `objects[0]` is the root group.
#[derive(Debug, Clone, Default)]
pub struct FileTree {
    /// The objects, in the order in which their headers are laid out.
    pub objects: Vec<ObjectSpec>,
}

/// The objects of a file, made on demand, so that a large file's objects need not all be in memory.
///
/// Each object is requested at least twice, and must be the same each time. Object 0 is the root group.
pub trait ObjectSource {
    /// An error of making or writing an object.
    type Error: From<crate::Error>;

    /// Number of objects.
    fn object_count(&self) -> usize;

    /// Object number `id`, which is less than [`object_count`](Self::object_count).
    ///
    /// # Errors
    /// The object cannot be made.
    fn object(&self, id: ObjectId) -> Result<Cow<'_, ObjectSpec>, Self::Error>;
}

impl ObjectSource for FileTree {
    type Error = crate::Error;

    fn object_count(&self) -> usize {
        self.objects.len()
    }

    fn object(&self, id: ObjectId) -> Result<Cow<'_, ObjectSpec>, Self::Error> {
        let object = self.objects.get(id.0);
        object
            .map(Cow::Borrowed)
            .ok_or_else(|| crate::Error::CannotWrite(format!("object {} of the tree does not exist", id.0)))
    }
}

/// The description of an object.
#[derive(Debug, Clone)]
pub struct ObjectSpec {
    /// Its kind.
    pub kind: ObjectSpecKind,
    /// Its attributes in creation order.
    pub attributes: Vec<AttributeSpec>,
    /// Its other properties.
    pub properties: ObjectProperties,
}

/// The kinds of objects.
#[derive(Debug, Clone)]
pub enum ObjectSpecKind {
    /// A group.
    Group {
        /// Links in creation order. Names are unique, and contain no `/`.
        links: Vec<(String, LinkSpec)>,
    },
    /// A committed datatype.
    NamedDatatype(Datatype),
    /// A committed datatype, and its message as another file has it.
    EncodedDatatype(Datatype, Vec<u8>),
    /// A dataset.
    Dataset(DatasetSpec),
}

/// The target of a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkSpec {
    /// An object of the file.
    Hard(ObjectId),
    /// A path in the file, absolute or relative to the group.
    Soft(String),
    /// A path in another file.
    External {
        /// Name of the other file.
        file: String,
        /// The path in it.
        path: String,
    },
    /// A link of a type that a program registered.
    UserDefined {
        /// The type: 65 to 255.
        class: u8,
        /// The content.
        data: Vec<u8>,
    },
}

impl From<ObjectId> for LinkSpec {
    fn from(object: ObjectId) -> Self {
        Self::Hard(object)
    }
}

impl LinkSpec {
    /// The object that a hard link leads to.
    pub fn object(&self) -> Option<ObjectId> {
        match self {
            Self::Hard(object) => Some(*object),
            Self::Soft(_) | Self::External { .. } | Self::UserDefined { .. } => None,
        }
    }
}

/// A dataset without its data.
#[derive(Debug, Clone)]
pub struct DatasetSpec {
    /// Type of its elements.
    pub datatype: DatatypeSpec,
    /// Its shape.
    pub dataspace: Dataspace,
    /// Storage of its data.
    pub layout: LayoutSpec,
    /// Allocation time, for data that a later program adds.
    pub allocation_time: AllocationTime,
    /// Time of writing fill values, for space that a later program allocates.
    pub fill_time: FillTime,
    /// The fill value.
    pub fill: FillSpec,
    /// The filters that the chunks have passed through.
    pub filters: Vec<Filter>,
}

/// A datatype, stored inline or as a committed datatype.
#[derive(Debug, Clone)]
pub enum DatatypeSpec {
    /// A datatype stored inline.
    Inline(Datatype),
    /// A datatype stored inline, and its message as another file has it.
    Encoded(Datatype, Vec<u8>),
    /// A reference to an [`ObjectSpecKind::NamedDatatype`], and the same datatype.
    Committed(ObjectId, Datatype),
}

impl DatatypeSpec {
    /// The datatype, inline or committed.
    pub fn datatype(&self) -> &Datatype {
        match self {
            Self::Inline(datatype) | Self::Encoded(datatype, _) | Self::Committed(_, datatype) => datatype,
        }
    }
}

/// The fill value of a dataset.
#[derive(Debug, Clone)]
pub enum FillSpec {
    /// Explicitly undefined: elements never written may have any value.
    Undefined,
    /// The library's default: zeros.
    Default,
    /// One element.
    Defined(Box<Data>),
}

/// Storage of a dataset's data.
#[derive(Debug, Clone)]
pub enum LayoutSpec {
    /// Inside the object header.
    Compact {
        /// Size in bytes. The header message must stay below 64 KiB.
        size: u64,
    },
    /// In one contiguous block.
    Contiguous {
        /// Size in bytes.
        size: u64,
        /// True if space is allocated (bytes never written read as zero). False if nothing is stored, and elements read
        /// as the fill value.
        allocated: bool,
    },
    /// In chunks, indexed by a version 1 B-tree.
    Chunked {
        /// Shape of a chunk in elements, slowest dimension first. Same rank as the dataspace.
        shape: Vec<u64>,
        /// Maximum number of chunks that will be reserved. Where it is not 0, at least one must be, as the header is
        /// written with the address of their index.
        chunk_count: u64,
    },
    /// In other files, as plain bytes: all segments one after another.
    External(Vec<ExternalSegment>),
    /// In other datasets. The encoded mappings are the content of a global heap object; `None` if there are none.
    Virtual(Option<Vec<u8>>),
    /// Where a file that [grows](crate::File::growing) has it already, whatever its layout.
    Kept(StorageMessages),
}

/// An attribute.
#[derive(Debug, Clone)]
pub struct AttributeSpec {
    /// Its name, unique within the object.
    pub name: String,
    /// Type of its elements.
    pub datatype: DatatypeSpec,
    /// Its shape.
    pub dataspace: Dataspace,
    /// Its elements.
    pub data: Data,
}
