//! The Attribute message (specification section IV.A.2.m), versions 1 to 3.

use crate::attribute::Attribute;
use crate::dataspace::Dataspace;
use crate::datatype::Datatype;
use crate::error::{Error, Result};
use crate::metadata::Cursor;
use crate::name::text;
use crate::object_header::SharedMessages;
use crate::object_header::message_type;
use crate::short_bytes::ShortBytes;

/// Flag: the datatype is shared.
const SHARED_DATATYPE: u8 = 1;
/// Flag: the dataspace is shared.
const SHARED_DATASPACE: u8 = 2;

impl Attribute {
    /// Parses the message at `address`.
    ///
    /// # Errors
    /// [`Error::Unsupported`] with the attribute's name, for an unsupported datatype.
    pub(crate) fn decode(message: &mut Cursor<'_>, address: u64, shared: &SharedMessages) -> Result<Self> {
        let version = message.u8()?;
        let flags = message.u8()?;
        let flags = match version {
            1 => 0, // reserved
            2 | 3 => flags,
            other => return Err(message.damaged(format!("version {other}"))),
        };
        let name_size = usize::from(message.u16()?);
        let datatype_size = usize::from(message.u16()?);
        let dataspace_size = usize::from(message.u16()?);
        if version == 3 {
            message.u8()?; // the name's character set
        }
        let padded = |size: usize| {
            if version == 1 {
                size.next_multiple_of(8)
            } else {
                size
            }
        };

        let name = message.bytes(padded(name_size))?;
        let end = name
            .iter()
            .take(name_size)
            .position(|byte| *byte == 0)
            .unwrap_or(name_size);
        let name = text(name.get(..end).unwrap_or_default());

        let mut part = message
            .part(padded(datatype_size))?
            .named("datatype of an attribute");
        let mut encoded_datatype = ShortBytes::default();
        let (datatype, committed) = if flags & SHARED_DATATYPE != 0 {
            let resolved = shared.follow(&mut part, message_type::DATATYPE, address)?;
            (Datatype::decode(&mut resolved.cursor()), resolved.committed)
        } else {
            let encoded = part.rest();
            let datatype = Datatype::decode(&mut part);
            // A datatype may reach into the padding of version 1, as libhdf5 does not hold it to its size.
            let decoded = encoded.len().saturating_sub(part.remaining());
            let kept = encoded.get(..datatype_size.max(decoded)).unwrap_or(encoded);
            encoded_datatype = ShortBytes::from(kept);
            (datatype, None)
        };
        let datatype = datatype.map_err(|error| match error {
            Error::Unsupported(what) => Error::Unsupported(format!("{what} (of attribute {name})")),
            other => other,
        })?;

        let mut part = message
            .part(padded(dataspace_size))?
            .named("dataspace of an attribute");
        let dataspace = if flags & SHARED_DATASPACE != 0 {
            let resolved = shared.follow(&mut part, message_type::DATASPACE, address)?;
            Dataspace::decode(&mut resolved.cursor())?
        } else {
            Dataspace::decode(&mut part)?
        };

        let size = dataspace
            .count()
            .and_then(|count| count.checked_mul(datatype.size.into()));
        let Some(size) = size.and_then(|size| usize::try_from(size).ok()) else {
            return Err(message.damaged(format!("attribute {name} is too large")));
        };
        let data = message.bytes(size)?.to_vec();
        Ok(Self {
            name,
            datatype,
            encoded_datatype,
            committed,
            dataspace,
            data,
        })
    }
}
