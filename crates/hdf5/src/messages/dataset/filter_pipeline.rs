//! The Filter Pipeline message (specification section IV.A.2.l), versions 1 and 2.

use crate::dataset::Filter;
use crate::error::Result;
use crate::metadata::Cursor;

/// Lowest id of a filter whose name is stored in version 2 messages.
const FIRST_NAMED: u16 = 256;
/// Maximum number of filters: the bits of a chunk's filter mask.
const MAX_FILTERS: u8 = 32;

/// Parses the message.
pub(crate) fn decode(message: &mut Cursor<'_>) -> Result<Vec<Filter>> {
    let version = message.u8()?;
    let count = message.u8()?;
    match version {
        1 => message.skip(6)?,
        2 => {}
        other => return Err(message.damaged(format!("version {other}"))),
    }
    if count > MAX_FILTERS {
        return Err(message.damaged(format!("{count} filters")));
    }
    let mut filters = Vec::with_capacity(count.into());
    for _ in 0..count {
        let id = message.u16()?;
        let name_length = if version == 1 || id >= FIRST_NAMED {
            message.u16()?
        } else {
            0
        };
        let flags = message.u16()?;
        let parameter_count = message.u16()?;
        let padded_length = match version {
            1 => usize::from(name_length).next_multiple_of(8),
            _ => name_length.into(),
        };
        let name = message.bytes(padded_length)?;
        let end = name.iter().position(|byte| *byte == 0).unwrap_or(name.len());
        let name = String::from_utf8_lossy(name.get(..end).unwrap_or_default()).into_owned();
        let mut values = message.part(4 * usize::from(parameter_count))?;
        let parameters = (0..parameter_count)
            .map(|_| values.u32())
            .collect::<Result<_>>()?;
        if version == 1 && parameter_count % 2 == 1 {
            message.skip(4)?;
        }
        filters.push(Filter {
            id,
            optional: flags & 1 != 0,
            name,
            parameters,
        });
    }
    Ok(filters)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_1_pads_names_and_odd_parameters() {
        let mut message = vec![1, 2, 0, 0, 0, 0, 0, 0];
        message.extend([1, 0, 8, 0, 1, 0, 1, 0]); // deflate, name of 8 bytes, optional, one parameter
        message.extend(b"deflate\0");
        message.extend([6, 0, 0, 0, 0, 0, 0, 0]); // the parameter and its padding
        message.extend([3, 0, 0, 0, 0, 0, 0, 0]); // fletcher32 without a name
        let filters = decode(&mut Cursor::over(&message)).unwrap();
        let deflate = Filter {
            id: 1,
            optional: true,
            name: "deflate".into(),
            parameters: vec![6],
        };
        assert_eq!(filters[0], deflate);
        assert_eq!((filters[1].id, filters[1].optional), (3, false));
    }

    #[test]
    fn version_2_names_only_what_is_registered() {
        let mut message = vec![2, 2];
        message.extend([1, 0, 0, 0, 1, 0, 6, 0, 0, 0]);
        message.extend([0x33, 1, 3, 0, 0, 0, 0, 0]);
        message.extend(b"abc");
        let filters = decode(&mut Cursor::over(&message)).unwrap();
        assert_eq!((filters[0].id, filters[0].parameters.as_slice()), (1, &[6][..]));
        assert_eq!((filters[1].id, filters[1].name.as_str()), (0x133, "abc"));
        assert!(decode(&mut Cursor::over(&message[..message.len() - 1])).is_err());
        assert!(decode(&mut Cursor::over(&[2, 33])).is_err());
    }
}
