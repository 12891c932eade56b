//! Brackets of arrays nested in a shape.

/// Appends the text before element `at` (in C order) of an array of `shape`: a comma, and brackets.
pub fn open(out: &mut Vec<u8>, shape: &[u64], at: u64) {
    if at > 0 {
        out.extend_from_slice(b", ");
    }
    let mut row = 1u64;
    for length in shape.iter().rev() {
        row = row.saturating_mul(*length);
        if !at.is_multiple_of(row) {
            return;
        }
        out.push(b'[');
    }
}

/// Appends the text after element `at`: brackets.
pub fn close(out: &mut Vec<u8>, shape: &[u64], at: u64) {
    let mut row = 1u64;
    for length in shape.iter().rev() {
        row = row.saturating_mul(*length);
        if !(at + 1).is_multiple_of(row) {
            return;
        }
        out.push(b']');
    }
}
