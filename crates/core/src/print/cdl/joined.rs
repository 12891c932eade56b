//! Pieces of the text of a variable, and how they become lines again.

use std::io;

use super::lines::Lines;

/// Part of the text of a variable.
#[derive(Debug)]
pub struct RowsPart {
    /// What belongs to a row that was begun before.
    pub head: Head,
    /// All else, laid out.
    pub text: Vec<u8>,
    /// The column at the end of `text`, where it has any.
    pub column: Option<usize>,
    /// NULs at the end that are printed only if other characters follow in their row.
    pub nuls: u64,
}

/// The beginning of a piece.
#[derive(Debug)]
pub enum Head {
    /// A row begins with the piece.
    None,
    /// Items to be wrapped, and their lengths.
    Items(Vec<u8>, Vec<usize>),
    /// So many NULs, and then what is said.
    Nuls(u64, Then),
}

/// What follows NULs in a row of characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Then {
    /// Other characters: the NULs are printed.
    Characters,
    /// The end of the row: they are not.
    EndOfRow,
    /// The end of the piece.
    Nothing,
}

/// A NUL in a row of characters.
pub const NUL: &[u8] = b"\\000";

/// Joins pieces.
#[derive(Debug, Default)]
pub struct Joined {
    nuls: u64,
}

impl Joined {
    /// Writes the piece that follows.
    ///
    /// # Errors
    /// What writing fails of.
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
