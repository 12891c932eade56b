//! Writing the mappings of a virtual dataset: boxes of other datasets, in version 0 of the block that
//! [`virtual_mapping`](super::virtual_mapping) reads.
//!
//! A hyperslab has version 1, which every libhdf5 with virtual datasets reads, or version 2 where a coordinate needs 64 bits.

use crate::checksum::lookup3;
use crate::error::{Error, Result};

/// A box of elements of a dataset in another file, and its place in a virtual dataset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MappedBox {
    /// Name of the source's file, as it is: libhdf5 looks for a relative one beside the file of the virtual dataset.
    pub file: String,
    /// Path of the source in that file, as it is.
    pub dataset: String,
    /// Lengths of the box, in elements. At least one, and none of them 0.
    pub shape: Vec<u64>,
    /// Where the box begins in the source.
    pub source: Vec<u64>,
    /// Where the box begins in the virtual dataset.
    pub target: Vec<u64>,
}

impl MappedBox {
    /// The content of the global heap object of a virtual dataset that is made of these boxes.
    ///
    /// # Errors
    /// A name with a NUL; a box without dimensions or elements, or that ends past the largest number.
    pub fn encode_all(boxes: &[Self]) -> Result<Vec<u8>> {
        let mut block = vec![0];
        block.extend((boxes.len() as u64).to_le_bytes());
        for mapped in boxes {
            for name in [&mapped.file, &mapped.dataset] {
                if name.contains('\0') {
                    return Err(Error::CannotWrite(format!(
                        "the name {name:?} in a virtual dataset, as it contains a NUL"
                    )));
                }
                // A percent sign begins the number of a block.
                block.extend(name.replace('%', "%%").bytes());
                block.push(0);
            }
            mapped.put(&mapped.source, &mut block)?;
            mapped.put(&mapped.target, &mut block)?;
        }
        let sum = lookup3(&block);
        block.extend(sum.to_le_bytes());
        Ok(block)
    }

    /// Adds the selection of a box that begins at `start`.
    fn put(&self, start: &[u64], out: &mut Vec<u8>) -> Result<()> {
        let refused = || Error::CannotWrite("a box that a virtual dataset cannot have".to_owned());
        let rank = self.shape.len();
        if rank == 0 || start.len() != rank {
            return Err(refused());
        }
        let last = |(start, length): (&u64, &u64)| start.checked_add(length.checked_sub(1)?);
        let ends: Option<Vec<u64>> = start.iter().zip(&self.shape).map(last).collect();
        let ends = ends
            .filter(|ends| ends.iter().all(|end| *end < u64::MAX - 1))
            .ok_or_else(refused)?;
        let mut word = |n: u64| out.extend((n as u32).to_le_bytes());
        word(HYPERSLAB);
        let rank = rank as u64;
        // The largest number of 32 bits means unlimited.
        if ends.iter().all(|end| *end < u64::from(u32::MAX)) {
            for field in [1, 0, 8 + 8 * rank, rank, 1] {
                word(field);
            }
            start.iter().chain(&ends).for_each(|n| word(*n));
            return Ok(());
        }
        word(2);
        out.push(REGULAR);
        let mut word = |n: u64| out.extend((n as u32).to_le_bytes());
        word(4 + 32 * rank);
        word(rank);
        for (start, length) in start.iter().zip(&self.shape) {
            for n in [*start, 1, 1, *length] {
                out.extend(n.to_le_bytes());
            }
        }
        Ok(())
    }
}

/// The type of a selection of hyperslabs.
const HYPERSLAB: u64 = 2;

/// Flag of a hyperslab with the same stride and block all along a dimension.
const REGULAR: u8 = 1;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::virtual_mapping::{VirtualMapping, decode};
    use crate::dataset::{ElementSelection, Stripe};
    use crate::metadata::Cursor;

    fn mapped(source: [u64; 2], target: [u64; 2]) -> MappedBox {
        MappedBox {
            file: "v/c/0/1".into(),
            dataset: "/v".into(),
            shape: vec![3, 4],
            source: source.to_vec(),
            target: target.to_vec(),
        }
    }

    fn read(boxes: &[MappedBox]) -> Vec<VirtualMapping> {
        let block = MappedBox::encode_all(boxes).unwrap();
        let mut cursor = Cursor::over(&block);
        let found = decode(&mut cursor).unwrap();
        assert_eq!(cursor.remaining(), 0);
        found
    }

    #[test]
    fn our_decoder_reads_them() {
        let found = read(&[mapped([0, 0], [6, 8]), mapped([1, 2], [9, 8])]);
        assert_eq!((&*found[0].file, &*found[0].dataset), ("v/c/0/1", "/v"));
        let corners = |corners: [u64; 4]| ElementSelection::Boxes {
            rank: 2,
            corners: corners.to_vec(),
        };
        assert_eq!(found[0].source, corners([0, 0, 2, 3]));
        assert_eq!(found[0].target, corners([6, 8, 8, 11]));
        assert_eq!(found[1].source, corners([1, 2, 3, 5]));
        assert_eq!(read(&[]), []);
    }

    #[test]
    fn far_places_take_64_bits() {
        let far = 1 << 32;
        for target in [far, u64::from(u32::MAX) - 2] {
            let found = read(&[mapped([0, 0], [0, target])]);
            assert!(matches!(found[0].source, ElementSelection::Boxes { .. }));
            let stripe = |start, block| Stripe {
                start,
                stride: 1,
                count: Some(1),
                block: Some(block),
            };
            let expected = ElementSelection::Regular(vec![stripe(0, 3), stripe(target, 4)]);
            assert_eq!(found[0].target, expected);
        }
    }

    #[test]
    fn percent_signs_are_doubled() {
        let named = MappedBox {
            file: "50%/c/0".into(),
            ..mapped([0, 0], [0, 0])
        };
        assert_eq!(&*read(&[named])[0].file, "50%%/c/0");
    }

    #[test]
    fn what_no_dataset_has_is_refused() {
        let of = |shape: &[u64], start: &[u64]| MappedBox {
            shape: shape.to_vec(),
            source: start.to_vec(),
            target: start.to_vec(),
            ..mapped([0, 0], [0, 0])
        };
        for bad in [
            of(&[], &[]),
            of(&[0], &[1]),
            of(&[1], &[0, 0]),
            of(&[2], &[u64::MAX]),
        ] {
            assert!(MappedBox::encode_all(&[bad]).is_err());
        }
        let nul = MappedBox {
            dataset: "a\0b".into(),
            ..mapped([0, 0], [0, 0])
        };
        assert!(MappedBox::encode_all(&[nul]).is_err());
    }
}
