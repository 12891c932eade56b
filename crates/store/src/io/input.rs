//! [`Input`]: where a dataset is read from, with its name, and the places that its content names.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use crate::{KeyStore, Object, QueryServer, Requests};
use ncutils_model::error::{Error, Result};

/// The input of a dataset.
#[derive(Clone)]
pub struct Input {
    name: OsString,
    kind: InputKind,
    external_files: Option<Arc<dyn ExternalFiles>>,
    referenced: Option<Arc<dyn ExternalFiles>>,
    damage: Option<String>,
    is_verified: bool,
    compressed_size: Option<u64>,
    is_made: bool,
}

/// The kinds of input.
#[derive(Clone)]
pub enum InputKind {
    /// One sequence of bytes.
    Object(Arc<dyn Object>),
    /// Many values, each under a key.
    Keys(Arc<dyn KeyStore>),
    /// A server that answers questions.
    Queries(Arc<dyn QueryServer>),
}

impl Input {
    /// An input that is one object. `name` is the name that the user typed; messages contain it.
    pub fn object(name: impl Into<OsString>, object: Arc<dyn Object>) -> Self {
        Self::new(name.into(), InputKind::Object(object))
    }

    /// An input that is a store of keys. `name` is the name that the user typed.
    pub fn keys(name: impl Into<OsString>, store: Arc<dyn KeyStore>) -> Self {
        Self::new(name.into(), InputKind::Keys(store))
    }

    /// An input that is a server of answers. `name` is the name that the user typed.
    pub fn queries(name: impl Into<OsString>, server: Arc<dyn QueryServer>) -> Self {
        Self::new(name.into(), InputKind::Queries(server))
    }

    fn new(name: OsString, kind: InputKind) -> Self {
        Self {
            name,
            kind,
            external_files: None,
            referenced: None,
            damage: None,
            is_verified: false,
            compressed_size: None,
            is_made: false,
        }
    }

    /// Tells why the content is not all that it should be: a compressed file or a zip is truncated.
    #[must_use]
    pub fn with_damage(mut self, damage: Option<String>) -> Self {
        self.damage = damage;
        self
    }

    /// Tells whether checksums of the file that the content lies in cover the content.
    #[must_use]
    pub fn with_checksums(mut self, is_verified: bool) -> Self {
        self.is_verified = is_verified;
        self
    }

    /// Tells how many bytes the compressed file has whose content this is.
    #[must_use]
    pub fn with_compressed_size(mut self, bytes: Option<u64>) -> Self {
        self.compressed_size = bytes;
        self
    }

    /// Tells that the bytes are not those of a file of this name: they were decompressed, or came from a pipe.
    #[must_use]
    pub fn made(mut self) -> Self {
        self.is_made = true;
        self
    }

    /// True if other programs find the same bytes at the same positions.
    pub fn has_places(&self) -> bool {
        !self.is_made
    }

    /// Sets the places that this one may refer to.
    #[must_use]
    pub fn with_external_files(mut self, external_files: Arc<dyn ExternalFiles>) -> Self {
        self.external_files = Some(external_files);
        self
    }

    /// Sets the places that references in the content may lead to: besides files, remote ones.
    #[must_use]
    pub fn with_referenced(mut self, referenced: Arc<dyn ExternalFiles>) -> Self {
        self.referenced = Some(referenced);
        self
    }

    /// The name that the user typed; empty for an input without a name.
    pub fn name(&self) -> &OsStr {
        &self.name
    }

    /// The object or store of keys.
    pub fn kind(&self) -> &InputKind {
        &self.kind
    }

    /// Why the content is not all that it should be; `None` if it is.
    pub fn damage(&self) -> Option<&str> {
        self.damage.as_deref()
    }

    /// True if checksums of the file that the content lies in, such as a compressed one, cover the content.
    pub fn is_verified(&self) -> bool {
        self.is_verified
    }

    /// Bytes of the compressed file whose content this is; `None` if it is no such content, or if they are not known.
    pub fn compressed_size(&self) -> Option<u64> {
        self.compressed_size
    }

    /// Reads a pipe to its end, so that it tells everything about itself. Other places are left alone.
    ///
    /// # Errors
    /// If the pipe cannot be read.
    pub fn read_to_end(&self) -> Result<()> {
        match &self.kind {
            InputKind::Object(object) => object.end().map(drop).map_err(|e| Error::io("cannot read", e)),
            InputKind::Keys(_) | InputKind::Queries(_) => Ok(()),
        }
    }

    /// The places that this one may refer to; `None` if there are none.
    pub fn external_files(&self) -> Option<&Arc<dyn ExternalFiles>> {
        self.external_files.as_ref()
    }

    /// The places that references in the content may lead to; `None` if there are none.
    pub fn referenced(&self) -> Option<&Arc<dyn ExternalFiles>> {
        self.referenced.as_ref()
    }
}

/// An input without a name or external files.
impl<T: Object + 'static> From<Arc<T>> for Input {
    fn from(object: Arc<T>) -> Self {
        Self::object("", object)
    }
}

impl From<Arc<dyn Object>> for Input {
    fn from(object: Arc<dyn Object>) -> Self {
        Self::object("", object)
    }
}

impl fmt::Debug for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Input")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// The files that the content of an input may refer to by name, as the targets of external links. The names
/// come from untrusted content, so an implementation decides which of them may be opened.
pub trait ExternalFiles: Send + Sync {
    /// Identifies the input itself: two inputs are the same if, and only if, their identities are equal.
    fn identity(&self) -> &OsStr;

    /// Looks up `name`, as seen from this input. Nothing is opened. On a slow store, a name may be found that does not exist:
    /// opening it tells.
    ///
    /// # Errors
    /// The reason why there is no such file.
    fn find(&self, name: &str, named_as: NamedAs) -> Result<ExternalFile, NoExternalFile>;

    /// True if a file that was found exists. On a slow store, this is one request.
    ///
    /// # Errors
    /// If the store does not tell.
    fn exists(&self, _found: &ExternalFile) -> Result<bool> {
        Ok(true)
    }

    /// Compares the places that were opened with what they were then, as far as that takes no request.
    ///
    /// # Errors
    /// Names a file that has changed.
    fn check_unchanged(&self) -> Result<()> {
        Ok(())
    }

    /// The requests that suit the place that a name leads to.
    fn requests_of(&self, _name: &str) -> Requests {
        Requests::LOCAL
    }

    /// True if a source of a virtual dataset that is missing is an error. Otherwise it reads as fill values.
    fn requires_sources(&self) -> bool {
        false
    }
}

/// What a name in the content of an input stands for. It decides where the name is looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NamedAs {
    /// The target of an external link of HDF5.
    ExternalLink,
    /// Raw data of an HDF5 dataset.
    ExternalData,
    /// The source of a virtual HDF5 dataset.
    VirtualSource,
    /// An object that a file of references leads to: a path or a URL.
    Reference,
}

impl NamedAs {
    /// All that names stand for.
    pub const ALL: [Self; 4] = [
        Self::ExternalLink,
        Self::ExternalData,
        Self::VirtualSource,
        Self::Reference,
    ];
}

/// A file that was found but is not open.
pub struct ExternalFile {
    identity: OsString,
    open: Box<dyn FnOnce() -> Result<Option<Input>>>,
}

impl ExternalFile {
    /// A file with this identity, which `open` opens. `open` returns `None` if nothing is there.
    pub fn new(
        identity: impl Into<OsString>,
        open: impl FnOnce() -> Result<Option<Input>> + 'static,
    ) -> Self {
        Self {
            identity: identity.into(),
            open: Box::new(open),
        }
    }

    /// See [`ExternalFiles::identity`].
    pub fn identity(&self) -> &OsStr {
        &self.identity
    }

    /// Opens the file. It has external files of its own, under the same rules. `None` if nothing is there, which a slow store tells
    /// only now.
    ///
    /// # Errors
    /// If it cannot be opened; the error contains its name.
    pub fn open(self) -> Result<Option<Input>> {
        (self.open)()
    }
}

/// The reason why a name leads to no external file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoExternalFile {
    /// No file has this name.
    #[error("does not exist")]
    Missing,
    /// A file in the working directory has the name. libhdf5 would read it.
    #[error(
        "does not exist in the folder of the file that names it; the file in the working directory, which HDF5's library would take, is not read"
    )]
    InWorkingDirectory,
    /// The name leads to a file that may not be opened.
    #[error("is outside of the input's folder: it is {}{}{advice}", path.display(), if advice.is_empty() { "" } else { "; " })]
    Outside {
        /// Its path, without symbolic links.
        path: PathBuf,
        /// How a user allows its folder; may be empty.
        advice: &'static str,
    },
    /// The name leads to a file whose name, or the name of a folder on the way from the input's, begins with a dot.
    #[error("is hidden: it is {}{}{advice}", path.display(), if advice.is_empty() { "" } else { "; " })]
    Hidden {
        /// Its path, without symbolic links.
        path: PathBuf,
        /// How a user allows its folder; may be empty.
        advice: &'static str,
    },
    /// The name leads to a remote place that the user did not allow.
    #[error("is a remote place that is not allowed{}{advice}", if advice.is_empty() { "" } else { "; " })]
    NotAllowed {
        /// How a user allows it; may be empty.
        advice: &'static str,
    },
    /// The name leads from a remote input to a local file.
    #[error("is a local file, to which a remote input may not lead")]
    Local,
    /// The name is no path, and no URL that can be read. The text is the reason.
    #[error("is no place that can be read: {0}")]
    Strange(String),
    /// The name leads to a folder, a pipe or a device.
    #[error("is not a regular file")]
    NotRegular,
    /// The system does not tell what the name leads to. The text is its reason.
    #[error("cannot be looked up: {0}")]
    Unreadable(String),
}
