//! Index entries of a data list: positions in the text where parsing can begin.

/// A position in a list where parsing can begin, with the number of its element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListEntry {
    pub(super) place: u64,
    /// The element at the position, counted in C order over the variable's own extent.
    pub element: u64,
}

/// The unpacked position of a [`ListEntry`], and the lexer's state there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EntryPosition {
    /// Position in the text.
    pub at: u64,
    /// Number of open braces.
    pub level: usize,
    /// True inside a string constant.
    pub in_string: bool,
    /// True if the previous constant was a character.
    pub after_character: bool,
}

impl EntryPosition {
    pub(super) fn pack(self) -> u64 {
        self.at & ((1 << 56) - 1)
            | (self.level as u64 & 63) << 56
            | u64::from(self.after_character) << 62
            | u64::from(self.in_string) << 63
    }
}

impl ListEntry {
    /// Unpacks the position.
    pub fn place(self) -> EntryPosition {
        EntryPosition {
            at: self.place & ((1 << 56) - 1),
            level: (self.place >> 56) as usize & 63,
            after_character: self.place >> 62 & 1 == 1,
            in_string: self.place >> 63 == 1,
        }
    }
}
