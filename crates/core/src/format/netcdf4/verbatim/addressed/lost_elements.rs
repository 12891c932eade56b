//! [`LostElements`]: elements of a damaged file that are null in the copy.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::error::Error;
use crate::format::Fault;
use crate::format::netcdf4::read::user_path;

/// Elements of a dataset whose content cannot be read from the heaps of a damaged file.
#[derive(Default)]
pub(in crate::format::netcdf4::verbatim) struct LostElements {
    count: AtomicU64,
    first: Mutex<Option<String>>,
}

impl LostElements {
    /// Notes an element, which is null in the copy.
    pub(in crate::format::netcdf4::verbatim) fn add(&self, error: &Error) {
        self.count.fetch_add(1, Ordering::Relaxed);
        let mut first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
        first.get_or_insert_with(|| error.to_string());
    }

    /// What is wrong with the dataset at a path, if anything is.
    pub(in crate::format::netcdf4::verbatim) fn fault(self, path: &str) -> Option<Fault> {
        let first = self.first.into_inner().unwrap_or_else(PoisonError::into_inner)?;
        let told = match self.count.into_inner() {
            1 => format!("1 element cannot be read, and is null in the copy: {first}"),
            n => format!("{n} elements cannot be read, and are null in the copy; the first: {first}"),
        };
        Some(fault(path, Fault::new(told)))
    }
}

/// A fault of the object at a path, or of no single object if it is the root.
pub(in crate::format::netcdf4::verbatim) fn fault(path: &str, fault: Fault) -> Fault {
    match path {
        "/" => fault,
        path => fault.in_variable(&user_path(path)),
    }
}
