//! Comments in the data section that tell the indices of a row or an element (`ncdump -b`, `-f`).

use crate::print::number::general::push_unsigned;
use crate::print::options::IndexOrder;

/// Appends the comment before the row that starts at `at`, and ends the line.
pub fn push_row_annotation(out: &mut Vec<u8>, name: &[u8], at: &[u64], shape: &[u64], order: IndexOrder) {
    let Some((length, _)) = shape.split_last() else {
        return;
    };
    let outer = &at[..shape.len() - 1];
    out.extend_from_slice(b"// ");
    out.extend_from_slice(name);
    out.push(b'(');
    match order {
        IndexOrder::C => {
            for at in outer {
                push_unsigned(out, *at);
                out.push(b',');
            }
            if *length == 1 {
                out.push(b'0');
            } else {
                out.extend_from_slice(b" 0-");
                push_unsigned(out, length - 1);
            }
        }
        IndexOrder::Fortran => {
            out.push(b'1');
            if *length != 1 {
                out.push(b'-');
                push_unsigned(out, *length);
                out.push(b' ');
            }
            for at in outer.iter().rev() {
                out.push(b',');
                push_unsigned(out, at + 1);
            }
        }
    }
    out.extend_from_slice(b")\n");
}

/// Appends the comment after the element at `at`, and starts a new line. A scalar has the index of a single
/// element.
pub fn push_element_annotation(out: &mut Vec<u8>, name: &[u8], at: &[u64], order: IndexOrder) {
    out.extend_from_slice(b"  // ");
    out.extend_from_slice(name);
    out.push(b'(');
    let at = if at.is_empty() { &[0] } else { at };
    let mut push = |n: usize, index: u64| {
        if n > 0 {
            out.push(b',');
        }
        push_unsigned(out, index);
    };
    match order {
        IndexOrder::C => at.iter().enumerate().for_each(|(n, at)| push(n, *at)),
        IndexOrder::Fortran => at.iter().rev().enumerate().for_each(|(n, at)| push(n, at + 1)),
    }
    out.extend_from_slice(b")\n    ");
}
