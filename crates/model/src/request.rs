//! [`Request`] and [`Alternative`]: what errors say of options, whose names the libraries do not know.

use std::fmt;

/// An alternative to a request that cannot be fulfilled. It is displayed as the end of a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Alternative {
    /// Make the dataset without values.
    NoValues,
    /// Make a program in C.
    CProgram,
    /// Choose other filters for a variable.
    OtherFilters,
    /// Replace what is there.
    Replacing,
    /// Leave out what the output's kind cannot hold.
    LeavingOut,
    /// Leave out several items that the output's kind cannot hold.
    LeavingAllOut,
    /// Allow more memory.
    MoreMemory,
    /// Copy the sound chunks alone, or all as they are.
    SoundChunks,
    /// Take one of two cells with the same coordinate, or sort what is joined.
    OneOfTwoCells,
    /// Take one of two cells with the same coordinate, or sort what is joined into a new dataset.
    NewDataset,
    /// Leave a variable out of what is joined.
    OtherVariables,
    /// Unpack a variable of what is joined, or leave it out.
    Unpacked,
    /// Fill the cells of what lacks a variable.
    FilledCells,
    /// Take a variable from the first of what is joined.
    ValuesOfFirst,
    /// Round times.
    RoundedTimes,
    /// Store data among references as it is, or leave it out.
    StoredAmongReferences,
    /// Name the place of data for those who read it.
    OtherPlace,
    /// Store some chunks among references as they are.
    CopiedChunks,
    /// Keep the chunks of the input, or choose cells that are whole chunks.
    WholeChunks,
    /// Keep the filters of the input.
    KeptFilters,
    /// Keep the values of the input.
    KeptValues,
    /// Make a dataset anew whose files lead to each other.
    MadeAnew,
}

impl fmt::Display for Alternative {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoValues => ", or leave the values out",
            Self::CProgram => "; a C program can",
            Self::OtherFilters => ": choose other filters for this variable",
            Self::Replacing => ", and is not replaced",
            Self::LeavingOut => "; leave it out",
            Self::LeavingAllOut => "; leave them out",
            Self::MoreMemory => "; allow more memory (-m)",
            Self::SoundChunks => "; salvage the other chunks, or copy without a test",
            Self::OneOfTwoCells => "; sort them, or take one of two cells",
            Self::NewDataset => "; what comes before the end needs a new dataset",
            Self::OtherVariables => "; leave it out, or convert it first",
            Self::Unpacked => "; unpack it, or leave it out",
            Self::FilledCells => "; leave it out, or fill its cells",
            Self::ValuesOfFirst => "; leave it out, or take the values of the first",
            Self::RoundedTimes => "; allow rounding",
            Self::StoredAmongReferences => "; store them as they are, or leave them out",
            Self::OtherPlace => "; name the place for readers",
            Self::CopiedChunks => "; copy such chunks",
            Self::WholeChunks => "; keep the chunks, or choose whole ones",
            Self::KeptFilters => "; keep the filters",
            Self::KeptValues => "; keep the values",
            Self::MadeAnew => "; make it anew",
        })
    }
}

/// A part of a request for a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Request {
    /// Chunk shapes and other storage.
    Chunks,
    /// Shards, and the place of their indexes.
    Shards,
    /// Filters of named variables, or of all variables.
    Filters,
    /// Compression of all variables.
    Deflate,
    /// Conversion of unlimited dimensions to fixed ones.
    FixedDimensions,
    /// Quantization of floats.
    Quantization,
    /// The bytes that each string takes.
    StringLength,
    /// The pages of a file.
    Pages,
    /// A part of the dataset, by indices of a dimension.
    Indices,
    /// A part of the dataset, by values of a coordinate.
    Values,
    /// One group in place of many.
    FlatGroups,
    /// Arrays of characters in place of strings.
    CharStrings,
    /// One dataset of many along a dimension.
    Join,
    /// Unpacked values in place of packed ones.
    Unpacking,
    /// The coordinate of a new dimension along which datasets are joined.
    Labels,
    /// The programs that the output is for.
    Programs,
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Chunks => "chunks",
            Self::Shards => "shards",
            Self::Filters => "filters",
            Self::Deflate => "compression",
            Self::FixedDimensions => "fixed dimensions",
            Self::Quantization => "quantization",
            Self::StringLength => "string length",
            Self::Pages => "pages",
            Self::Indices => "part by indices",
            Self::Values => "part by values",
            Self::FlatGroups => "one group",
            Self::CharStrings => "characters",
            Self::Join => "join",
            Self::Unpacking => "unpacked variables",
            Self::Labels => "labels",
            Self::Programs => "programs",
        })
    }
}
