//! Fuzzes the readers of all formats: structure, storage and values, as the programs read them.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

use ncutils_core::Error;
use ncutils_core::chunk::ChunkGrid;
use ncutils_core::filter::Registry;
use ncutils_core::format::{self, Reader, Region, Written, WrittenChunks};
use ncutils_core::model::{Storage, VarId, VariableLayout};
use ncutils_core::print::cdl::dump;
use ncutils_core::print::{DataOf, DumpOptions};
use ncutils_core::store::{ExternalFile, ExternalFiles, Input, NamedAs, NoExternalFile, Object};

use crate::Seed;
use crate::seed::files;

/// Maximum number of chunks that are read of one variable.
const MAX_CHUNKS: u64 = 16;

/// Maximum number of elements in a region that is read.
const MAX_ELEMENTS: u64 = 4096;

/// Maximum number of elements in a file that is dumped completely.
const MAX_DUMPED: u64 = 20_000;

/// Opens the file, and reads it within bounds.
pub fn read_all(input: &[u8]) {
    if let Some(reader) = open(input) {
        read_reader(&*reader);
    }
}

/// Reads a dataset within bounds.
pub fn read_reader(reader: &dyn Reader) {
    let schema = reader.schema();
    let mut elements = 0u64;
    for var in (0..schema.vars.len()).map(VarId) {
        check(reader.resolve_sources(var));
        let layout = reader.layout(var);
        let shape = schema.shape(var);
        assert_eq!(
            layout.extent.len(),
            shape.len(),
            "an extent has the rank of its variable"
        );
        elements = elements.saturating_add(shape.iter().fold(1, |n: u64, d| n.saturating_mul(*d)));
        storage(reader, var, layout);
        if let Some(region) = corner(&shape) {
            check(reader.read_region(var, &region).map(|values| {
                let expected =
                    region.element_count().unwrap_or(0) as usize * schema.type_size(schema.var(var).ty);
                assert_eq!(
                    values.bytes.len(),
                    expected,
                    "as many bytes as the region has elements"
                );
            }));
        }
    }
    let data = if elements <= MAX_DUMPED {
        DataOf::All
    } else {
        DataOf::None
    };
    let options = DumpOptions {
        data,
        special: true,
        ..DumpOptions::default()
    };
    check(dump(reader, "fuzz", &options, &mut std::io::sink()));
}

/// Opens a file in memory. Any file that it names is the file itself.
pub fn open(input: &[u8]) -> Option<Box<dyn Reader>> {
    check(format::open(input_of(input), &Registry::builtin()))
}

/// A file in memory. Any file that it names is the file itself.
pub fn input_of(input: &[u8]) -> Input {
    let file: Arc<dyn Object> = Arc::new(input.to_vec());
    let referenced = Arc::new(Referenced(Itself(Arc::clone(&file))));
    let input = Input::object("fuzz", Arc::clone(&file)).with_external_files(Arc::new(Itself(file)));
    input.with_referenced(referenced)
}

/// The only file that there is.
struct Itself(Arc<dyn Object>);

impl ExternalFiles for Itself {
    fn identity(&self) -> &OsStr {
        OsStr::new("fuzz")
    }

    fn find(&self, name: &str, _: NamedAs) -> Result<ExternalFile, NoExternalFile> {
        if name.is_empty() {
            return Err(NoExternalFile::Missing);
        }
        let file = Arc::clone(&self.0);
        Ok(ExternalFile::new("fuzz", move || {
            let input = Input::object("fuzz", Arc::clone(&file));
            Ok(Some(input.with_external_files(Arc::new(Self(file)))))
        }))
    }
}

/// The places of references, which may not lead to the file of references: it has another identity here.
struct Referenced(Itself);

impl ExternalFiles for Referenced {
    fn identity(&self) -> &OsStr {
        OsStr::new("references")
    }

    fn find(&self, name: &str, named_as: NamedAs) -> Result<ExternalFile, NoExternalFile> {
        self.0.find(name, named_as)
    }
}

/// Seeds: references in JSON.
pub fn references(root: &Path) -> Vec<Seed> {
    files(&root.join("testdata/references"), |bytes| bytes.starts_with(b"{"))
}

/// The value of a result. Panics for an internal error, which no damaged file may cause.
pub fn check<T>(result: Result<T, Error>) -> Option<T> {
    match result {
        Ok(value) => Some(value),
        Err(error) => {
            let mut cause: &Error = &error;
            while let Error::File { cause: inner, .. }
            | Error::Variable { cause: inner, .. }
            | Error::Chunk { cause: inner, .. } = cause
            {
                cause = inner;
            }
            assert!(!matches!(cause, Error::Internal(_)), "{error}");
            None
        }
    }
}

/// The region at the end of `shape`, of at most [`MAX_ELEMENTS`]; `None` if there are no elements.
pub fn corner(shape: &[u64]) -> Option<Region> {
    if shape.contains(&0) {
        return None;
    }
    let mut left = MAX_ELEMENTS;
    let mut count = vec![1; shape.len()];
    for (count, length) in count.iter_mut().zip(shape).rev() {
        *count = left.min(*length);
        left /= *count;
    }
    let start = shape
        .iter()
        .zip(&count)
        .map(|(length, count)| length - count)
        .collect();
    Some(Region { start, count })
}

fn storage(reader: &dyn Reader, var: VarId, layout: &VariableLayout) {
    if let Storage::Chunked { .. } = layout.storage {
        let Some(written) = check(reader.written(var)) else {
            return;
        };
        // An extent may hold more chunks than can be counted, where an index finds its own.
        let Some(grid) = check(ChunkGrid::new(&layout.extent, layout.chunk_shape())) else {
            return;
        };
        let chunks = written.chunks(&grid);
        // A store that cannot list has all chunks that a header claims.
        let step = (chunks.len() / MAX_CHUNKS).max(1);
        if let WrittenChunks::Listed(listed) = &chunks {
            assert!(listed.is_sorted(), "chunks come in order");
        }
        let step = usize::try_from(step).unwrap_or(usize::MAX);
        for chunk in chunks.into_iter().step_by(step) {
            let size = reader.stored_size(var, chunk);
            let data = check(reader.read_encoded_chunk(var, chunk)).flatten();
            if let (Some(size), Some(data)) = (size, data) {
                assert_eq!(size, data.bytes.len() as u64, "a chunk is as large as was said");
            }
        }
    } else if check(reader.written(var)).is_some_and(|written| written != Written::Nothing) {
        let bytes = layout
            .extent
            .iter()
            .fold(layout.element_size as u64, |n, length| n.saturating_mul(*length));
        // Ranges begin and end between elements.
        let element = layout.element_size.max(1) as u64;
        let size = bytes.min(1 << 16) / element * element;
        let mut buffer = vec![0; size as usize];
        check(reader.read_range(var, 0, &mut buffer));
        let last = bytes - size;
        check(reader.read_range(var, last - last % element, &mut buffer));
    }
}
