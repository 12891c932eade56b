//! Places in a data list where reading can begin.

/// A place in a list where reading can begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    pub(super) place: u64,
    /// The element that stands there, counted in C order over the variable's own extent.
    pub element: u64,
}

/// What stands at an [`Entry`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The position in the text.
    pub at: u64,
    /// In how many braces it is.
    pub level: usize,
    /// Whether it is within a string constant.
    pub in_string: bool,
    /// Whether the constant before was a character.
    pub after_character: bool,
}

impl Place {
    pub(super) fn pack(self) -> u64 {
        self.at & ((1 << 56) - 1)
            | (self.level as u64 & 63) << 56
            | u64::from(self.after_character) << 62
            | u64::from(self.in_string) << 63
    }
}

impl Entry {
    /// Where to begin.
    pub fn place(self) -> Place {
        Place {
            at: self.place & ((1 << 56) - 1),
            level: (self.place >> 56) as usize & 63,
            after_character: self.place >> 62 & 1 == 1,
            in_string: self.place >> 63 == 1,
        }
    }
}
