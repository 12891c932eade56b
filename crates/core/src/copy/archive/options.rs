//! What a user asks of archives.

use crate::copy::memory::parse_memory;
use crate::error::{Error, Result};
use crate::format::archive::Blocks;

/// The request for a block length, for all variables or for one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockSpec {
    /// The variable; `None` for all that no other request names.
    pub variable: Option<String>,
    /// Bytes of a block.
    pub length: u32,
}

impl BlockSpec {
    /// Parses `BYTES` or `VAR:BYTES`.
    ///
    /// # Errors
    /// The mistake, and what was expected.
    pub fn parse(argument: &str) -> Result<Self> {
        let (variable, length) = match argument.rsplit_once(':') {
            Some((name, length)) => (Some(crate::model::unescape(name)), length),
            None => (None, argument),
        };
        let length = parse_memory(length)
            .and_then(|length| u32::try_from(length).ok())
            .filter(|length| {
                let blocks = Blocks {
                    length: *length,
                    filters: None,
                };
                blocks.check().is_ok()
            });
        let length = length.ok_or_else(|| {
            Error::Usage(format!(
                "--block '{argument}': expected a number of bytes up to 256 MiB, such as 256000 or 1M, or VAR:BYTES"
            ))
        })?;
        Ok(Self { variable, length })
    }
}

/// What is asked of a copy to or from an archive, besides the options of every copy.
#[derive(Debug, Clone, Default)]
pub struct ArchiveOptions {
    /// True to make an archive, of the least kind that holds the dataset.
    pub pack: bool,
    /// True to restore the original of an archive.
    pub restore: bool,
    /// Lengths of blocks.
    pub blocks: Vec<BlockSpec>,
    /// True if only a part of the input is copied.
    pub of_part: bool,
}
