//! The parameters of Blosc: words in HDF5, a configuration in Zarr.

use ncutils_blosc::{Compressor, MAX_INPUT, MAX_LEVEL, MAX_TYPE_SIZE, Settings, Shuffle};

use crate::{ChunkShape, ChunkType, Outcome};
use ncutils_model::{Configuration, ZarrVersion};

/// The first two words: version of the filter, and version of Blosc's format.
const VERSIONS: [u32; 2] = [2, 2];

/// Words that the filter computes: the versions, element size, and chunk size in bytes. A user gives any four numbers
/// in their place.
const COMPUTED: usize = 4;

/// What a user may give after the computed words: level, shuffle, compressor. The defaults hold where a list ends
/// before them.
const DEFAULTS: [u32; 3] = [5, 1, 0];

/// Largest value of each of these.
const LARGEST: [u32; 3] = [MAX_LEVEL, 2, 5];

/// What a user is told about wrong parameters.
const TAKES: &str = "takes four numbers that are computed (0,0,0,0), then the level, 0 to 9 (5 where none is given), \
    the shuffle, 0 none, 1 bytes, 2 bits (1), and the compressor, 0 blosclz, 1 lz4, 2 lz4hc, 3 snappy, 4 zlib, 5 zstd \
    (0); or no parameters";

/// The size of an element as Blosc takes it.
fn type_size(size: usize) -> u32 {
    match u32::try_from(size) {
        Ok(size) if (1..=MAX_TYPE_SIZE as u32).contains(&size) => size,
        _ => 1,
    }
}

/// The words that depend on the chunks.
fn computed(chunk: &ChunkType) -> Outcome<[u32; COMPUTED]> {
    let size = chunk.decoded_size(ChunkShape::Full).ok();
    match size
        .filter(|size| *size <= MAX_INPUT)
        .and_then(|size| u32::try_from(size).ok())
    {
        Some(size) => Ok([VERSIONS[0], VERSIONS[1], type_size(chunk.element_size), size]),
        None => Err(format!(
            "cannot be applied to chunks of more than {MAX_INPUT} bytes"
        )),
    }
}

/// The stored words for what a user gives.
pub fn working(visible: &[u32], chunk: &ChunkType) -> Outcome<Vec<u32>> {
    let given = match visible.len() {
        0 => &[][..],
        count if (COMPUTED..=COMPUTED + DEFAULTS.len()).contains(&count) => &visible[COMPUTED..],
        _ => return Err(TAKES.to_owned()),
    };
    if given.iter().zip(LARGEST).any(|(given, largest)| *given > largest) {
        return Err(TAKES.to_owned());
    }
    // All are stored, as not every plugin has these defaults.
    Ok([&computed(chunk)?, given, &DEFAULTS[given.len()..]].concat())
}

/// The stored words for other chunks. Values that the plugin does not encode with are replaced.
pub fn adapted(stored: &[u32], chunk: &ChunkType) -> Outcome<Vec<u32>> {
    let [level, shuffle, compressor] = DEFAULTS;
    let replaced = [MAX_LEVEL, shuffle, compressor];
    let mut words = [&computed(chunk)?, stored.get(COMPUTED..).unwrap_or_default()].concat();
    debug_assert!(level <= MAX_LEVEL);
    for ((word, largest), replacement) in words[COMPUTED..].iter_mut().zip(LARGEST).zip(replaced) {
        if *word > largest {
            *word = replacement;
        }
    }
    Ok(words)
}

/// The words that decide what an encoder makes: element size, level, shuffle, compressor.
pub fn canonical(stored: &[u32]) -> Vec<u32> {
    let size = stored.get(2).map_or(1, |size| type_size(*size as usize));
    let chosen = (0..DEFAULTS.len()).map(|at| stored.get(COMPUTED + at).copied().unwrap_or(DEFAULTS[at]));
    VERSIONS.into_iter().chain([size, 0]).chain(chosen).collect()
}

/// What to encode with, given stored words.
///
/// # Errors
/// Values out of range.
pub fn settings(stored: &[u32]) -> Outcome<Settings> {
    let words = canonical(stored);
    let range = || format!("its parameters are {stored:?}, and Blosc {TAKES}");
    if words[4] > MAX_LEVEL {
        return Err(range());
    }
    Ok(Settings {
        compressor: Compressor::of_code(words[6]).ok_or_else(range)?,
        level: words[4],
        shuffle: Shuffle::of_code(words[5]).ok_or_else(range)?,
        type_size: words[2] as usize,
        block_size: 0,
    })
}

/// The words for such settings. HDF5 has none for the size of blocks, which does not matter to a decoder.
pub fn words(settings: &Settings, chunk: &ChunkType) -> Option<Vec<u32>> {
    let [version, format, _, size] = computed(chunk).ok()?;
    let chosen = [
        settings.level,
        settings.shuffle.code(),
        settings.compressor.code(),
    ];
    Some(
        [
            &[version, format, type_size(settings.type_size), size],
            &chosen[..],
        ]
        .concat(),
    )
}

/// The names of the shuffles in version 3 of Zarr, each at the place of its code.
const SHUFFLES: [&str; 3] = ["noshuffle", "shuffle", "bitshuffle"];

/// Short names for users.
const SHORT_SHUFFLES: [&str; 3] = ["no", "byte", "bit"];

/// The settings in a Zarr configuration; `None` if any part of it is not understood. Members that are absent have the
/// defaults of numcodecs. Version 3 names shuffles, but `numcodecs.blosc` has numbers there as version 2 has. The
/// shuffle −1 is bits for elements of one byte, else bytes.
pub fn parse(configuration: &Configuration, chunk: &ChunkType) -> Option<Settings> {
    let mut settings = Settings {
        compressor: Compressor::Lz4,
        level: 5,
        shuffle: Shuffle::Byte,
        type_size: chunk.element_size,
        block_size: 0,
    };
    for (member, value) in configuration {
        match member.as_str() {
            "cname" => settings.compressor = Compressor::of_name(value.as_str()?)?,
            "clevel" => {
                let level = u32::try_from(value.as_u64()?).ok()?;
                settings.level = (level <= MAX_LEVEL).then_some(level)?;
            }
            "shuffle" => {
                settings.shuffle = match (value.as_str(), value.as_i64()) {
                    (Some(name), _) => {
                        let mut named = SHUFFLES.iter().zip(SHORT_SHUFFLES).zip(Shuffle::ALL);
                        named.find(|((own, short), _)| **own == name || *short == name)?.1
                    }
                    (None, Some(-1)) if chunk.element_size == 1 => Shuffle::Bit,
                    (None, Some(-1)) => Shuffle::Byte,
                    (None, code) => Shuffle::of_code(u32::try_from(code?).ok()?)?,
                }
            }
            "typesize" if value.is_null() => {}
            "typesize" => {
                let size = usize::try_from(value.as_u64()?).ok()?;
                settings.type_size = (size > 0).then_some(size)?;
            }
            "blocksize" => {
                let size = usize::try_from(value.as_u64()?).ok()?;
                settings.block_size = (size <= MAX_INPUT).then_some(size)?;
            }
            _ => return None,
        }
    }
    Some(settings)
}

/// The numbers that netCDF-C prints of a Zarr configuration: it fills in the computed ones later, and has the size of blocks at
/// the place of the chunk size.
pub fn numbers_of_netcdf_c(configuration: &Configuration, chunk: &ChunkType) -> Option<Vec<u32>> {
    let settings = parse(configuration, chunk)?;
    let blocks = u32::try_from(settings.block_size).ok()?;
    let chosen = [
        settings.level,
        settings.shuffle.code(),
        settings.compressor.code(),
    ];
    Some([&[0, 0, 0, blocks][..], &chosen].concat())
}

/// The Zarr configuration of stored words; `None` for values out of range. The size of blocks is 0, which lets Blosc
/// choose: the chunk size in the fourth word is another thing.
pub fn configuration(version: ZarrVersion, stored: &[u32]) -> Option<Configuration> {
    let settings = settings(stored).ok()?;
    let mut made = Configuration::new();
    if version == ZarrVersion::V3 {
        made.insert("typesize".to_owned(), settings.type_size.into());
    }
    made.insert("cname".to_owned(), settings.compressor.name().into());
    made.insert("clevel".to_owned(), settings.level.into());
    let shuffle = match version {
        ZarrVersion::V2 => settings.shuffle.code().into(),
        ZarrVersion::V3 => SHUFFLES[settings.shuffle as usize].into(),
    };
    made.insert("shuffle".to_owned(), shuffle);
    made.insert("blocksize".to_owned(), 0.into());
    Some(made)
}
