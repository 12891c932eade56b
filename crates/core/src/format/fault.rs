//! [`Fault`]: one thing that is wrong in a dataset.

use std::fmt;

use crate::error::Error;

/// One thing that is wrong in a dataset, as `ncdump --check` lists it. It is displayed as one line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fault {
    /// Path of the variable; `None` if the fault concerns no single variable.
    pub variable: Option<String>,
    /// The chunk's position in the grid of chunks, or the block's number in an archive.
    pub chunk: Option<Vec<u64>>,
    /// The key of a store whose value is at fault.
    pub key: Option<String>,
    /// Position of the damaged piece, in bytes from the start of the file.
    pub byte: Option<u64>,
    /// What is wrong: a clause without the variable, the chunk and the key.
    pub cause: String,
    /// True if a checksum disagrees and nothing else is wrong, so that the data can be decoded.
    pub only_checksum: bool,
    /// True if a chunk could not be checked: a codec of it is neither built in nor found, or it takes too much memory.
    pub is_unchecked: bool,
    /// True if another copy of what is damaged was read, so that nothing is lost.
    pub is_replaced: bool,
    /// True if faults of their own tell what is lost, and this one only tells why.
    pub is_summary: bool,
    /// True if the system or a store failed, so that it is not known whether anything is damaged.
    pub is_failure: bool,
}

impl Fault {
    /// A fault that concerns no single variable.
    pub fn new(cause: impl Into<String>) -> Self {
        Self {
            cause: cause.into(),
            ..Self::default()
        }
    }

    /// The fault that an error reports. Variable, chunk and key are those of the error's contexts.
    pub fn of(error: &Error) -> Self {
        let mut fault = Self {
            is_failure: error.is_failure(),
            ..Self::default()
        };
        let mut inner = error;
        loop {
            inner = match inner {
                Error::Variable { name, cause } => {
                    fault.variable = Some(name.clone());
                    cause
                }
                Error::Chunk { index, cause } => {
                    fault.chunk = Some(index.clone());
                    cause
                }
                Error::Key { key, cause } => {
                    fault.key = Some(key.clone());
                    cause
                }
                Error::File { cause, .. } | Error::About { cause, .. } => cause,
                other => {
                    fault.cause = other.to_string();
                    return fault;
                }
            };
        }
    }

    /// The same fault, in a variable.
    #[must_use]
    pub fn in_variable(mut self, path: &str) -> Self {
        self.variable.get_or_insert_with(|| path.to_owned());
        self
    }

    /// The same fault, in a chunk.
    #[must_use]
    pub fn in_chunk(mut self, index: &[u64]) -> Self {
        self.chunk.get_or_insert_with(|| index.to_vec());
        self
    }

    /// The same fault, of the piece at a position in bytes, if it is known.
    #[must_use]
    pub fn at_byte(mut self, byte: Option<u64>) -> Self {
        self.byte = self.byte.or(byte);
        self
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(variable) = &self.variable {
            write!(f, "variable {variable}: ")?;
        }
        if let Some(chunk) = &self.chunk {
            let index: Vec<String> = chunk.iter().map(u64::to_string).collect();
            write!(f, "chunk [{}]: ", index.join(", "))?;
        }
        if let Some(key) = &self.key {
            write!(f, "key {key}: ")?;
        }
        if let Some(byte) = self.byte {
            write!(f, "byte {byte}: ")?;
        }
        f.write_str(&self.cause)
    }
}

/// How much of a dataset's values a check read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReadValues {
    /// Number of chunks or blocks.
    pub chunks: u64,
    /// Bytes, as stored.
    pub bytes: u64,
}

/// What a check may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CheckLimits {
    /// Number of threads.
    pub threads: usize,
    /// Most bytes of memory for data; `None` for as much as is useful.
    pub memory: Option<u64>,
}

impl CheckLimits {
    /// One thread, and as much memory as is useful.
    pub const ONE_THREAD: Self = Self {
        threads: 1,
        memory: None,
    };
}

/// What a format's check of its own structures tells besides faults.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OwnCheck {
    /// What the check read of the values, if it read all and compared them with checksums, so that they need not be read again.
    pub values: Option<ReadValues>,
    /// True if checksums outside of filters cover all values, as those of a zip file do.
    pub covers_values: bool,
    /// Parts of the dataset that no checksum covers: clauses such as "the header".
    pub uncovered: Vec<String>,
    /// What is unusual and no fault: sentences without a full stop.
    pub notes: Vec<String>,
    /// Bytes of the file that nothing refers to; `None` if that is not known, or not asked of the format.
    pub unreferenced: Option<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_names_what_its_error_names() {
        let error = Error::Damaged("ends early".into())
            .in_key("v/0.1")
            .in_chunk(&[0, 1])
            .in_variable("v")
            .in_file("in.nc");
        let fault = Fault::of(&error).at_byte(Some(70)).in_variable("w");
        assert_eq!(
            fault.to_string(),
            "variable v: chunk [0, 1]: key v/0.1: byte 70: damaged file: ends early"
        );
        assert_eq!(Fault::new("cut").to_string(), "cut");
    }
}
