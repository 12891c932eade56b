//! What a call of a program does with its input, where the options that apply depend on it.

/// A mode of nccopy or ncdump.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// nccopy: values and chunks pass through the copy engine.
    Values,
    /// nccopy: the bytes of a classic file are packed into an archive, or those of an archive are repacked or restored.
    Bytes,
    /// nccopy: `-k h5` copies HDF5 as it is.
    Hdf5,
    /// nccopy: `--append` adds to the output.
    Append,
    /// nccopy: `-k zst` compresses the input's bytes.
    Zst,
    /// nccopy: `--salvage` restores what is left of an archive.
    SalvageArchive,
    /// ncdump: prints the dataset.
    Print,
    /// ncdump: `--check`.
    Check,
    /// ncdump: `--digest`.
    Digest,
    /// ncdump: `--diff`.
    Diff,
    /// ncdump: `--sources`.
    Sources,
    /// ncdump: `--sizes`.
    Sizes,
    /// ncdump: `--map`.
    Map,
}

impl Mode {
    /// The reason why an option does not apply, as the beginning of an error that then names the option.
    pub fn refusal(self) -> &'static str {
        match self {
            Self::Hdf5 => "-k h5 copies everything as it is; copy to -k nc4 for other changes",
            Self::Append => "--append keeps the storage of the output, and adds whole inputs",
            Self::Zst => "-k zst takes the bytes of the input as they are",
            Self::SalvageArchive => {
                "--salvage of an archive restores what is left of the original, which another copy can then change"
            }
            // The parser refuses what a mode of ncdump does not apply, and the other modes apply all options.
            _ => "the option does not apply",
        }
    }
}
