//! [`DatasetSizes`]: how many bytes each variable takes, in memory and as it is stored.

use crate::chunk::{ChunkGrid, element_count};
use crate::copy::ratio;
use crate::error::{Error, Result};
use crate::filter::Registry;
use crate::format::{Reader, Space, VariableSpace};
use crate::model::{Schema, Storage, Type, VarId};

/// The sizes of a dataset. Counts that the store cannot tell are `None`.
#[derive(Debug, Clone, PartialEq)]
pub struct DatasetSizes {
    /// The name of the dataset's kind.
    pub kind: &'static str,
    /// One entry for each variable: the largest first, then in the order of the schema.
    pub variables: Vec<VariableSizes>,
    /// Bytes of the elements of all variables in memory; `None` if one has elements of variable length.
    pub memory: Option<u64>,
    /// Bytes of the data of all variables, as stored.
    pub data: Option<u64>,
    /// Bytes of all that is no data: see [`Space::metadata`].
    pub metadata: Option<u64>,
    /// Bytes of data that is no variable's: see [`Space::others`].
    pub others: Option<u64>,
    /// Bytes of padding.
    pub padding: u64,
    /// Bytes that nothing uses: see [`Space::unused`].
    pub unused: Option<u64>,
    /// Bytes of the file, or of the values of all keys. Of a compressed file, those of its content.
    pub total: Option<u64>,
    /// Bytes of the compressed file that has all of this as its content. [`sizes()`] does not know it.
    pub compressed_file: Option<u64>,
}

/// The sizes of one variable.
#[derive(Debug, Clone, PartialEq)]
pub struct VariableSizes {
    /// The variable.
    pub var: VarId,
    /// Its path.
    pub path: String,
    /// The name of its type.
    pub type_name: String,
    /// Lengths of its dimensions, in elements.
    pub shape: Vec<u64>,
    /// `chunked`, `contiguous`, `compact`, `blocks`, `external` or `virtual`.
    pub storage: &'static str,
    /// Shape of a chunk, in elements; `None` unless it is chunked.
    pub chunk_shape: Option<Vec<u64>>,
    /// Shape of a shard, in elements; `None` without shards.
    pub shard_shape: Option<Vec<u64>>,
    /// The names of its filters, in the order in which a chunk passes them when it is written.
    pub filters: Vec<String>,
    /// Bytes of the elements of its own extent in memory; `None` for elements of variable length.
    pub memory: Option<u64>,
    /// Number of chunks that cover it; `None` unless it is chunked.
    pub all_chunks: Option<u64>,
    /// The bytes that it takes, and the number of its chunks that are there.
    pub space: VariableSpace,
    /// Path of an earlier variable with the same data, by another link.
    pub same_as: Option<String>,
}

impl VariableSizes {
    /// Bytes that count for the variable: 0 if an earlier variable has the same data.
    pub fn counted(&self) -> Option<u64> {
        match self.same_as {
            Some(_) => Some(0),
            None => self.space.stored,
        }
    }

    /// True if its elements pass a codec or filter when they are written.
    pub fn has_filters(&self) -> bool {
        !self.filters.is_empty()
    }

    /// Bytes in memory for each stored byte; `None` if nothing is stored here, or if it is not known.
    pub fn ratio(&self) -> Option<f64> {
        ratio(self.memory?, self.space.stored?)
    }
}

impl DatasetSizes {
    /// The sizes of a dataset that is the content of a compressed file of so many bytes.
    #[must_use]
    pub fn in_compressed_file(self, bytes: Option<u64>) -> Self {
        Self {
            compressed_file: bytes,
            ..self
        }
    }

    /// Bytes of the file as it lies there, or of the values of all keys.
    pub fn file(&self) -> Option<u64> {
        self.compressed_file.or(self.total)
    }

    /// The part of all bytes that some of them are, from 0 to 1; `None` if the total is not known.
    pub fn share(&self, bytes: Option<u64>) -> Option<f64> {
        let (bytes, total) = (bytes?, self.total?);
        #[expect(clippy::cast_precision_loss, reason = "a share to be shown")]
        (total > 0).then(|| bytes as f64 / total as f64)
    }
}

/// Refuses a dataset whose header claims more bytes than there are: each share would be nonsense.
fn check_claims(space: &Space) -> Result<()> {
    let (Some(total), Some(data)) = (space.total, space.data()) else {
        return Ok(());
    };
    let parts = [space.metadata, space.others].into_iter().flatten();
    let claimed = parts.fold(data, u64::saturating_add);
    match claimed > total {
        true => Err(Error::Truncated(format!(
            "what its header describes takes {claimed} bytes, and there are {total}"
        ))),
        false => Ok(()),
    }
}

/// Counts the bytes of a dataset. Metadata, chunk indexes and lists of keys are read, and no data: see
/// [`SpaceSurvey`](crate::format::SpaceSurvey).
///
/// # Errors
/// If metadata or a chunk index is damaged or cannot be read, or if the reader tells no sizes.
pub fn sizes(reader: &dyn Reader, registry: &Registry) -> Result<DatasetSizes> {
    let survey = reader.extensions().space;
    let survey =
        survey.ok_or_else(|| Error::Unsupported("sizes of a dataset that is made of others".into()))?;
    let space = survey.space()?;
    check_claims(&space)?;
    let schema = reader.schema();
    let data = space.data();
    let Space {
        total,
        metadata,
        others,
        padding,
        unused,
        variables,
    } = space;
    let of = |(n, space)| variable(reader, VarId(n), space, registry);
    let mut variables: Vec<VariableSizes> = variables.into_iter().enumerate().map(of).collect();
    variables.sort_by_key(|of| std::cmp::Reverse(of.counted()));
    let memory = variables.iter().filter(|of| of.same_as.is_none());
    Ok(DatasetSizes {
        kind: schema.kind.name(),
        memory: memory
            .map(|of| of.memory)
            .try_fold(0u64, |sum, memory| Some(sum.saturating_add(memory?))),
        variables,
        data,
        metadata,
        others,
        padding,
        unused,
        total,
        compressed_file: None,
    })
}

fn variable(reader: &dyn Reader, var: VarId, space: VariableSpace, registry: &Registry) -> VariableSizes {
    let (schema, layout) = (reader.schema(), reader.layout(var));
    let (ty, shape) = (schema.var(var).ty, schema.shape(var));
    let chunk_shape = match &layout.storage {
        Storage::Chunked { shape } => Some(shape.clone()),
        _ => None,
    };
    let storage = match &layout.storage {
        _ if reader.is_virtual(var) => "virtual",
        Storage::Contiguous if space.is_elsewhere => "external",
        Storage::Contiguous => "contiguous",
        Storage::Compact => "compact",
        Storage::Chunked { .. } => "chunked",
        Storage::Blocks { .. } => "blocks",
    };
    let elements = reader.element_codec(var).into_iter();
    let name = |spec| {
        registry
            .find(spec)
            .map_or(spec.name(), |codec| codec.name())
            .to_owned()
    };
    let memory =
        element_count(&layout.extent).and_then(|count| count.checked_mul(schema.type_size(ty) as u64));
    VariableSizes {
        var,
        path: schema.var_path(var),
        type_name: type_name(schema, ty),
        storage,
        shard_shape: layout.shard.clone(),
        filters: elements.chain(&layout.filters).map(name).collect(),
        memory: memory.filter(|_| !schema.has_heap(ty)),
        all_chunks: chunk_shape
            .as_ref()
            .and_then(|shape| Some(ChunkGrid::new(&layout.extent, shape).ok()?.len())),
        chunk_shape,
        same_as: space.same_as.map(|other| schema.var_path(other)),
        shape,
        space,
    }
}

fn type_name(schema: &Schema, ty: Type) -> String {
    match (ty, ty.cdl_name()) {
        (_, Some(name)) => name.to_owned(),
        (Type::User(id), None) => schema.user_type(id).name.clone(),
        (_, None) => String::new(),
    }
}
