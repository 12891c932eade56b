//! The pieces of a join: which cells of which input follow each other.

use std::cmp::Ordering;

use super::cells::{Cells, Key};

use crate::error::{Alternative, Error, Result};
use crate::join::request::{JoinRequest, Overlap};

/// Cells of one input, in their place along the joined dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JoinPiece {
    /// Number of the input.
    pub input: usize,
    /// The first cell, in the input.
    pub from: u64,
    /// Number of cells.
    pub count: u64,
    /// The first cell, in the joined dataset.
    pub at: u64,
}

/// An input along the joined dimension.
#[derive(Debug, Clone)]
pub struct Length {
    /// Number of cells.
    pub count: u64,
    /// The values of its coordinate; `None` if it has none whose values are numbers.
    pub cells: Option<Cells>,
}

/// Puts the inputs in order. `name` gives the name of an input, for messages.
///
/// # Errors
/// Coordinates that do not go on strictly in one direction from input to input, unless the request says which of two cells is taken.
pub fn pieces(
    lengths: &[Length],
    request: &JoinRequest,
    name: impl Fn(usize) -> String,
) -> Result<Vec<JoinPiece>> {
    let mut order: Vec<usize> = (0..lengths.len()).filter(|n| lengths[*n].count > 0).collect();
    let cells: Option<Vec<&Cells>> = order.iter().map(|n| lengths[*n].cells.as_ref()).collect();
    let Some(cells) = cells else {
        if request.sort || request.overlap.is_some() {
            let missing = order.iter().find(|n| lengths[**n].cells.is_none());
            let missing = missing.map(|n| name(*n)).unwrap_or_default();
            return Err(Error::Usage(format!(
                "{missing}: the dimension {} has no coordinate variable of numbers, by which the inputs could be put in order",
                request.dim
            )));
        }
        return Ok(follow(order.iter().map(|n| (*n, 0, lengths[*n].count))));
    };
    let direction = direction(&cells, request.sort);
    if request.sort {
        let key = |n: &usize| {
            lengths[*n]
                .cells
                .as_ref()
                .map_or(Key::Integer(0), |cells| cells.first)
        };
        order.sort_by(|a, b| match direction {
            Ordering::Less => key(b).order(key(a)),
            _ => key(a).order(key(b)),
        });
    }
    if let Some(overlap) = request.overlap {
        return merged(&order, lengths, direction, overlap, &request.dim, name);
    }
    let turns = |n: &&usize| {
        let cells = lengths[**n].cells.as_ref();
        lengths[**n].count > 1 && cells.is_some_and(|cells| cells.direction != Some(direction))
    };
    if let Some(input) = order.iter().find(turns) {
        return Err(Error::Usage(format!(
            "{}: the values of {} do not go on strictly in one direction, the same as in the other inputs",
            name(*input),
            request.dim
        )));
    }
    for pair in order.windows(2) {
        let (before, next) = (pair[0], pair[1]);
        let (Some(ends), Some(begins)) = (&lengths[before].cells, &lengths[next].cells) else {
            continue;
        };
        if begins.first.order(ends.last) != direction {
            return Err(Error::Alternative {
                why: format!(
                    "{} begins at {} = {}, and {}, which comes before it, ends at {}: they do not go on in one direction",
                    name(next),
                    request.dim,
                    begins.first,
                    name(before),
                    ends.last
                ),
                alternative: Alternative::OneOfTwoCells,
            });
        }
    }
    Ok(follow(order.iter().map(|n| (*n, 0, lengths[*n].count))))
}

/// The direction in which values go on: that of the first input that has one, else from the first input to the second. Sorted
/// inputs of one cell ascend.
fn direction(cells: &[&Cells], sort: bool) -> Ordering {
    let own = cells.iter().find_map(|cells| {
        cells
            .direction
            .or(Some(cells.last.order(cells.first)))
            .filter(|direction| *direction != Ordering::Equal)
    });
    own.unwrap_or_else(|| match cells {
        [first, second, ..] if !sort && second.first.order(first.first) == Ordering::Less => Ordering::Less,
        _ => Ordering::Greater,
    })
}

/// Pieces that follow each other, of input, first cell and count.
fn follow(parts: impl Iterator<Item = (usize, u64, u64)>) -> Vec<JoinPiece> {
    let mut at = 0;
    parts
        .map(|(input, from, count)| {
            let piece = JoinPiece {
                input,
                from,
                count,
                at,
            };
            at += count;
            piece
        })
        .collect()
}

/// The cells of all inputs in the order of their values, each value once.
fn merged(
    order: &[usize],
    lengths: &[Length],
    direction: Ordering,
    overlap: Overlap,
    dim: &str,
    name: impl Fn(usize) -> String,
) -> Result<Vec<JoinPiece>> {
    let mut all: Vec<(Key, usize, u64)> = Vec::new();
    for input in order {
        let Some(Cells {
            all: Some(keys),
            direction: own,
            ..
        }) = &lengths[*input].cells
        else {
            return Err(Error::Internal("cells of a join that were not kept".into()));
        };
        if keys.len() > 1 && *own != Some(direction) {
            return Err(Error::Usage(format!(
                "{}: {dim} does not go on strictly in one direction, the same as in the other inputs, so cells cannot be taken one by one",
                name(*input)
            )));
        }
        all.extend((0..).zip(keys).map(|(cell, key)| (*key, *input, cell)));
    }
    // Stable: of equal values, the input that is named first comes first.
    let rank = |a: &(Key, usize, u64), b: &(Key, usize, u64)| {
        let by_value = match direction {
            Ordering::Less => b.0.order(a.0),
            _ => a.0.order(b.0),
        };
        by_value.then(a.1.cmp(&b.1))
    };
    all.sort_by(rank);
    let mut taken: Vec<(Key, usize, u64)> = Vec::with_capacity(all.len());
    for cell in all {
        match taken.last_mut() {
            Some(before) if before.0.order(cell.0) == Ordering::Equal => {
                if overlap == Overlap::Last {
                    *before = cell;
                }
            }
            _ => taken.push(cell),
        }
    }
    let mut runs: Vec<(usize, u64, u64)> = Vec::new();
    for (_, input, cell) in taken {
        match runs.last_mut() {
            Some((last, from, count)) if *last == input && *from + *count == cell => *count += 1,
            _ => runs.push((input, cell, 1)),
        }
    }
    Ok(follow(runs.into_iter()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Type, Values};

    fn length(values: &[i32]) -> Length {
        let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        Length {
            count: values.len() as u64,
            cells: Cells::new(Type::Int, &Values::from_bytes(bytes), &[], true).unwrap(),
        }
    }

    fn joined(inputs: &[&[i32]], request: &JoinRequest) -> Result<Vec<(usize, u64, u64, u64)>, String> {
        let lengths: Vec<_> = inputs.iter().map(|values| length(values)).collect();
        let name = |n: usize| format!("{n}.nc");
        let pieces = pieces(&lengths, request, name).map_err(|error| error.to_string())?;
        Ok(pieces.iter().map(|p| (p.input, p.from, p.count, p.at)).collect())
    }

    fn request(sort: bool, overlap: Option<Overlap>) -> JoinRequest {
        JoinRequest {
            dim: "t".into(),
            sort,
            overlap,
            ..JoinRequest::default()
        }
    }

    #[test]
    fn inputs_follow_each_other_in_one_direction() {
        let plain = request(false, None);
        assert_eq!(
            joined(&[&[1, 2], &[], &[4]], &plain).unwrap(),
            [(0, 0, 2, 0), (2, 0, 1, 2)]
        );
        assert_eq!(joined(&[&[4], &[3], &[1, 0]], &plain).unwrap().len(), 3);
        let error = joined(&[&[1, 2], &[2, 3]], &plain).unwrap_err();
        assert!(
            error.starts_with("1.nc begins at t = 2, and 0.nc, which comes before it, ends at 2"),
            "{error}"
        );
        assert!(joined(&[&[4], &[3], &[5]], &plain).is_err());
        assert!(joined(&[&[4, 5], &[1, 2]], &plain).is_err());
    }

    #[test]
    fn sorted_inputs_go_by_their_values() {
        let sort = request(true, None);
        assert_eq!(
            joined(&[&[5, 6], &[1, 2]], &sort).unwrap(),
            [(1, 0, 2, 0), (0, 0, 2, 2)]
        );
        assert_eq!(
            joined(&[&[2, 1], &[6, 5]], &sort).unwrap(),
            [(1, 0, 2, 0), (0, 0, 2, 2)]
        );
        assert_eq!(
            joined(&[&[3], &[1], &[2]], &sort).unwrap(),
            [(1, 0, 1, 0), (2, 0, 1, 1), (0, 0, 1, 2)]
        );
        assert!(joined(&[&[1, 3], &[2, 4]], &sort).is_err());
    }

    #[test]
    fn one_of_two_cells_is_taken() {
        let first = request(false, Some(Overlap::First));
        let last = request(false, Some(Overlap::Last));
        let inputs: &[&[i32]] = &[&[1, 2, 3], &[2, 3, 4]];
        assert_eq!(joined(inputs, &first).unwrap(), [(0, 0, 3, 0), (1, 2, 1, 3)]);
        assert_eq!(joined(inputs, &last).unwrap(), [(0, 0, 1, 0), (1, 0, 3, 1)]);
        // Cells of several inputs take turns.
        let turns: &[&[i32]] = &[&[1, 3], &[2, 4]];
        assert_eq!(joined(turns, &first).unwrap().len(), 4);
        let error = joined(&[&[1, 3, 2], &[4]], &last).unwrap_err();
        assert!(error.starts_with("0.nc: t does not go on"), "{error}");
    }
}
