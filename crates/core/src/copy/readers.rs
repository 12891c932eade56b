//! [`Readers`]: what a copy reads. A main reader is always open, and further ones are opened when they are needed.

use std::ops::Deref;

use crate::error::{Error, Result};
use crate::format::{KnownVariable, PooledReader, Reader, ReaderPool};
use crate::model::VarId;

/// Names one of a copy's readers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReaderId {
    /// The main reader.
    #[default]
    Main,
    /// A further reader, by its number in the [`ReaderPool`].
    Further(usize),
}

/// What a copy reads: a main reader, and further ones for copies that join several datasets.
///
/// The main reader is open during the whole copy. Its store decides how much is requested at once.
#[derive(Clone, Copy)]
pub struct Readers<'r> {
    main: &'r dyn Reader,
    further: Option<&'r ReaderPool>,
}

impl<'r> Readers<'r> {
    /// A main reader, and the further readers of a pool.
    pub fn new(main: &'r dyn Reader, further: &'r ReaderPool) -> Self {
        Self {
            main,
            further: Some(further),
        }
    }

    /// The main reader.
    pub fn main(&self) -> &'r dyn Reader {
        self.main
    }

    /// A reader, which is opened if it is not open. A thread must give back a further reader before it asks for another:
    /// see [`ReaderPool::get`].
    ///
    /// # Errors
    /// The reader cannot be opened, or the copy has no such reader.
    #[inline]
    pub fn get(&self, id: ReaderId) -> Result<OpenReader<'r>> {
        match (id, self.further) {
            (ReaderId::Main, _) => Ok(OpenReader::Main(self.main)),
            (ReaderId::Further(number), Some(pool)) => pool.get(number).map(OpenReader::Further),
            (ReaderId::Further(number), None) => Err(Error::Usage(format!(
                "a plan that needs reader {number}, which the copy does not have"
            ))),
        }
    }
}

impl Readers<'_> {
    /// What was kept of a variable of a further reader, once.
    pub fn take(&self, number: usize, var: VarId) -> Option<KnownVariable> {
        self.further?.take(number, var)
    }

    /// The further readers.
    pub fn pool(&self) -> Option<&ReaderPool> {
        self.further
    }

    /// The name of a further reader, for messages.
    pub fn name(&self, id: ReaderId) -> Option<&str> {
        match (id, self.further) {
            (ReaderId::Further(number), Some(pool)) => pool.name(number),
            _ => None,
        }
    }

    /// An error in what a reader gave, with the reader's name if it is a further one. The caller names the main one.
    pub fn named(&self, id: ReaderId, error: Error) -> Error {
        match (id, self.further) {
            (ReaderId::Further(number), Some(pool)) => pool.named(number, error),
            _ => error,
        }
    }
}

impl<'r> From<&'r dyn Reader> for Readers<'r> {
    fn from(main: &'r dyn Reader) -> Self {
        Self { main, further: None }
    }
}

impl<'r, R: Reader> From<&'r R> for Readers<'r> {
    fn from(main: &'r R) -> Self {
        Self { main, further: None }
    }
}

/// A reader that is open.
#[derive(Clone)]
pub enum OpenReader<'r> {
    /// The main reader.
    Main(&'r dyn Reader),
    /// A further reader, which is given back when this is dropped.
    Further(PooledReader),
}

impl<'r> Deref for OpenReader<'r> {
    type Target = dyn Reader + 'r;

    #[inline]
    fn deref(&self) -> &Self::Target {
        match self {
            Self::Main(reader) => *reader,
            Self::Further(reader) => &***reader,
        }
    }
}
