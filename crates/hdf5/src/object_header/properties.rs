//! Properties of an object that are neither its content nor its attributes.

use crate::error::Result;
use crate::object_header::header::ObjectHeader;
use crate::object_header::message_type;
use crate::object_header::shared::SharedMessages;

/// Whether the creation order of links or attributes is stored.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CreationOrder {
    /// It is not.
    Untracked,
    /// Each has its number.
    Tracked,
    /// Each has its number, and an index sorts them by it.
    #[default]
    Indexed,
}

impl CreationOrder {
    /// True if each link or attribute has its number.
    pub fn is_tracked(self) -> bool {
        self != Self::Untracked
    }

    /// Bit 0: tracked; bit 1: indexed.
    pub(crate) fn flags(self) -> u8 {
        match self {
            Self::Untracked => 0,
            Self::Tracked => 1,
            Self::Indexed => 0b11,
        }
    }

    fn of_flags(flags: u8) -> Self {
        match flags & 0b11 {
            0 | 2 => Self::Untracked,
            1 => Self::Tracked,
            _ => Self::Indexed,
        }
    }
}

/// Properties of an object that are neither its content nor its attributes. The default is what netCDF-4 has: creation order
/// tracked and indexed, and nothing else.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ObjectProperties {
    /// Creation order of its links, for a group.
    pub link_order: CreationOrder,
    /// Creation order of its attributes.
    pub attribute_order: CreationOrder,
    /// Times of last access, modification and change, and of birth, in seconds since 1970.
    pub times: Option<[u32; 4]>,
    /// Most attributes in compact storage, and fewest in dense storage, where they are not the library's defaults.
    pub attribute_phase_change: Option<(u16, u16)>,
    /// Content of the Object Comment message: text with a NUL at its end.
    pub comment: Option<Vec<u8>>,
    /// Content of the Group Info message, for a group that has one.
    pub group_info: Option<Vec<u8>>,
}

/// The properties of the object with this header.
pub(crate) fn read(shared: &SharedMessages, header: &ObjectHeader) -> Result<ObjectProperties> {
    let content = |kind: u16| -> Result<Option<Vec<u8>>> {
        let Some(message) = header.first(kind) else {
            return Ok(None);
        };
        let resolved = shared.resolve(message)?;
        let mut cursor = resolved.cursor();
        let length = cursor.remaining();
        Ok(Some(cursor.bytes(length)?.to_vec()))
    };
    let link_flags = content(message_type::LINK_INFO)?.and_then(|info| info.get(1).copied());
    // Version 1 of a header has a message for the time of modification.
    let modified = content(message_type::MODIFICATION_TIME)?.and_then(|time| {
        let seconds = time.get(4..8)?.try_into().ok()?;
        (time.first() == Some(&1)).then_some([u32::from_le_bytes(seconds); 4])
    });
    Ok(ObjectProperties {
        link_order: CreationOrder::of_flags(link_flags.unwrap_or(0)),
        attribute_order: CreationOrder::of_flags(header.attribute_order),
        times: header.times.or(modified),
        attribute_phase_change: header.attribute_phase_change,
        comment: content(message_type::COMMENT)?,
        group_info: content(message_type::GROUP_INFO)?,
    })
}
