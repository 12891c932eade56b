//! Trees of objects, and the files that they are written to.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;

use ncutils_hdf5::{
    AllocationTime, AttributeSpec, ByteOrder, ByteSink, Data, DatasetSpec, Dataspace, Datatype, DatatypeSpec,
    FileTree, FileWriter, FillSpec, FillTime, LayoutSpec, ObjectId, ObjectSpec, ObjectSpecKind, Result,
};

struct FileSink(File);

impl ByteSink for FileSink {
    fn write_all_at(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        FileExt::write_all_at(&self.0, data, offset)
    }

    fn set_size(&self, size: u64) -> io::Result<()> {
        self.0.set_len(size)
    }
}

/// A tree under construction; object 0 is the root group.
pub(super) struct FileTreeBuilder(pub FileTree);

impl FileTreeBuilder {
    pub(super) fn new() -> Self {
        Self(FileTree {
            objects: vec![ObjectSpec {
                kind: ObjectSpecKind::Group { links: Vec::new() },
                attributes: Vec::new(),
                properties: Default::default(),
            }],
        })
    }

    pub(super) fn add(&mut self, parent: ObjectId, name: &str, kind: ObjectSpecKind) -> ObjectId {
        let id = ObjectId(self.0.objects.len());
        self.0.objects.push(ObjectSpec {
            kind,
            attributes: Vec::new(),
            properties: Default::default(),
        });
        self.link(parent, name, id);
        id
    }

    pub(super) fn link(&mut self, parent: ObjectId, name: &str, target: ObjectId) {
        if let ObjectSpecKind::Group { links } = &mut self.0.objects[parent.0].kind {
            links.push((name.into(), target.into()));
        }
    }

    pub(super) fn group(&mut self, parent: ObjectId, name: &str) -> ObjectId {
        self.add(parent, name, ObjectSpecKind::Group { links: Vec::new() })
    }

    pub(super) fn dataset(&mut self, parent: ObjectId, name: &str, spec: DatasetSpec) -> ObjectId {
        self.add(parent, name, ObjectSpecKind::Dataset(spec))
    }

    pub(super) fn attribute(
        &mut self,
        id: ObjectId,
        name: &str,
        datatype: Datatype,
        dims: &[u64],
        data: Data,
    ) {
        self.0.objects[id.0].attributes.push(AttributeSpec {
            name: name.into(),
            datatype: DatatypeSpec::Inline(datatype),
            dataspace: Dataspace::fixed(dims),
            data,
        });
    }

    pub(super) fn writer(self, path: &Path) -> Result<FileWriter> {
        let file = File::create(path).expect("the folder can be written");
        FileWriter::create(Arc::new(FileSink(file)), &self.0)
    }
}

pub(super) const ROOT: ObjectId = ObjectId(0);

pub(super) fn int() -> Datatype {
    Datatype::integer(4, true, ByteOrder::Little)
}

pub(super) fn spec(datatype: Datatype, dims: &[u64], layout: LayoutSpec) -> DatasetSpec {
    let allocation_time = match layout {
        LayoutSpec::Compact { .. } => AllocationTime::Early,
        LayoutSpec::Contiguous { .. } | LayoutSpec::External(_) => AllocationTime::Late,
        LayoutSpec::Chunked { .. } | LayoutSpec::Virtual(_) | LayoutSpec::Kept(_) => {
            AllocationTime::Incremental
        }
    };
    DatasetSpec {
        datatype: DatatypeSpec::Inline(datatype),
        dataspace: Dataspace::fixed(dims),
        layout,
        allocation_time,
        fill_time: FillTime::IfSet,
        fill: FillSpec::Default,
        filters: Vec::new(),
    }
}

pub(super) fn contiguous(datatype: Datatype, dims: &[u64], allocated: bool) -> DatasetSpec {
    let size = dims.iter().product::<u64>() * u64::from(datatype.size);
    spec(datatype, dims, LayoutSpec::Contiguous { size, allocated })
}

pub(super) fn ints(range: std::ops::Range<i32>) -> Vec<u8> {
    range.flat_map(i32::to_le_bytes).collect()
}
