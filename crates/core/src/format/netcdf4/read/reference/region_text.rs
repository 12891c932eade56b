//! The text of a selection, in the form of slices in Python.
//!
//! ```text
//! [0:3,2:5]          a box: the end is not in it            [0:10:4]       every fourth index
//! [0:3,2:5][7:8,0:1] several boxes                          [0:10:4x2]     runs of two, which begin at every fourth
//! [(0,1),(7,3)]      points                                 [...], []      everything, nothing
//! ```

use std::io::Write;

use ncutils_hdf5::{ElementSelection, Stripe};

/// Appends the text of a selection.
pub fn push_region(selection: &ElementSelection, out: &mut Vec<u8>) {
    match selection {
        ElementSelection::None => out.extend_from_slice(b"[]"),
        ElementSelection::All => out.extend_from_slice(b"[...]"),
        ElementSelection::Regular(stripes) => list(out, b"[]", stripes, push_stripe),
        ElementSelection::Boxes { rank, corners } => {
            for corners in corners.chunks_exact(2 * rank) {
                let (first, last) = corners.split_at(*rank);
                let ends = first.iter().zip(last).collect::<Vec<_>>();
                list(out, b"[]", &ends, |out, (first, last)| {
                    push(out, format_args!("{first}:{}", last.saturating_add(1)));
                });
            }
            if corners.is_empty() {
                out.extend_from_slice(b"[]");
            }
        }
        ElementSelection::Points { rank, coordinates } => {
            let points = coordinates.chunks_exact(*rank).collect::<Vec<_>>();
            list(out, b"[]", &points, |out, point| {
                list(out, b"()", point, |out, index| push(out, format_args!("{index}")));
            });
        }
        _ => out.extend_from_slice(b"[?]"),
    }
}

fn push_stripe(out: &mut Vec<u8>, stripe: &Stripe) {
    let Stripe {
        start,
        stride,
        count,
        block,
    } = *stripe;
    push(out, format_args!("{start}:"));
    let (Some(count), Some(block)) = (count, block) else {
        return push(out, format_args!(":{stride}"));
    };
    let length = match count.checked_sub(1) {
        None => 0,
        Some(steps) => steps.saturating_mul(stride).saturating_add(block),
    };
    push(out, format_args!("{}", start.saturating_add(length)));
    if count > 1 && stride != block {
        push(out, format_args!(":{stride}"));
        if block != 1 {
            push(out, format_args!("x{block}"));
        }
    }
}

/// Appends items with commas between them, in brackets.
fn list<T>(out: &mut Vec<u8>, brackets: &[u8; 2], items: &[T], mut item: impl FnMut(&mut Vec<u8>, &T)) {
    out.push(brackets[0]);
    for (n, each) in items.iter().enumerate() {
        if n > 0 {
            out.push(b',');
        }
        item(out, each);
    }
    out.push(brackets[1]);
}

fn push(out: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    // Writing to memory does not fail.
    let _ = out.write_fmt(text);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(selection: &ElementSelection) -> String {
        let mut out = Vec::new();
        push_region(selection, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn selections_are_slices() {
        let stripe = |start, stride, count, block| Stripe {
            start,
            stride,
            count,
            block,
        };
        let regular = vec![
            stripe(2, 1, Some(1), Some(3)),
            stripe(0, 4, Some(3), Some(1)),
            stripe(0, 4, Some(3), Some(2)),
            stripe(1, 2, Some(3), Some(2)),
            stripe(5, 3, None, Some(1)),
            stripe(u64::MAX, 1, Some(u64::MAX), Some(u64::MAX)),
            stripe(7, 1, Some(0), Some(1)),
        ];
        for (selection, expected) in [
            (ElementSelection::None, "[]"),
            (ElementSelection::All, "[...]"),
            (
                ElementSelection::Regular(regular),
                "[2:5,0:9:4,0:10:4x2,1:7,5::3,18446744073709551615:18446744073709551615:1x18446744073709551615,7:7]",
            ),
            (
                ElementSelection::Boxes {
                    rank: 2,
                    corners: vec![0, 2, 2, 4, 7, 0, 7, 0],
                },
                "[0:3,2:5][7:8,0:1]",
            ),
            (
                ElementSelection::Points {
                    rank: 2,
                    coordinates: vec![0, 1, 7, 3],
                },
                "[(0,1),(7,3)]",
            ),
        ] {
            assert_eq!(text(&selection), expected);
        }
    }
}
