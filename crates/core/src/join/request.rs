//! [`JoinRequest`]: how datasets are joined.

use crate::model::NamePattern;

/// How datasets become one.
#[derive(Debug, Clone, Default)]
pub struct JoinRequest {
    /// The dimension along which they are joined: a name, or a path from the root group. If the inputs do not have it, it becomes
    /// a new outermost one. Empty for none.
    pub dim: String,
    /// Takes the variables of inputs that have others. Inputs with the same variables are joined, if a dimension is given.
    pub merge: bool,
    /// Orders the inputs by the values of the dimension's coordinate. Otherwise they stay in the order in which they are named.
    pub sort: bool,
    /// The coordinate of a new dimension: a value for each input. Empty for none.
    pub labels: Vec<String>,
    /// Which of two cells with the same coordinate is taken. `None`: they are an error.
    pub overlap: Option<Overlap>,
    /// Rounds times that have no exact form in the first input's units.
    pub inexact: bool,
    /// Packed variables that are decoded to float or double.
    pub unpack: Vec<NamePattern>,
    /// Takes variables without the dimension from the first input, also where others have other values.
    pub first: bool,
    /// Fills the cells of a variable that an input lacks.
    pub fill_missing: bool,
}

/// Which of two cells with the same coordinate is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overlap {
    /// That of the input that is named first.
    First,
    /// That of the input that is named last.
    Last,
}
