//! Pieces of the text of a variable, and joining them.

use std::io;

use super::lines::Lines;

/// Part of the text of a variable.
#[derive(Debug)]
pub struct RowsPart {
    /// The part that belongs to a row from an earlier piece.
    pub head: Head,
    /// The rest of the text, with line breaks.
    pub text: Vec<u8>,
    /// The column at the end of `text`, if known.
    pub column: Option<usize>,
    /// Number of NULs at the end. They are printed only if other characters follow in their row.
    pub nuls: u64,
}

/// The start of a piece.
#[derive(Debug)]
pub enum Head {
    /// The piece starts with a row.
    None,
    /// Items to be wrapped, and the length of each.
    Items(Vec<u8>, Vec<usize>),
    /// This many NULs, and what follows them.
    Nuls(u64, Then),
}

/// The part after NULs in a row of characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Then {
    /// Other characters, so the NULs are printed.
    Characters,
    /// The end of the row, so the NULs are not printed.
    EndOfRow,
    /// The end of the piece.
    Nothing,
}

/// The spelling of a NUL in a row of characters.
pub const NUL: &[u8] = b"\\000";

/// Joins pieces, in order.
#[derive(Debug, Default)]
pub struct Joined {
    nuls: u64,
}

impl Joined {
    /// Writes the next piece.
    ///
    /// # Errors
    /// If writing fails.
    pub fn append(&mut self, lines: &mut Lines, piece: RowsPart) -> io::Result<()> {
        match piece.head {
            Head::None => self.nuls = piece.nuls,
            Head::Items(text, lengths) => lines.put_all(&text, &lengths),
            Head::Nuls(nuls, then) => {
                self.nuls += nuls;
                if then == Then::Characters {
                    for _ in 0..self.nuls {
                        lines.text(NUL);
                        lines.relieve()?;
                    }
                }
                if then != Then::Nothing {
                    self.nuls = piece.nuls;
                }
            }
        }
        lines.large(&piece.text)?;
        if let Some(column) = piece.column {
            lines.set_column(column);
        }
        lines.relieve()
    }
}
