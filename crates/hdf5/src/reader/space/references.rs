//! What elements refer to: global heap collections, and objects.

use std::collections::HashSet;

use crate::datatype::{Class, Datatype, ReferenceKind};
use crate::error::Result;
use crate::heap::global::GlobalHeap;
use crate::metadata::MetadataReader;

/// Most objects that are looked at because elements refer to them.
const MOST_TARGETS: usize = 1 << 20;

/// Collects the global heap collections and the objects that elements refer to, and tells the reader of the space of the collections.
pub(super) struct References {
    reader: MetadataReader,
    heap: GlobalHeap,
    collections: HashSet<u64>,
    /// Objects whose elements were added. Each is read once, however many elements refer to it.
    objects: HashSet<(u64, u32)>,
    /// Addresses of the objects that elements refer to, since they were taken. They may be deleted.
    pub(super) targets: Vec<u64>,
    /// All addresses that were in `targets`.
    known_targets: HashSet<u64>,
    /// Heap objects with selections that were read.
    selections: HashSet<(u64, u32)>,
    /// True after an element whose references are not known.
    pub(super) is_incomplete: bool,
}

impl References {
    pub(super) fn new(reader: &MetadataReader) -> Self {
        Self {
            reader: reader.clone(),
            heap: GlobalHeap::new(reader),
            collections: HashSet::new(),
            objects: HashSet::new(),
            targets: Vec::new(),
            known_targets: HashSet::new(),
            selections: HashSet::new(),
            is_incomplete: false,
        }
    }

    /// True if elements of this type may refer to anything.
    pub(super) fn are_in(datatype: &Datatype) -> bool {
        match &datatype.class {
            Class::VariableLength { .. } | Class::VariableString { .. } | Class::Reference { .. } => true,
            Class::Compound { members } => members.iter().any(|member| Self::are_in(&member.datatype)),
            Class::Array { base, .. } => Self::are_in(base),
            _ => false,
        }
    }

    /// Adds what the elements in `bytes` refer to. The nesting of datatypes is limited.
    pub(super) fn add(&mut self, datatype: &Datatype, bytes: &[u8]) -> Result<()> {
        let size = datatype.size as usize;
        if size == 0 || !Self::are_in(datatype) {
            return Ok(());
        }
        for element in bytes.chunks_exact(size) {
            self.add_one(datatype, element)?;
        }
        Ok(())
    }

    fn add_one(&mut self, datatype: &Datatype, element: &[u8]) -> Result<()> {
        match &datatype.class {
            Class::VariableString { .. } => self.add_object(element.get(4..), None),
            Class::VariableLength { base } => {
                let base = Self::are_in(base).then_some(&**base);
                self.add_object(element.get(4..), base)
            }
            Class::Reference {
                kind: ReferenceKind::Object,
            } => {
                self.add_target(element);
                Ok(())
            }
            Class::Reference {
                kind: ReferenceKind::DatasetRegion,
            } => self.add_region(element),
            Class::Reference {
                kind: ReferenceKind::Standard,
            } => {
                self.is_incomplete = true;
                Ok(())
            }
            Class::Compound { members } => members.iter().try_for_each(|member| {
                let from = member.offset as usize;
                let bytes = element.get(from..from.saturating_add(member.datatype.size as usize));
                self.add(&member.datatype, bytes.unwrap_or_default())
            }),
            Class::Array { base, .. } => self.add(base, element),
            _ => Ok(()),
        }
    }

    /// Adds the object whose address `bytes` begin with. No object has the address 0.
    fn add_target(&mut self, bytes: &[u8]) {
        let address = self.reader.cursor("object reference", 0, bytes).offset();
        let Some(target) = address.ok().flatten().filter(|address| *address != 0) else {
            return;
        };
        if self.known_targets.len() >= MOST_TARGETS {
            self.is_incomplete = true;
        } else if self.known_targets.insert(target) {
            self.targets.push(target);
        }
    }

    /// Adds the object of the heap with a selection, which begins with the address of its dataset.
    fn add_region(&mut self, element: &[u8]) -> Result<()> {
        self.add_object(Some(element), None)?;
        let mut id = self.reader.cursor("global heap identifier", 0, element);
        if let Some(address) = id.offset()?.filter(|address| *address != 0) {
            let index = id.u32()?;
            if self.selections.insert((address, index)) {
                let selection = self.heap.object(address, index)?;
                self.add_target(&selection);
            }
        }
        Ok(())
    }

    /// Adds the object with the identifier `id`. Its elements of type `base` may refer to others.
    fn add_object(&mut self, id: Option<&[u8]>, base: Option<&Datatype>) -> Result<()> {
        let mut id = self
            .reader
            .cursor("global heap identifier", 0, id.unwrap_or_default());
        let Some(address) = id.offset()?.filter(|address| *address != 0) else {
            return Ok(());
        };
        let index = id.u32()?;
        self.add_collection(address)?;
        match base {
            Some(base) if self.objects.insert((address, index)) => {
                let object = self.heap.object(address, index)?;
                self.add(base, &object)
            }
            _ => Ok(()),
        }
    }

    /// Adds the collection at `address`.
    pub(super) fn add_collection(&mut self, address: u64) -> Result<()> {
        if !self.collections.insert(address) {
            return Ok(());
        }
        let size = self.heap.collection_size(address)?;
        self.reader.takes(address, size);
        Ok(())
    }
}
