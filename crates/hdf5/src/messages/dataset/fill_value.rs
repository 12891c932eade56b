//! The Fill Value messages (specification sections IV.A.2.e and IV.A.2.f): the old one, and versions 1 to 3.

use crate::dataset::{AllocationTime, Fill, FillTime, FillValue};
use crate::error::Result;
use crate::metadata::Cursor;

/// Flag of version 3: the value is explicitly undefined.
const UNDEFINED: u8 = 1 << 4;
/// Flag of version 3: a value follows.
const DEFINED: u8 = 1 << 5;

impl FillValue {
    /// The fill value of a dataset without a message. As in libraries of that time, elements never written are
    /// undefined.
    pub(crate) fn absent(allocation_time: AllocationTime) -> Self {
        Self {
            allocation_time,
            fill_time: FillTime::IfSet,
            value: Fill::Undefined,
        }
    }

    /// Parses the message.
    pub(crate) fn decode(message: &mut Cursor<'_>) -> Result<Self> {
        let version = message.u8()?;
        let (allocation, time, value) = match version {
            1 | 2 => {
                let allocation = message.u8()?;
                let time = message.u8()?;
                let defined = message.u8()?;
                // Version 1 always has a size.
                let value = if version == 1 || defined != 0 {
                    match message.u32()? {
                        u32::MAX => Fill::Undefined,
                        0 => Fill::Default,
                        size => Fill::Defined(message.bytes(size as usize)?.to_vec()),
                    }
                } else {
                    Fill::Undefined
                };
                (allocation, time, value)
            }
            3 => {
                let flags = message.u8()?;
                let value = if flags & DEFINED != 0 {
                    match message.u32()? {
                        0 => Fill::Default,
                        size => Fill::Defined(message.bytes(size as usize)?.to_vec()),
                    }
                } else if flags & UNDEFINED != 0 {
                    Fill::Undefined
                } else {
                    Fill::Default
                };
                (flags & 3, flags >> 2 & 3, value)
            }
            other => return Err(message.damaged(format!("version {other}"))),
        };
        Ok(Self {
            allocation_time: match allocation {
                1 => AllocationTime::Early,
                // 0 is invalid but occurs in files. It makes no difference to a reader.
                0 | 2 => AllocationTime::Late,
                3 => AllocationTime::Incremental,
                other => return Err(message.damaged(format!("allocation time {other}"))),
            },
            fill_time: match time {
                0 => FillTime::Alloc,
                1 => FillTime::Never,
                2 => FillTime::IfSet,
                other => return Err(message.damaged(format!("fill time {other}"))),
            },
            value,
        })
    }

    /// Parses the old message, which has no times.
    pub(crate) fn decode_old(message: &mut Cursor<'_>, allocation_time: AllocationTime) -> Result<Self> {
        let value = match message.u32()? {
            0 => Fill::Undefined,
            size => Fill::Defined(message.bytes(size as usize)?.to_vec()),
        };
        Ok(Self {
            allocation_time,
            fill_time: FillTime::IfSet,
            value,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(bytes: &[u8]) -> Fill {
        FillValue::decode(&mut Cursor::over(bytes)).unwrap().value
    }

    #[test]
    fn version_1_has_a_size_in_any_case() {
        assert_eq!(value(&[1, 2, 2, 0, 0, 0, 0, 0]), Fill::Default);
        assert_eq!(value(&[1, 2, 2, 0, 0xff, 0xff, 0xff, 0xff]), Fill::Undefined);
        assert_eq!(value(&[1, 2, 2, 1, 2, 0, 0, 0, 7, 8]), Fill::Defined(vec![7, 8]));
    }

    #[test]
    fn versions_2_and_3() {
        assert_eq!(value(&[2, 2, 2, 0]), Fill::Undefined);
        assert_eq!(value(&[2, 2, 2, 1, 0, 0, 0, 0]), Fill::Default);
        assert_eq!(value(&[3, 0b01_10_10]), Fill::Undefined);
        assert_eq!(value(&[3, 0b00_10_10]), Fill::Default);
        assert_eq!(value(&[3, 0b10_10_10, 1, 0, 0, 0, 9]), Fill::Defined(vec![9]));
        let fill = FillValue::decode(&mut Cursor::over(&[3, 0b00_01_11])).unwrap();
        assert_eq!(
            (fill.allocation_time, fill.fill_time),
            (AllocationTime::Incremental, FillTime::Never)
        );
    }

    #[test]
    fn old_message() {
        let decode = |bytes: &[u8]| FillValue::decode_old(&mut Cursor::over(bytes), AllocationTime::Late);
        assert_eq!(decode(&[0, 0, 0, 0]).unwrap().value, Fill::Undefined);
        assert_eq!(
            decode(&[2, 0, 0, 0, 7, 8]).unwrap().value,
            Fill::Defined(vec![7, 8])
        );
        assert!(decode(&[2, 0, 0, 0x80, 7, 8]).is_err());
    }
}
