//! What a file is to hold: the tree of objects that [`FileWriter::create`](super::FileWriter::create) lays out.

use std::borrow::Cow;

use super::sequences::Sequences;
use crate::{AllocationTime, Dataspace, Datatype, FillTime, Filter};

/// The position of an object in [`FileTree::objects`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId(pub usize);

/// All objects of a file. `objects[0]` is the root group.
#[derive(Debug, Clone, Default)]
pub struct FileTree {
    /// The objects, in the order in which their headers are laid out.
    pub objects: Vec<ObjectSpec>,
}

/// The objects of a file, each made when it is asked for: a file of very many need not have all in memory.
///
/// Each is asked for at least twice and must be the same each time. Object 0 is the root group.
pub trait ObjectSource {
    /// Why an object cannot be made, or cannot be written.
    type Error: From<crate::Error>;

    /// How many objects there are.
    fn object_count(&self) -> usize;

    /// The object with this number, which is less than [`object_count`](Self::object_count).
    ///
    /// # Errors
    /// Why it cannot be made.
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

/// One object.
#[derive(Debug, Clone)]
pub struct ObjectSpec {
    /// What it is.
    pub kind: ObjectSpecKind,
    /// Its attributes in creation order, which is always tracked and indexed.
    pub attributes: Vec<AttributeSpec>,
}

/// The kinds of objects.
#[derive(Debug, Clone)]
pub enum ObjectSpecKind {
    /// A group.
    Group {
        /// Hard links in creation order, which is always tracked and indexed. Names are unique and hold no `/`.
        links: Vec<(String, ObjectId)>,
    },
    /// A committed datatype.
    NamedDatatype(Datatype),
    /// A dataset.
    Dataset(DatasetSpec),
}

/// A dataset without its data.
#[derive(Debug, Clone)]
pub struct DatasetSpec {
    /// What one element is.
    pub datatype: DatatypeSpec,
    /// The shape.
    pub dataspace: Dataspace,
    /// How the data is stored.
    pub layout: LayoutSpec,
    /// When space is allocated for data that a later program adds.
    pub allocation_time: AllocationTime,
    /// When fill values are written to space that a later program allocates.
    pub fill_time: FillTime,
    /// The fill value.
    pub fill: FillSpec,
    /// The filters that the chunks have gone through.
    pub filters: Vec<Filter>,
}

/// A datatype, or the committed datatype that holds it.
#[derive(Debug, Clone)]
pub enum DatatypeSpec {
    /// The datatype itself.
    Inline(Datatype),
    /// A reference to a [`ObjectSpecKind::NamedDatatype`], which must hold this same datatype.
    Committed(ObjectId, Datatype),
}

impl DatatypeSpec {
    /// The datatype, wherever it is stored.
    pub fn datatype(&self) -> &Datatype {
        match self {
            Self::Inline(datatype) | Self::Committed(_, datatype) => datatype,
        }
    }
}

/// The fill value of a dataset.
#[derive(Debug, Clone)]
pub enum FillSpec {
    /// Explicitly undefined: what was not written may be anything.
    Undefined,
    /// The library's default: zeros.
    Default,
    /// One element.
    Defined(Box<Data>),
}

/// How the data of a dataset is stored.
#[derive(Debug, Clone)]
pub enum LayoutSpec {
    /// Inside the object header.
    Compact {
        /// Bytes; the header message must stay below 64 KiB.
        size: u64,
    },
    /// In one run of bytes.
    Contiguous {
        /// Bytes.
        size: u64,
        /// Whether the file has the bytes (what is not written of them reads as zero), or nothing is stored and the fill value is read.
        allocated: bool,
    },
    /// In chunks, indexed by a version-1 B-tree.
    Chunked {
        /// The shape of a chunk in elements, slowest dimension first. Same rank as the dataspace.
        shape: Vec<u64>,
        /// How many chunks will be stored. Fewer may be reserved later, not more.
        chunk_count: u64,
    },
}

/// An attribute.
#[derive(Debug, Clone)]
pub struct AttributeSpec {
    /// Its name, unique on the object.
    pub name: String,
    /// What one element is.
    pub datatype: DatatypeSpec,
    /// The shape.
    pub dataspace: Dataspace,
    /// The elements.
    pub data: Data,
}

/// Bytes of elements as the file stores them, with holes that only the writer can fill: addresses.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Data {
    /// The bytes, with zeros in the holes.
    pub bytes: Vec<u8>,
    /// Object references: the byte offset of 8 bytes, and what they refer to.
    pub references: Vec<(usize, ObjectId)>,
    /// Variable-length elements: the byte offset of 16 bytes, the length in elements (in bytes for strings), and the
    /// payload, which goes to a global heap. An element that is left zero, with no entry here, is NIL.
    pub sequences: Sequences,
}

impl Data {
    /// Plain bytes: no references, nothing of variable length.
    pub fn plain(bytes: Vec<u8>) -> Self {
        Self {
            bytes,
            ..Self::default()
        }
    }
}
