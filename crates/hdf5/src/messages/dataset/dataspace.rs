//! The Dataspace message (specification section IV.A.2.b), versions 1 and 2.

use crate::dataspace::Dataspace;
use crate::error::Result;
use crate::metadata::Cursor;

/// Maximum rank of a dataspace.
pub(crate) const MAX_RANK: u8 = 32;

/// Flag: maximum dimensions are present.
const HAS_MAX_DIMS: u8 = 1;

impl Dataspace {
    /// Parses the message.
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
            // A simple dataspace without dimensions also has one element.
            0 => return Ok(Self::Scalar),
            1 if rank == 0 => return Ok(Self::Scalar),
            1 => {}
            2 => return Ok(Self::Null),
            other => return Err(message.damaged(format!("dataspace type {other}"))),
        }
        let dims = (0..rank)
            .map(|_| message.length())
            .collect::<Result<Vec<u64>>>()?;
        let max_dims: Vec<Option<u64>> = if flags & HAS_MAX_DIMS == 0 {
            dims.iter().copied().map(Some).collect()
        } else {
            let unlimited = u64::MAX >> (64 - 8 * u32::from(message.length_size()));
            (0..rank)
                .map(|_| Ok(Some(message.length()?).filter(|max| *max != unlimited)))
                .collect::<Result<Vec<_>>>()?
        };
        for (size, max) in dims.iter().zip(&max_dims) {
            if let Some(max) = max
                && size > max
            {
                return Err(message.damaged(format!("a dimension of size {size}, which is at most {max}")));
            }
        }
        Ok(Self::Simple { dims, max_dims })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(bytes: &[u8]) -> Result<Dataspace> {
        Dataspace::decode(&mut Cursor::over(bytes))
    }

    #[test]
    fn version_1_with_maximum_dimensions() {
        let mut message = vec![1, 2, HAS_MAX_DIMS, 0, 0, 0, 0, 0];
        for n in [3, 4, u64::MAX, 4u64] {
            message.extend(n.to_le_bytes());
        }
        let space = decode(&message).unwrap();
        assert_eq!(space.dims(), [3, 4]);
        let Dataspace::Simple { max_dims, .. } = space else {
            panic!("not simple")
        };
        assert_eq!(max_dims, [None, Some(4)]);
        assert!(decode(&message[..39]).is_err());
        message[16] = 5;
        assert!(decode(&message).is_err());
    }

    #[test]
    fn scalar_null_and_broken() {
        assert_eq!(decode(&[1, 0, 0, 0, 0, 0, 0, 0]).unwrap(), Dataspace::Scalar);
        assert_eq!(decode(&[2, 0, 0, 0]).unwrap(), Dataspace::Scalar);
        assert_eq!(decode(&[2, 0, 0, 1]).unwrap(), Dataspace::Scalar);
        assert_eq!(decode(&[2, 0, 0, 2]).unwrap(), Dataspace::Null);
        assert!(decode(&[2, 0, 0, 3]).is_err());
        assert!(decode(&[3, 0, 0, 0]).is_err());
        assert!(decode(&[2, 33, 0, 1]).is_err());
    }
}
