//! Options of printing: whose data are written, and how numbers and lines look.

use crate::time::DateSeparator;

/// Which variables' data are written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum DataOf {
    /// All.
    #[default]
    All,
    /// None: the header only (`-h`).
    None,
    /// Coordinate variables (`-c`).
    Coordinates,
    /// These (`-v`): names or paths; a relative path means all whose path ends in it.
    Listed(Vec<String>),
}

/// Types whose digits the user asked for (`-p`), so that the attribute `C_format` does not count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Overrides {
    /// `float`.
    pub float: bool,
    /// `double`.
    pub double: bool,
}

/// What is written, and how.
#[derive(Debug, Clone, Default)]
pub struct DumpOptions {
    /// Whose data.
    pub data: DataOf,
    /// Variables that must exist, though it may be that their data are not written (`-h -v`): scripts ask so whether a file
    /// has them. Where coordinate variables are asked for, only those of them that are listed here (`-c -v`).
    pub required: Vec<String>,
    /// Only of groups so named (`-g`), and not of groups within them; of all, where none is listed.
    pub groups: Vec<String>,
    /// Special attributes (`-s`).
    pub special: bool,
    /// But not `_NCProperties` (`-Xp`).
    pub without_properties: bool,
    /// With them, all filters in `_Filter` (`-F`).
    pub filters: bool,
    /// Digits of floating-point numbers.
    pub precision: Precision,
    /// Types of which that holds also where a variable has a `C_format`.
    pub overrides: Overrides,
    /// How long lines of lists may be (`-l`).
    pub line_length: LineLength,
    /// Comments in the data section (`-b`, `-f`).
    pub annotations: Annotations,
    /// Times are dates (`-t`, `-i`), with this between date and time.
    pub times: Option<DateSeparator>,
}

/// Digits of floats and doubles.
#[derive(Debug, Clone, Copy)]
pub struct Precision {
    /// For `float`.
    pub float: usize,
    /// For `double`.
    pub double: usize,
    /// As many digits as tell a number from all others instead, and whatever else tells values apart (`--exact`).
    pub exact: bool,
}

impl Default for Precision {
    fn default() -> Self {
        Self {
            float: 7,
            double: 15,
            exact: false,
        }
    }
}

/// Which comments there are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Annotations {
    /// Before each row of a variable of two or more dimensions (`-b`).
    pub rows: bool,
    /// Behind each element, which then stands in a line of its own (`-f`); behind each row of characters.
    pub elements: bool,
    /// How indices are counted.
    pub order: IndexOrder,
}

/// How an element is named.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum IndexOrder {
    /// From 0, slowest dimension first.
    #[default]
    C,
    /// From 1, fastest dimension first.
    Fortran,
}

/// How long lines of lists may be (`ncdump -l`): 80 columns, of which netCDF-C keeps the last two free.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineLength(usize);

impl LineLength {
    /// The least that can be asked for.
    pub const LEAST: usize = 10;

    /// Lines of so many columns; `None` below [`LineLength::LEAST`].
    pub fn new(columns: usize) -> Option<Self> {
        (columns >= Self::LEAST).then_some(Self(columns))
    }

    /// The columns of a line.
    pub fn columns(self) -> usize {
        self.0
    }

    /// The columns that items take at most.
    pub fn limit(self) -> usize {
        self.0 - 2
    }
}

impl Default for LineLength {
    fn default() -> Self {
        Self(80)
    }
}
