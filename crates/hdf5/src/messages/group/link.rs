//! The Link message (specification section IV.A.2.g).

use crate::error::Result;
use crate::group::{Link, LinkTarget};
use crate::metadata::Cursor;
use crate::name::text;

/// Flags of the message.
mod flag {
    /// Two bits: the width of the name's length, as a power of 2.
    pub(super) const NAME_LENGTH_WIDTH: u8 = 0b11;
    /// The creation order is present.
    pub(super) const CREATION_ORDER: u8 = 1 << 2;
    /// The type is present. Otherwise the link is hard.
    pub(super) const TYPE: u8 = 1 << 3;
    /// The character set is present.
    pub(super) const CHARSET: u8 = 1 << 4;
}

impl Link {
    /// Parses the message.
    pub(crate) fn decode(message: &mut Cursor<'_>) -> Result<Self> {
        message.version(1)?;
        let flags = message.u8()?;
        let kind = if flags & flag::TYPE != 0 { message.u8()? } else { 0 };
        let creation_order = if flags & flag::CREATION_ORDER != 0 {
            Some(message.u64()?)
        } else {
            None
        };
        if flags & flag::CHARSET != 0 {
            message.u8()?;
        }
        let length = message.uint(1 << (flags & flag::NAME_LENGTH_WIDTH))?;
        let name = text(message.bytes(as_length(length))?);
        let target = match kind {
            0 => LinkTarget::Hard(message.defined_offset()?),
            1 => {
                let length = message.u16()?;
                LinkTarget::Soft(text(message.bytes(length.into())?))
            }
            64 => {
                let length = message.u16()?;
                let mut value = message.part(length.into())?;
                let version_and_flags = value.u8()?;
                if version_and_flags != 0 {
                    return Err(value.damaged(format!(
                        "version and flags {version_and_flags} of an external link"
                    )));
                }
                let file = text(value.nul_terminated()?);
                let path = text(value.nul_terminated()?);
                LinkTarget::External { file, path }
            }
            65.. => {
                let length = message.u16()?;
                LinkTarget::UserDefined {
                    class: kind,
                    data: message.bytes(length.into())?.to_vec(),
                }
            }
            other => return Err(message.damaged(format!("link type {other}"))),
        };
        Ok(Self {
            name,
            creation_order,
            target,
        })
    }
}

/// Converts a length. One that exceeds the address space becomes the maximum, so that the next read fails.
fn as_length(length: u64) -> usize {
    usize::try_from(length).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(bytes: &[u8]) -> Result<Link> {
        Link::decode(&mut Cursor::over(bytes))
    }

    #[test]
    fn hard_link_with_everything() {
        let mut message = vec![1, 1 | flag::CREATION_ORDER | flag::TYPE | flag::CHARSET, 0];
        message.extend(7u64.to_le_bytes());
        message.extend([1, 2, 0]);
        message.extend("é".bytes());
        message.extend(96u64.to_le_bytes());
        let link = Link {
            name: "é".into(),
            creation_order: Some(7),
            target: LinkTarget::Hard(96),
        };
        assert_eq!(decode(&message).unwrap(), link);
    }

    #[test]
    fn other_kinds() {
        let target = |kind: u8, value: &[u8]| {
            let length = (value.len() as u16).to_le_bytes();
            decode(&[&[1, flag::TYPE, kind, 1, b'a'], &length[..], value].concat()).map(|link| link.target)
        };
        assert_eq!(target(1, b"/b").unwrap(), LinkTarget::Soft("/b".into()));
        let external = LinkTarget::External {
            file: "f.h5".into(),
            path: "/b".into(),
        };
        assert_eq!(target(64, b"\0f.h5\0/b\0").unwrap(), external);
        assert!(target(64, b"\0f.h5\0/b").is_err());
        let user_defined = LinkTarget::UserDefined {
            class: 187,
            data: b"\0?".to_vec(),
        };
        assert_eq!(target(187, b"\0?").unwrap(), user_defined);
        assert!(target(2, b"").is_err());
        assert!(decode(&[1, 3, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, b'a']).is_err());
    }
}
