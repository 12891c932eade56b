//! Errors of the HDF5 layer as errors of a dataset.

use crate::error::Error;

/// The error of a dataset that an error of the HDF5 layer means.
pub fn hdf5_error(cause: ncutils_hdf5::Error) -> Error {
    Error::Library {
        truncated: matches!(cause, ncutils_hdf5::Error::Truncated { .. }),
        failed: cause.is_failure(),
        cause: Box::new(cause),
    }
}

/// The error of the HDF5 layer that `error` was made of; `None` for any other error.
pub fn as_hdf5(error: &Error) -> Option<&ncutils_hdf5::Error> {
    match error {
        Error::Library { cause, .. } => cause.downcast_ref(),
        _ => None,
    }
}

/// The error of a source of objects to write.
pub struct SourceError(Error);

impl From<ncutils_hdf5::Error> for SourceError {
    fn from(cause: ncutils_hdf5::Error) -> Self {
        Self(hdf5_error(cause))
    }
}

impl From<Error> for SourceError {
    fn from(error: Error) -> Self {
        Self(error)
    }
}

impl From<SourceError> for Error {
    fn from(error: SourceError) -> Self {
        error.0
    }
}
