//! Selections of elements of a dataspace, as virtual datasets and region references store them (specification section VIII.A).
//!
//! ```text
//! type │ version │ fields by type and version
//!  0 none, 1 points (versions 1, 2), 2 hyperslabs (versions 1 to 3), 3 all
//! ```

use crate::error::{Error, Result};
use crate::messages::dataset::dataspace::MAX_RANK;
use crate::metadata::Cursor;

/// Elements of a dataspace.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ElementSelection {
    /// No element.
    None,
    /// All elements, whatever the shape.
    All,
    /// Single elements, in this order.
    Points {
        /// Number of dimensions.
        rank: usize,
        /// The index of each point, slowest dimension first, one point after another.
        coordinates: Vec<u64>,
    },
    /// In each dimension a stripe, slowest dimension first. An element is selected if its index is in all of them.
    Regular(Vec<Stripe>),
    /// The union of boxes.
    Boxes {
        /// Number of dimensions.
        rank: usize,
        /// For each box the index of its first element, then the index of its last element.
        corners: Vec<u64>,
    },
}

/// Indices along one dimension: `count` runs of `block` indices each, the beginnings of which are `stride` apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Stripe {
    /// The first index.
    pub start: u64,
    /// Distance from the beginning of a run to the next, at least 1.
    pub stride: u64,
    /// Number of runs; `None` for an unlimited number.
    pub count: Option<u64>,
    /// Length of a run; `None` for an unlimited one. At most one of `count` and `block` is unlimited.
    pub block: Option<u64>,
}

impl Stripe {
    /// True if the stripe has no end.
    pub fn is_unlimited(&self) -> bool {
        self.count.is_none() || self.block.is_none()
    }
}

impl ElementSelection {
    /// Number of dimensions; `None` where the selection does not say.
    pub fn rank(&self) -> Option<usize> {
        match self {
            Self::None | Self::All => None,
            Self::Points { rank, .. } | Self::Boxes { rank, .. } => Some(*rank),
            Self::Regular(stripes) => Some(stripes.len()),
        }
    }

    /// The dimension in which the selection has no end.
    pub fn unlimited(&self) -> Option<usize> {
        match self {
            Self::Regular(stripes) => stripes.iter().position(Stripe::is_unlimited),
            _ => None,
        }
    }

    /// Parses the selection of a region reference, which stands behind the address of its dataset in an object of the
    /// global heap.
    ///
    /// # Errors
    /// The bytes are no selection, or one of an unknown version.
    pub fn parse(bytes: &[u8]) -> Result<Self> {
        Self::decode(&mut Cursor::new(
            "selection of a region reference",
            0,
            bytes,
            8,
            8,
            1,
        ))
    }

    /// Parses a selection.
    pub(crate) fn decode(bytes: &mut Cursor<'_>) -> Result<Self> {
        let kind = bytes.u32()?;
        let version = bytes.u32()?;
        match (kind, version) {
            (0 | 3, 1) => {
                bytes.skip(8)?;
                Ok(if kind == 0 { Self::None } else { Self::All })
            }
            (1, 1) => {
                bytes.skip(8)?;
                points(bytes, 4)
            }
            (1, 2) => {
                let width = width(bytes)?;
                points(bytes, width)
            }
            (2, 1) => {
                bytes.skip(8)?;
                let rank = rank(bytes)?;
                boxes(bytes, rank, 4)
            }
            (2, 2) => {
                let flags = bytes.u8()?;
                bytes.skip(4)?;
                let rank = rank(bytes)?;
                match flags & REGULAR {
                    0 => Err(bytes.damaged("a hyperslab of version 2 that is not regular")),
                    _ => regular(bytes, rank, 8),
                }
            }
            (2, 3) => {
                let flags = bytes.u8()?;
                let width = width(bytes)?;
                let rank = rank(bytes)?;
                match flags & REGULAR {
                    0 => boxes(bytes, rank, width),
                    _ => regular(bytes, rank, width),
                }
            }
            (0..=3, version) => Err(Error::Unsupported(format!(
                "version {version} of a selection of type {kind}"
            ))),
            (other, _) => Err(bytes.damaged(format!("a selection of type {other}"))),
        }
    }
}

/// Flag of hyperslabs: one stripe for each dimension.
const REGULAR: u8 = 1;

fn width(bytes: &mut Cursor<'_>) -> Result<usize> {
    match bytes.u8()? {
        width @ (2 | 4 | 8) => Ok(width.into()),
        other => Err(bytes.damaged(format!("a selection with numbers of {other} bytes"))),
    }
}

fn rank(bytes: &mut Cursor<'_>) -> Result<usize> {
    match bytes.u32()? {
        rank if (1..=u32::from(MAX_RANK)).contains(&rank) => Ok(rank as usize),
        other => Err(bytes.damaged(format!("a selection of {other} dimensions"))),
    }
}

/// Takes `count` times `each` numbers. Their bytes must be there before memory is allocated.
fn numbers(bytes: &mut Cursor<'_>, count: u64, each: usize, width: usize) -> Result<Vec<u64>> {
    let size = usize::try_from(count)
        .ok()
        .and_then(|count| count.checked_mul(each)?.checked_mul(width));
    let mut part = bytes.part(size.unwrap_or(usize::MAX))?;
    (0..size.unwrap_or(0) / width).map(|_| part.uint(width)).collect()
}

fn points(bytes: &mut Cursor<'_>, width: usize) -> Result<ElementSelection> {
    let rank = rank(bytes)?;
    let count = bytes.uint(width)?;
    let coordinates = numbers(bytes, count, rank, width)?;
    Ok(ElementSelection::Points { rank, coordinates })
}

fn boxes(bytes: &mut Cursor<'_>, rank: usize, width: usize) -> Result<ElementSelection> {
    let count = bytes.uint(width)?;
    let corners = numbers(bytes, count, 2 * rank, width)?;
    let backwards = |corners: &[u64]| {
        let (first, last) = corners.split_at(rank);
        first
            .iter()
            .zip(last)
            .any(|(first, last)| first > last || *last == u64::MAX)
    };
    match corners.chunks_exact(2 * rank).any(backwards) {
        true => Err(bytes.damaged("a box that ends before it begins")),
        false => Ok(ElementSelection::Boxes { rank, corners }),
    }
}

fn regular(bytes: &mut Cursor<'_>, rank: usize, width: usize) -> Result<ElementSelection> {
    // All bits set stand for unlimited, in any width.
    let unlimited = u64::MAX >> (64 - 8 * width);
    let mut stripes = Vec::with_capacity(rank);
    for _ in 0..rank {
        let start = bytes.uint(width)?;
        let stride = bytes.uint(width)?;
        let limited = |n: u64| (n != unlimited).then_some(n);
        let stripe = Stripe {
            start,
            stride,
            count: limited(bytes.uint(width)?),
            block: limited(bytes.uint(width)?),
        };
        let end = match (stripe.count, stripe.block) {
            (Some(0), _) | (_, Some(0)) => Some(start),
            (Some(count), Some(block)) => (count - 1)
                .checked_mul(stride)
                .and_then(|last| last.checked_add(start)?.checked_add(block)),
            (None, Some(_)) => Some(start),
            (Some(1), None) => Some(start),
            _ => None,
        };
        let overlaps = stripe.count != Some(1) && stripe.block.is_none_or(|block| block > stride);
        if end.is_none() || stride == 0 || overlaps {
            return Err(bytes.damaged(format!(
                "a stripe of {} runs of {} elements, {stride} apart, from {start}",
                spelled(stripe.count),
                spelled(stripe.block)
            )));
        }
        stripes.push(stripe);
    }
    match stripes.iter().filter(|stripe| stripe.is_unlimited()).count() {
        0 | 1 => Ok(ElementSelection::Regular(stripes)),
        _ => Err(bytes.damaged("a selection that is unlimited in two dimensions")),
    }
}

fn spelled(number: Option<u64>) -> String {
    number.map_or("unlimited".to_owned(), |n| n.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(bytes: &[u8]) -> Result<ElementSelection> {
        let mut cursor = Cursor::over(bytes);
        let found = ElementSelection::decode(&mut cursor)?;
        assert_eq!(cursor.remaining(), 0);
        Ok(found)
    }

    fn head(kind: u32, version: u32) -> Vec<u8> {
        [kind.to_le_bytes(), version.to_le_bytes()].concat()
    }

    fn words<const N: usize>(words: [u32; N]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    fn stripe(start: u64, stride: u64, count: u64, block: u64) -> Stripe {
        Stripe {
            start,
            stride,
            count: Some(count),
            block: Some(block),
        }
    }

    #[test]
    fn all_and_none() {
        assert_eq!(
            decode(&[head(0, 1), vec![0; 8]].concat()).unwrap(),
            ElementSelection::None
        );
        assert_eq!(
            decode(&[head(3, 1), vec![0; 8]].concat()).unwrap(),
            ElementSelection::All
        );
        assert!(decode(&head(3, 1)).is_err());
        assert!(matches!(decode(&head(3, 2)), Err(Error::Unsupported(_))));
        assert!(matches!(decode(&head(4, 1)), Err(Error::Damaged { .. })));
    }

    #[test]
    fn points_of_both_versions() {
        let expected = ElementSelection::Points {
            rank: 2,
            coordinates: vec![5, 6, 1, 2],
        };
        let old = [head(1, 1), words([0, 24, 2, 2, 5, 6, 1, 2])].concat();
        assert_eq!(decode(&old).unwrap(), expected);
        let new = [head(1, 2), vec![2, 2, 0, 0, 0, 2, 0, 5, 0, 6, 0, 1, 0, 2, 0]].concat();
        assert_eq!(decode(&new).unwrap(), expected);
        assert!(decode(&[head(1, 2), vec![3, 2, 0, 0, 0]].concat()).is_err());
        let many = [head(1, 1), words([0, 24, 2, u32::MAX, 5, 6])].concat();
        assert!(decode(&many).is_err());
        assert!(decode(&[head(1, 1), words([0, 8, 33, 0])].concat()).is_err());
    }

    #[test]
    fn hyperslabs_of_all_versions() {
        let boxes = [head(2, 1), words([0, 0, 1, 2, 0, 3, 8, 9])].concat();
        assert_eq!(
            decode(&boxes).unwrap(),
            ElementSelection::Boxes {
                rank: 1,
                corners: vec![0, 3, 8, 9],
            }
        );
        let wide = |numbers: [u64; 4]| {
            let numbers: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
            [head(2, 2), vec![1], words([36, 1]), numbers].concat()
        };
        let regular = |stripe| ElementSelection::Regular(vec![stripe]);
        assert_eq!(decode(&wide([1, 5, 3, 2])).unwrap(), regular(stripe(1, 5, 3, 2)));
        let endless = decode(&wide([1, 5, u64::MAX, 2])).unwrap();
        assert_eq!(endless.unlimited(), Some(0));
        assert_eq!(
            endless,
            regular(Stripe {
                count: None,
                ..stripe(1, 5, 0, 2)
            })
        );
        let narrow = |flags, numbers: [u16; 4]| {
            let numbers: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
            [head(2, 3), vec![flags, 2, 1, 0, 0, 0], numbers].concat()
        };
        assert_eq!(
            decode(&narrow(1, [7, 1, 1, u16::MAX])).unwrap(),
            regular(Stripe {
                block: None,
                ..stripe(7, 1, 1, 0)
            })
        );
        let list = [head(2, 3), vec![0, 2, 1, 0, 0, 0, 1, 0, 4, 0, 6, 0]].concat();
        assert_eq!(
            decode(&list).unwrap(),
            ElementSelection::Boxes {
                rank: 1,
                corners: vec![4, 6],
            }
        );
    }

    #[test]
    fn nonsense_is_refused() {
        let regular = |numbers: [u64; 8]| {
            let numbers: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
            decode(&[head(2, 2), vec![1], words([68, 2]), numbers].concat())
        };
        assert!(regular([0, 1, 2, 1, 0, 1, 2, 1]).is_ok());
        for numbers in [
            [0, 0, 2, 1, 0, 1, 2, 1],
            [0, 1, 2, 2, 0, 1, 2, 1],
            [0, 1, u64::MAX, u64::MAX, 0, 1, 2, 1],
            [0, 1, u64::MAX, 1, 0, 1, u64::MAX, 1],
            [1, 1, u64::MAX - 1, 1, 0, u64::MAX, u64::MAX - 1, 1],
            [0, 1, 2, u64::MAX, 0, 1, 2, 1],
        ] {
            assert!(regular(numbers).is_err(), "{numbers:?}");
        }
        assert!(decode(&[head(2, 1), words([0, 0, 1, 1, 3, 2])].concat()).is_err());
    }
}
