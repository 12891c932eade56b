//! [`Link`]: a name in a group, and its target.

/// The links of a group.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Links {
    /// True if the group tracks the creation order of its links.
    pub creation_order_tracked: bool,
    /// The links, by creation order if it is tracked, else by the bytes of their names.
    pub links: Vec<Link>,
}

/// A link.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Link {
    /// Its name.
    pub name: String,
    /// Creation order: a number that is higher for a later link.
    pub creation_order: Option<u64>,
    /// Its target.
    pub target: LinkTarget,
}

/// Target of a link.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum LinkTarget {
    /// The object at this address.
    Hard(u64),
    /// A path in the same file, absolute or relative to the link's group.
    Soft(String),
    /// A path in another file.
    External {
        /// The other file's name.
        file: String,
        /// The path in it.
        path: String,
    },
    /// A type registered by a program, which alone knows the target.
    UserDefined {
        /// The type: 65 to 255.
        class: u8,
        /// The content.
        data: Vec<u8>,
    },
}

impl LinkTarget {
    /// Address of the object, for a hard link.
    pub fn address(&self) -> Option<u64> {
        match self {
            Self::Hard(address) => Some(*address),
            Self::Soft(_) | Self::External { .. } | Self::UserDefined { .. } => None,
        }
    }
}
