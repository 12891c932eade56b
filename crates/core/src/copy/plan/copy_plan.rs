//! [`CopyPlan`]: what a copy is to produce.

use std::sync::Arc;

use super::layout::AutoChoice;
use super::notices::Notices;
use crate::copy::geometry::Sources;
use crate::copy::quantization::Quantization;
use crate::filter::Registry;
use crate::model::{ExternalPart, Schema, SharedLayout};

/// What a copy is to produce: the output's schema, and for each of its variables where the data comes from.
#[derive(Debug, Clone)]
pub struct CopyPlan {
    /// The schema of the output.
    pub schema: Schema,
    /// One entry for each of `schema.vars`, in order.
    pub variables: Vec<VariableCopy>,
    /// The codecs that the layouts were made for, which the copy encodes with.
    pub registry: Registry,
    /// The filters that were chosen by the data, for those who asked for it.
    pub choices: Vec<AutoChoice>,
    /// What is changed that nobody asked for.
    pub notices: Notices,
    /// True if the output exists, and what no source fills is there already.
    pub grows: bool,
}

/// One variable of a copy.
#[derive(Debug, Clone, PartialEq)]
pub struct VariableCopy {
    /// Where its data comes from.
    pub sources: Sources,
    /// How the output stores it.
    pub layout: SharedLayout,
    /// Whether it stays in no-fill mode, if it is in that: see
    /// [`VariablePlan::keeps_no_fill`](crate::format::VariablePlan::keeps_no_fill). What the source does not have is written
    /// as fill then, unless that is very much.
    pub keeps_no_fill: bool,
    /// True if strings longer than the layout's [`string_length`](crate::model::VariableLayout::string_length) are cut.
    /// If false, such a string is an error.
    pub cuts_strings: bool,
    /// True if chunks that hold only fill values are left out. Has an effect where the kind
    /// [can leave chunks out](crate::model::Capabilities::skips_chunks) and the variable has a fill value.
    pub skips_fill: bool,
    /// The parts of other files that hold its raw data; `None` if the output holds it.
    pub external: Option<Arc<[ExternalPart]>>,
    /// How its values are quantized, if they are.
    pub quantization: Option<Quantization>,
    /// True if chunks of the input become references where they pass. All others are written as they are in any copy.
    pub referenced: bool,
}

impl VariableCopy {
    /// A variable that is stored as `layout`, with nothing but the data of `sources`.
    pub fn new(sources: Sources, layout: impl Into<SharedLayout>) -> Self {
        Self {
            sources,
            layout: layout.into(),
            keeps_no_fill: false,
            cuts_strings: false,
            skips_fill: false,
            external: None,
            quantization: None,
            referenced: false,
        }
    }
}
