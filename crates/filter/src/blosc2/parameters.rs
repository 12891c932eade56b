//! The parameters of Blosc2: what a user gives, the words stored, and their names.

use ncutils_blosc::{Compressor, MAX_LEVEL};

use crate::blosc2::array::{Array, MAX_DIMENSIONS};
use crate::blosc2::block_size::{block_bytes, block_shape};
use crate::blosc2::chunk::MAX_INPUT;
use crate::blosc2::transform::Filter;
use crate::{ChunkShape, ChunkType, Outcome};
use ncutils_model::Configuration;

/// The first word: the version of the filter.
const VERSION: u32 = 1;

/// Words before the level: version, bytes of a block, bytes of an element, bytes of a chunk.
const COMPUTED: usize = 4;

/// What a user may give after them: level, filter, compressor. The defaults hold where a list ends before them.
const DEFAULTS: [u32; 3] = [5, 1, 0];

/// Words before the chunk's shape. The last of them is the number of dimensions.
const SHAPE: usize = 8;

/// The names of filters that chunks are encoded with, each at the place of its number.
const NAMES: [&str; 4] = ["no", "byte", "bit", "delta"];

/// What a user is told about wrong parameters.
const TAKES: &str = "takes four numbers that are computed (0,0,0,0), then the level, 0 to 9 (5 where none is given), \
    the filter, 0 none, 1 byte shuffle, 2 bit shuffle, 3 delta (1), and the compressor, 0 blosclz, 1 lz4, 2 lz4hc, 4 \
    zlib, 5 zstd (0); or no parameters";

/// What to encode with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The compressor.
    pub compressor: Compressor,
    /// The level, 0 to [`MAX_LEVEL`].
    pub level: u32,
    /// The filter.
    pub filter: Filter,
    /// Bytes of an element.
    pub element_size: usize,
    /// Bytes of a block, 0 for automatic.
    pub block: usize,
    /// The shape of chunks that are stored as arrays.
    shape: Option<Vec<u64>>,
}

impl Settings {
    /// The array of one chunk, and the bytes of its elements. `None` if chunks are not stored as arrays.
    pub fn array(&self) -> Option<(Array, usize)> {
        let shape = self.shape.as_ref()?;
        let sizes = shape.iter().map(|size| usize::try_from(*size).ok());
        let size = sizes
            .into_iter()
            .try_fold(self.element_size, |bytes, size| bytes.checked_mul(size?))?;
        // The registered filter computes the block as for byte shuffle, whatever the filter.
        let block = match self.block {
            0 => block_bytes(self.compressor, self.level, true, self.element_size, size, 0),
            block => block,
        };
        let block = block_shape(block, self.element_size, shape);
        Some((
            Array::new(shape.clone(), shape.clone(), block)?,
            self.element_size,
        ))
    }
}

/// The compressor with a code. Blosc2 has no Snappy.
fn compressor(code: u32) -> Option<Compressor> {
    Compressor::of_code(code).filter(|known| *known != Compressor::Snappy)
}

/// The filter with a number, if chunks can be encoded with it.
fn filter(number: u32) -> Option<Filter> {
    Filter::of_number(number).filter(|filter| *filter != Filter::CutPrecision)
}

/// The first four words, and those of the shape.
fn computed(block: u32, chunk: &ChunkType) -> Outcome<([u32; COMPUTED], Vec<u32>)> {
    let size = chunk.decoded_size(ChunkShape::Full).ok();
    let size = size.filter(|size| *size <= MAX_INPUT);
    let element = u32::try_from(chunk.element_size).ok();
    let (Some(size), Some(element)) = (size, element) else {
        return Err(format!(
            "cannot be applied to chunks of more than {MAX_INPUT} bytes"
        ));
    };
    let rank = chunk.shape.len();
    let mut shape = Vec::new();
    if (2..=MAX_DIMENSIONS).contains(&rank) && size > 0 {
        shape.push(rank as u32);
        shape.extend(chunk.shape.iter().map(|size| *size as u32));
    }
    Ok(([VERSION, block, element, size as u32], shape))
}

/// The stored words for chosen values.
fn stored(block: u32, chosen: &[u32], chunk: &ChunkType) -> Outcome<Vec<u32>> {
    let (computed, shape) = computed(block, chunk)?;
    Ok([&computed, chosen, &shape].concat())
}

/// Level, filter and compressor, with defaults for those that are not there.
fn chosen(words: &[u32]) -> [u32; 3] {
    std::array::from_fn(|at| words.get(COMPUTED + at).copied().unwrap_or(DEFAULTS[at]))
}

/// True if chunks can be encoded with these values.
fn possible([level, number, code]: [u32; 3]) -> bool {
    level <= MAX_LEVEL && filter(number).is_some() && compressor(code).is_some()
}

/// The stored words for what a user gives, which may be the stored words of a file, as ncdump prints them.
pub fn working(visible: &[u32], chunk: &ChunkType) -> Outcome<Vec<u32>> {
    let known = match visible.len() {
        0 => true,
        count @ SHAPE.. => count - SHAPE == visible[SHAPE - 1] as usize,
        count => count >= COMPUTED,
    };
    let chosen = chosen(visible);
    let block = visible.get(1).copied().unwrap_or_default();
    if !known || !possible(chosen) || block as usize > MAX_INPUT {
        return Err(TAKES.to_owned());
    }
    stored(block, &chosen, chunk)
}

/// The stored words for other chunks. Values that cannot be encoded with are replaced.
pub fn adapted(words: &[u32], chunk: &ChunkType) -> Outcome<Vec<u32>> {
    let mut values = chosen(words);
    values[0] = values[0].min(MAX_LEVEL);
    if filter(values[1]).is_none() {
        values[1] = DEFAULTS[1];
    }
    if compressor(values[2]).is_none() {
        values[2] = DEFAULTS[2];
    }
    let block = words.get(1).copied().filter(|block| *block as usize <= MAX_INPUT);
    stored(block.unwrap_or_default(), &values, chunk)
}

/// The words that decide what an encoder makes: all but the bytes of a chunk.
pub fn canonical(words: &[u32]) -> Vec<u32> {
    let word = |at: usize| words.get(at).copied().unwrap_or_default();
    let shape = words.get(SHAPE - 1..).unwrap_or_default();
    [&[VERSION, word(1), word(2), 0], &chosen(words)[..], shape].concat()
}

/// What to encode with, given stored words.
///
/// # Errors
/// Values out of range.
pub fn settings(words: &[u32]) -> Outcome<Settings> {
    let values = chosen(words);
    let [level, number, code] = values;
    let wrong = || format!("its parameters are {words:?}, and Blosc2 {TAKES}");
    let word = |at: usize| words.get(at).copied().unwrap_or_default() as usize;
    if !possible(values) || word(1) > MAX_INPUT || word(2) == 0 || word(2) > MAX_INPUT {
        return Err(wrong());
    }
    let shape = words
        .get(SHAPE..)
        .filter(|shape| (1..=MAX_DIMENSIONS).contains(&word(SHAPE - 1)) && shape.len() == word(SHAPE - 1));
    if words.len() >= SHAPE && shape.is_none() {
        return Err(wrong());
    }
    let shape = shape.map(|shape| shape.iter().map(|size| u64::from(*size)).collect());
    Ok(Settings {
        compressor: compressor(code).ok_or_else(wrong)?,
        level,
        filter: filter(number).ok_or_else(wrong)?,
        element_size: word(2),
        block: word(1),
        // Filters on chunks without elements get no array.
        shape: shape.filter(|shape: &Vec<u64>| !shape.contains(&0)),
    })
}

/// The parameters that a user gives, made of named ones; `None` if any is not understood. `shuffle` is a number or a name.
pub fn visible(members: &Configuration) -> Option<Vec<u32>> {
    let (mut values, mut block) = (DEFAULTS, 0);
    for (member, value) in members {
        let number = value.as_u64().and_then(|number| u32::try_from(number).ok());
        match member.as_str() {
            "cname" => values[2] = Compressor::of_name(value.as_str()?)?.code(),
            "clevel" => values[0] = number?,
            "shuffle" => {
                values[1] = match value.as_str() {
                    Some(name) => NAMES.iter().position(|known| *known == name)? as u32,
                    None => number?,
                }
            }
            "blocksize" => block = number.filter(|size| *size as usize <= MAX_INPUT)?,
            _ => return None,
        }
    }
    possible(values).then(|| [&[0, block, 0, 0], &values[..]].concat())
}
