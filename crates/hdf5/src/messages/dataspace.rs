//! The Dataspace message (specification section IV.A.2.b), versions 1 and 2.

use crate::dataset::Dataspace;
use crate::error::Result;
use crate::reader::bytes::Cursor;

/// The most dimensions that a dataspace can have.
pub(crate) const MAX_RANK: u8 = 32;

/// Flag: maximum dimensions are there.
const HAS_MAX_DIMS: u8 = 1;

impl Dataspace {
    /// Reads the message.
    pub(crate) fn decode(message: &mut Cursor<'_>) -> Result<Self> {
        let version = message.u8()?;
        let rank = message.u8()?;
        let flags = message.u8()?;
        let kind = match version {
            1 => {
                message.skip(5)?;
                if rank == 0 { 0 } else { 1 }
            }
            2 => message.u8()?,
            other => return Err(message.damaged(format!("version {other}"))),
        };
        if rank > MAX_RANK {
            return Err(message.damaged(format!("{rank} dimensions")));
        }
        match kind {
            // A simple dataspace of no dimensions is one element, too.
            0 => return Ok(Self::Scalar),
            1 if rank == 0 => return Ok(Self::Scalar),
            1 => {}
            2 => return Ok(Self::Null),
            other => return Err(message.damaged(format!("dataspace type {other}"))),
        }
        let dims = (0..rank)
            .map(|_| message.length())
            .collect::<Result<Vec<u64>>>()?;
        let max_dims = if flags & HAS_MAX_DIMS == 0 {
            dims.iter().copied().map(Some).collect()
        } else {
            let unlimited = u64::MAX >> (64 - 8 * u32::from(message.length_size()));
            (0..rank)
                .map(|_| Ok(Some(message.length()?).filter(|max| *max != unlimited)))
                .collect::<Result<_>>()?
        };
        Ok(Self::Simple { dims, max_dims })
    }
}
