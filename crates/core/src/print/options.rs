//! Printing options: the variables whose data is printed, and the look of numbers and lines.

use crate::filter::Registry;
use crate::model::NamePattern;
use crate::time::DateSeparator;

/// The variables whose data is printed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum DataOf {
    /// All variables.
    #[default]
    All,
    /// No variables: only the header (`-h`).
    None,
    /// Coordinate variables (`-c`).
    Coordinates,
    /// These variables (`-v`), by name or path. A relative path matches every variable whose path ends in it.
    Listed(Vec<NamePattern>),
}

/// Types whose digits the user chose (`-p`), so that the attribute `C_format` is ignored for them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Overrides {
    /// True for `float`.
    pub float: bool,
    /// True for `double`.
    pub double: bool,
}

/// What is printed, and how.
#[derive(Debug, Clone, Default)]
pub struct DumpOptions {
    /// The variables whose data is printed.
    pub data: DataOf,
    /// Variables that must exist, even if their data is not printed (`-h -v`): scripts use this to test for a
    /// variable. With [`DataOf::Coordinates`], only coordinate variables in this list are printed (`-c -v`).
    pub required: Vec<NamePattern>,
    /// Only data of these groups is printed (`-g`), without their child groups. If empty, data of all groups.
    pub groups: Vec<NamePattern>,
    /// True to print special attributes (`-s`).
    pub special: bool,
    /// True to omit `_NCProperties` from the special attributes (`-Xp`).
    pub without_properties: bool,
    /// True to print all filters in the special attribute `_Filter` (`-F`).
    pub filters: bool,
    /// The codecs that are known, whose filters `_Filter` names.
    pub registry: Registry,
    /// Digits of floating-point numbers.
    pub precision: Precision,
    /// Types for which `precision` overrides the attribute `C_format`.
    pub overrides: Overrides,
    /// Length of lines in lists (`-l`).
    pub line_length: LineLength,
    /// Comments in the data section (`-b`, `-f`).
    pub annotations: Annotations,
    /// If set, times are printed as dates (`-t`, `-i`), with this separator between date and time.
    pub times: Option<DateSeparator>,
}

/// Digits of floats and doubles.
#[derive(Debug, Clone, Copy)]
pub struct Precision {
    /// Significant digits of `float`.
    pub float: usize,
    /// Significant digits of `double`.
    pub double: usize,
    /// True to print exact values (`--exact`): as many digits as identify a number, and everything else that
    /// distinguishes values.
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

/// The comments in the data section.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Annotations {
    /// A comment before each row of a variable with two or more dimensions (`-b`).
    pub rows: bool,
    /// A comment after each element, which then has its own line (`-f`), or after each row of characters.
    pub elements: bool,
    /// How indices are counted.
    pub order: IndexOrder,
}

/// The form of indices in comments.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum IndexOrder {
    /// From 0, slowest dimension first.
    #[default]
    C,
    /// From 1, fastest dimension first.
    Fortran,
}

/// Length of lines in lists (`ncdump -l`): by default 80 columns, of which netCDF-C keeps the last two free.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineLength(usize);

impl LineLength {
    /// The shortest line, in columns.
    pub const LEAST: usize = 10;

    /// Lines of this many columns; `None` below [`LineLength::LEAST`].
    pub fn new(columns: usize) -> Option<Self> {
        (columns >= Self::LEAST).then_some(Self(columns))
    }

    /// Columns of a line.
    pub fn columns(self) -> usize {
        self.0
    }

    /// Most columns that items may fill.
    pub fn limit(self) -> usize {
        self.0 - 2
    }
}

impl Default for LineLength {
    fn default() -> Self {
        Self(80)
    }
}
