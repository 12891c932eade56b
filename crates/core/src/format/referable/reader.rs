//! [`Referable`]: a reader whose chunks have places for other programs.

use std::sync::{Arc, OnceLock};

use super::cut::CutVariable;
use super::name_form::{NameForm, ReferenceNames};
use super::shape_request::ChunkShapeRequest;
use crate::chunk::Region;
use crate::error::{Error, Result};
use crate::filter::{EncodedChunk, Pipeline};
use crate::format::{
    ChunkPlace, ChunkReader, Extensions, Fetcher, Needs, OverSources, PlaceObject, Reader, StoredPlace,
    StoredPlaces, VirtualSources, Written,
};
use crate::model::{Schema, Values, VarId, VariableLayout};
use crate::store::{ByteRange, Done, ObjectVersion, Requests, allocate};

/// A dataset whose stored bytes become references of another one.
pub struct Referable {
    input: Box<dyn Reader>,
    /// The absolute path or the URL of the dataset. Empty if it has none.
    whole: String,
    /// The name of the dataset for other programs; `None` if they find its bytes nowhere, but only those that it refers to.
    name: Option<Arc<str>>,
    /// What tells whether its bytes were changed since; `None` if it is not known.
    version: Option<ObjectVersion>,
    form: NameForm,
    /// The chunks that the copy wants of variables in one piece.
    shape_request: ChunkShapeRequest,
    /// The variables in one piece that have chunks here. That of a virtual one is found once its sources are.
    cut: Vec<OnceLock<Option<Box<CutVariable>>>>,
}

impl Referable {
    /// The dataset of `input`, at the absolute path or URL `whole`. Other programs find its bytes of this version there if it
    /// `has_places`. Variables in one piece have chunks, as `names` ask for.
    ///
    /// # Errors
    /// A place that is not in the file; a dataset that `names` has no name for.
    pub fn new(
        input: Box<dyn Reader>,
        whole: String,
        version: Option<ObjectVersion>,
        has_places: bool,
        names: ReferenceNames,
    ) -> Result<Self> {
        let count = input.schema().vars.len();
        let referable = Self {
            name: has_places
                .then(|| names.form.name(&whole))
                .transpose()?
                .map(Arc::from),
            input,
            whole,
            version,
            form: names.form,
            shape_request: names.chunks,
            cut: (0..count).map(|_| OnceLock::new()).collect(),
        };
        let known = (0..count).map(VarId);
        known
            .filter(|var| has_places && !referable.input.is_virtual(*var))
            .try_for_each(|var| referable.find_chunks(var))?;
        Ok(referable)
    }

    fn cut(&self, var: VarId) -> Option<&CutVariable> {
        self.cut.get(var.0)?.get()?.as_deref()
    }

    /// Finds the chunks of a variable in one piece.
    fn find_chunks(&self, var: VarId) -> Result<()> {
        if self.cut[var.0].get().is_none() {
            let cut = CutVariable::of(&*self.input, var, &self.shape_request)?;
            let _ = self.cut[var.0].set(cut.map(Box::new));
        }
        Ok(())
    }

    /// The same place, by the name of its object for other programs.
    fn named(&self, place: Option<StoredPlace>) -> Result<Option<StoredPlace>> {
        let Some(place) = place else { return Ok(None) };
        let mut version = place.version;
        let object = match (place.object, &self.name) {
            (PlaceObject::Named(other), _) if is_whole(&other) => self.form.name(&other)?.into(),
            // A path that is relative begins in the folder of the dataset.
            (PlaceObject::Named(other), _) => self.form.name(&beside(&self.whole, &other)?)?.into(),
            (_, None) => return Ok(None),
            (PlaceObject::Dataset, Some(name)) => {
                version.clone_from(&self.version);
                Arc::clone(name)
            }
            (PlaceObject::Key(key), Some(name)) => format!("{}/{key}", name.trim_end_matches('/')).into(),
        };
        Ok(Some(StoredPlace {
            object: PlaceObject::Named(object),
            version,
            ..place
        }))
    }
}

/// True for a URL or an absolute path.
fn is_whole(name: &str) -> bool {
    name.starts_with('/') || name.contains("://")
}

/// The absolute path or URL of an object by its path from the folder of a dataset.
///
/// # Errors
/// If the path leads out of the file system, the bucket or the host, or the dataset is nowhere.
fn beside(whole: &str, other: &str) -> Result<String> {
    let leads = |why: &str| Error::Usage(format!("the reference to {} {why}", other.escape_debug()));
    let split = match whole.split_once("://") {
        Some((scheme, rest)) => rest
            .split_once('/')
            .map(|(host, path)| (format!("{scheme}://{host}"), path)),
        None => whole.strip_prefix('/').map(|path| (String::new(), path)),
    };
    let (root, path) = split.ok_or_else(|| leads("is relative, and the input is in no folder"))?;
    let mut parts: Vec<&str> = path.split('/').collect();
    parts.pop();
    for part in other.split('/') {
        match part {
            "." => {}
            ".." => {
                let above = parts.pop();
                above.ok_or_else(|| leads("leads out of the place of the input"))?;
            }
            part => parts.push(part),
        }
    }
    Ok(format!("{root}/{}", parts.join("/")))
}

impl Reader for Referable {
    fn schema(&self) -> &Schema {
        self.input.schema()
    }

    fn layout(&self, var: VarId) -> &VariableLayout {
        match self.cut(var) {
            Some(cut) => &cut.layout,
            None => self.input.layout(var),
        }
    }

    fn written(&self, var: VarId) -> Result<Written> {
        let written = self.input.written(var)?;
        Ok(match self.cut(var) {
            Some(cut) => cut.written(written),
            None => written,
        })
    }

    fn held(&self, var: VarId) -> Result<Written> {
        let held = self.input.held(var)?;
        Ok(match self.cut(var) {
            Some(cut) => cut.written(held),
            None => held,
        })
    }

    fn read_range(&self, var: VarId, offset: u64, buf: &mut [u8]) -> Result<()> {
        self.input.read_range(var, offset, buf)
    }

    fn read_region(&self, var: VarId, region: &Region) -> Result<Values> {
        self.input.read_region(var, region)
    }

    fn extensions(&self) -> Extensions<'_> {
        let own = self.input.extensions();
        Extensions {
            chunks: Some(self),
            places: Some(self),
            // Records are chunks here.
            records: None,
            fetch: Some(self),
            sources: own.sources.map(|_| self as &dyn VirtualSources),
            files: own.files,
            elements: own.elements,
            check: own.check,
            changes: own.changes,
            cache: own.cache,
            space: None,
            stepped: own.stepped,
        }
    }
}

impl OverSources for Referable {
    fn below(&self, var: VarId) -> Option<(&dyn Reader, VarId)> {
        Some((&*self.input, var))
    }

    fn all_below(&self) -> Vec<&dyn Reader> {
        vec![&*self.input]
    }

    fn resolve_below(&self, var: VarId, needs: Option<&Needs<'_>>) -> Result<()> {
        match needs {
            None => self.input.resolve_sources(var)?,
            Some(needs) => self.input.resolve_needed_sources(var, needs)?,
        }
        match self.name.is_some() && self.input.is_virtual(var) {
            true => self.find_chunks(var),
            false => Ok(()),
        }
    }
}

impl StoredPlaces for Referable {
    fn place_of_chunk(&self, var: VarId, chunk: u64) -> Result<Option<StoredPlace>> {
        let place = match self.cut(var) {
            Some(cut) => {
                let range = cut.range(chunk);
                self.input.place_of_bytes(var, range.offset, range.length as u64)
            }
            None => self.input.place_of_chunk(var, chunk),
        };
        self.named(place?)
    }

    fn length_of_chunk(&self, var: VarId, chunk: u64) -> Result<Option<u64>> {
        self.input.length_of_chunk(var, chunk)
    }

    fn piece_of_bytes(&self, var: VarId) -> Result<Option<u64>> {
        self.input.piece_of_bytes(var)
    }

    fn place_of_bytes(&self, var: VarId, offset: u64, length: u64) -> Result<Option<StoredPlace>> {
        self.named(self.input.place_of_bytes(var, offset, length)?)
    }
}

impl ChunkReader for Referable {
    fn pipeline(&self, var: VarId) -> Result<Arc<Pipeline>> {
        match self.cut(var) {
            Some(cut) => cut.pipeline(self.schema(), var),
            None => self.input.pipeline(var),
        }
    }

    fn stored_size(&self, var: VarId, chunk: u64) -> Option<u64> {
        match self.cut(var) {
            Some(cut) => Some(cut.bytes),
            None => self.input.stored_size(var, chunk),
        }
    }

    fn chunk_place(&self, var: VarId, chunk: u64) -> Option<ChunkPlace> {
        match self.cut(var) {
            Some(_) => None,
            None => self.input.chunk_place(var, chunk),
        }
    }

    fn read_encoded_chunk_into(&self, var: VarId, chunk: u64, bytes: &mut Vec<u8>) -> Result<Option<u32>> {
        let Some(cut) = self.cut(var) else {
            return self.input.read_encoded_chunk_into(var, chunk, bytes);
        };
        let range = cut.range(chunk);
        *bytes = allocate(range.length).map_err(|e| Error::io("cannot read", e))?;
        self.input.read_range(var, range.offset, bytes)?;
        Ok(Some(0))
    }
}

impl Fetcher for Referable {
    fn requests(&self) -> Requests {
        self.input.requests()
    }

    fn fetch_chunks(&self, var: VarId, chunks: Vec<u64>, done: Done<Result<Vec<Option<EncodedChunk>>>>) {
        let Some(cut) = self.cut(var) else {
            return self.input.fetch_chunks(var, chunks, done);
        };
        let ranges = chunks.iter().map(|chunk| cut.range(*chunk)).collect();
        let as_chunks = move |found: Result<Vec<Vec<u8>>>| {
            let whole = |bytes| {
                Some(EncodedChunk {
                    bytes,
                    filter_mask: 0,
                })
            };
            done(found.map(|found| found.into_iter().map(whole).collect()));
        };
        self.input.fetch_ranges(var, ranges, Box::new(as_chunks));
    }

    fn fetch_ranges(&self, var: VarId, ranges: Vec<ByteRange>, done: Done<Result<Vec<Vec<u8>>>>) {
        self.input.fetch_ranges(var, ranges, done);
    }
}

#[cfg(test)]
mod tests {
    use super::{beside, is_whole};

    #[test]
    fn relative_paths_begin_beside_the_dataset() {
        let beside = |whole, other| beside(whole, other).map_err(|e| e.to_string());
        assert_eq!(beside("/d/refs.json", "x/a.nc").unwrap(), "/d/x/a.nc");
        assert_eq!(beside("/d/e/refs.json", "../a.nc").unwrap(), "/d/a.nc");
        assert_eq!(beside("/refs.json", "a.nc").unwrap(), "/a.nc");
        assert_eq!(beside("s3://b/d/refs.json", "./a.nc").unwrap(), "s3://b/d/a.nc");
        assert_eq!(beside("s3://b/d/refs.json", "../a.nc").unwrap(), "s3://b/a.nc");
        assert!(is_whole("/e/a.nc") && is_whole("s3://b/a.nc") && !is_whole("a.nc"));
        for (whole, out) in [
            ("/d/refs.json", "../../etc/passwd"),
            ("https://h/d/r.json", "../../evil.org/x"),
            ("s3://b/d/r.json", "../../c/x"),
            ("", "a.nc"),
        ] {
            let error = beside(whole, out).unwrap_err();
            assert!(error.contains(out), "{error}");
        }
    }
}
