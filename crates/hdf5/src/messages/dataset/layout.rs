//! The Data Layout message (specification section IV.A.2.i), versions 1 to 5.
//!
//! Version 5 differs from 4 only in the width of filtered chunks' sizes in chunk indexes, which the headers of the
//! indexes tell too.

use crate::chunk_index::{ChunkIndex, IndexCreation};
use crate::error::{Error, Result};
use crate::messages::dataset::dataspace::MAX_RANK;
use crate::metadata::Cursor;

/// Flag of chunked layouts: partial edge chunks are not filtered.
const EDGE_CHUNKS_UNFILTERED: u8 = 1;
/// Flag of chunked layouts: the single chunk is filtered.
const SINGLE_CHUNK_FILTERED: u8 = 2;

/// The parsed message, before it is checked against dataspace and datatype.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum LayoutMessage {
    /// The data itself.
    Compact(Vec<u8>),
    /// One block.
    Contiguous {
        /// Address of the block; `None` if it was not allocated.
        address: Option<u64>,
    },
    /// Chunks.
    Chunked {
        /// Shape of a chunk in elements, followed by the size of an element in bytes.
        dims: Vec<u64>,
        /// True if partial edge chunks are not filtered.
        edge_chunks_unfiltered: bool,
        /// The index of the chunks.
        index: ChunkIndex,
        /// How the index was made.
        creation: IndexCreation,
    },
    /// Parts of other datasets.
    Virtual {
        /// Address of the global heap collection with the mappings; `None` if there are none.
        collection: Option<u64>,
        /// Their index in it.
        index: u32,
    },
}

impl LayoutMessage {
    /// Parses the message.
    pub(crate) fn decode(message: &mut Cursor<'_>) -> Result<Self> {
        match message.u8()? {
            1 | 2 => Self::decode_old(message),
            version @ 3..=5 => match message.u8()? {
                0 => {
                    let size = message.u16()?;
                    Ok(Self::Compact(message.bytes(size.into())?.to_vec()))
                }
                // The size after the address is ignored: some files have it cut to 32 bits.
                1 => Ok(Self::Contiguous {
                    address: message.offset()?,
                }),
                2 if version == 3 => {
                    let rank = rank(message)?;
                    let index = btree_v1(message.offset()?);
                    let dims = dims(message, rank, 4)?;
                    Ok(Self::Chunked {
                        dims,
                        edge_chunks_unfiltered: false,
                        index,
                        creation: IndexCreation::default(),
                    })
                }
                2 => Self::decode_chunked(message, version),
                3 if version > 3 => Ok(Self::Virtual {
                    collection: message.offset()?,
                    index: message.u32()?,
                }),
                other => Err(message.damaged(format!("layout class {other}"))),
            },
            other => Err(Error::Unsupported(format!(
                "version {other} of a data layout message"
            ))),
        }
    }

    /// Parses versions 1 and 2.
    fn decode_old(message: &mut Cursor<'_>) -> Result<Self> {
        let rank = message.u8()?;
        let class = message.u8()?;
        message.skip(5)?;
        let address = if class == 0 { None } else { message.offset()? };
        if !(1..=MAX_RANK + 1).contains(&rank) {
            return Err(message.damaged(format!("{rank} dimensions")));
        }
        let dims = dims(message, rank, 4)?;
        match class {
            0 => {
                let size = message.u32()?;
                Ok(Self::Compact(message.bytes(size as usize)?.to_vec()))
            }
            1 => Ok(Self::Contiguous { address }),
            2 if rank >= 2 => Ok(Self::Chunked {
                dims,
                edge_chunks_unfiltered: false,
                index: btree_v1(address),
                creation: IndexCreation::default(),
            }),
            2 => Err(message.damaged("chunks of no dimensions")),
            other => Err(message.damaged(format!("layout class {other}"))),
        }
    }

    /// Parses the chunked class of versions 4 and 5, from after the class.
    fn decode_chunked(message: &mut Cursor<'_>, version: u8) -> Result<Self> {
        let flags = message.u8()?;
        let rank = rank(message)?;
        let width = message.u8()?;
        let dims = dims(message, rank, width)?;
        let index_type = message.u8()?;
        let filtered = if index_type == 1 && flags & SINGLE_CHUNK_FILTERED != 0 {
            Some((message.length()?, message.u32()?))
        } else {
            None
        };
        let length = match index_type {
            1 | 2 => 0,
            3 => 1,
            4 => 5,
            5 => 6,
            other => return Err(message.damaged(format!("chunk index type {other}"))),
        };
        let mut parameters = [0; 6];
        for (own, stored) in parameters.iter_mut().zip(message.bytes(length)?) {
            *own = *stored;
        }
        let index = match (message.offset()?, index_type) {
            (None, _) => ChunkIndex::Unallocated,
            (Some(address), 1) => ChunkIndex::Single { address, filtered },
            (Some(address), 2) => ChunkIndex::Implicit { address },
            (Some(address), 3) => ChunkIndex::FixedArray { address },
            (Some(address), 4) => ChunkIndex::ExtensibleArray { address },
            (Some(address), _) => ChunkIndex::BtreeV2 { address },
        };
        Ok(Self::Chunked {
            dims,
            edge_chunks_unfiltered: flags & EDGE_CHUNKS_UNFILTERED != 0,
            index,
            creation: IndexCreation {
                has_wide_sizes: version >= 5,
                parameters,
            },
        })
    }
}

fn btree_v1(address: Option<u64>) -> ChunkIndex {
    match address {
        Some(address) => ChunkIndex::BtreeV1 { address },
        None => ChunkIndex::Unallocated,
    }
}

/// Reads the rank of a chunk, in which the element's size counts as one dimension.
fn rank(message: &mut Cursor<'_>) -> Result<u8> {
    let rank = message.u8()?;
    if !(2..=MAX_RANK + 1).contains(&rank) {
        return Err(message.damaged(format!("chunks of {rank} dimensions, the element counted as one")));
    }
    Ok(rank)
}

fn dims(message: &mut Cursor<'_>, rank: u8, width: u8) -> Result<Vec<u64>> {
    (0..rank).map(|_| message.uint(width.into())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(bytes: &[u8]) -> Result<LayoutMessage> {
        LayoutMessage::decode(&mut Cursor::over(bytes))
    }

    /// Version, rank, class and reserved bytes of the old message.
    fn old(class: u8, rank: u8, address: Option<u64>, dims: &[u32]) -> Vec<u8> {
        let mut message = vec![1, rank, class, 0, 0, 0, 0, 0];
        if class != 0 {
            message.extend(address.unwrap_or(u64::MAX).to_le_bytes());
        }
        message.extend(dims.iter().flat_map(|dim| dim.to_le_bytes()));
        message
    }

    #[test]
    fn old_versions() {
        assert_eq!(
            decode(&old(1, 2, Some(96), &[3, 4])).unwrap(),
            LayoutMessage::Contiguous { address: Some(96) }
        );
        let compact = [old(0, 1, None, &[3]), vec![3, 0, 0, 0, 7, 8, 9]].concat();
        assert_eq!(decode(&compact).unwrap(), LayoutMessage::Compact(vec![7, 8, 9]));
        let chunked = |address, index| {
            LayoutMessage::Chunked {
                dims: vec![5, 6, 4],
                edge_chunks_unfiltered: false,
                index,
                creation: IndexCreation::default(),
            } == decode(&old(2, 3, address, &[5, 6, 4])).unwrap()
        };
        assert!(chunked(Some(96), ChunkIndex::BtreeV1 { address: 96 }));
        assert!(chunked(None, ChunkIndex::Unallocated));
        assert!(decode(&old(2, 1, Some(96), &[4])).is_err());
        assert!(decode(&old(1, 0, Some(96), &[])).is_err());
        assert!(decode(&old(1, 34, Some(96), &[1; 34])).is_err());
    }

    #[test]
    fn chunk_indexes_of_version_4() {
        let message = |flags, index: &[u8]| [&[4, 2, flags, 2, 1, 5, 4], index].concat();
        let address = 96u64.to_le_bytes();
        let index = |flags, bytes: &[u8]| match decode(&message(flags, bytes)) {
            Ok(LayoutMessage::Chunked { dims, index, .. }) => {
                assert_eq!(dims, [5, 4]);
                Some(index)
            }
            Ok(other) => panic!("{other:?}"),
            Err(_) => None,
        };
        let address_of = |parameters: &[u8]| index(0, &[parameters, &address].concat());
        assert_eq!(
            index(
                2,
                &[&[1, 9, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0][..], &address].concat()
            ),
            Some(ChunkIndex::Single {
                address: 96,
                filtered: Some((9, 3))
            })
        );
        let unfiltered = ChunkIndex::Single {
            address: 96,
            filtered: None,
        };
        assert_eq!(address_of(&[1]), Some(unfiltered));
        assert_eq!(address_of(&[2]), Some(ChunkIndex::Implicit { address: 96 }));
        assert_eq!(address_of(&[3, 10]), Some(ChunkIndex::FixedArray { address: 96 }));
        assert_eq!(
            address_of(&[4, 32, 4, 4, 16, 10]),
            Some(ChunkIndex::ExtensibleArray { address: 96 })
        );
        assert_eq!(
            address_of(&[5, 0, 8, 0, 0, 100, 40]),
            Some(ChunkIndex::BtreeV2 { address: 96 })
        );
        assert_eq!(address_of(&[6]), None);
    }

    #[test]
    fn virtual_layouts() {
        let message = |address: u64| [&[4, 3], &address.to_le_bytes()[..], &[7, 0, 0, 0]].concat();
        for (address, collection) in [(96, Some(96)), (u64::MAX, None)] {
            assert_eq!(
                decode(&message(address)).unwrap(),
                LayoutMessage::Virtual { collection, index: 7 }
            );
        }
        assert!(decode(&message(96)[..10]).is_err());
        assert!(decode(&[3, 3]).is_err());
    }

    #[test]
    fn versions_to_come_are_unsupported() {
        assert!(matches!(decode(&[6, 2]), Err(Error::Unsupported(_))));
    }
}
