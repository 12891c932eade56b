//! [`DeflateWrapper`]: zlib and gzip, two wrappers of one deflate stream, and replacing one by the other.
//!
//! ```text
//! zlib  │ 78 9c                         │ deflate stream │ Adler-32, big-endian                    │
//! gzip  │ 1f 8b 08 00 00 00 00 00 00 ff │ deflate stream │ CRC-32, length of the content, mod 2^32 │
//! ```
//!
//! The deflate stream is copied. It is inflated for the checksums, in a buffer of a fixed size, and nothing is deflated.
//! The made headers are always the same: gzip's time is 0, and its system unknown.
//!
//! RFC 1950, RFC 1951, RFC 1952.

use std::cell::RefCell;

use flate2::{Decompress, FlushDecompress, Status};
use libdeflater::{Adler32, Crc};

use crate::Outcome;

/// The header and trailer around a deflate stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeflateWrapper {
    /// Two bytes of header, and the Adler-32 of the content.
    Zlib,
    /// A gzip file with one member.
    Gzip,
}

/// The first two bytes of a zlib stream: deflate with a window of 32 KiB (RFC 1950, 2.2).
pub(crate) const ZLIB_HEADER: [u8; 2] = [0x78, 0x9c];

/// The gzip header that is written: no flags, no time, no name, an unknown system.
pub(crate) const GZIP_HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];

/// Bytes that are inflated at once. They stay in the processor's cache for the checksums.
const PIECE: usize = 64 << 10;

thread_local! {
    static INFLATER: RefCell<Option<(Decompress, Box<[u8]>)>> = const { RefCell::new(None) };
}

impl DeflateWrapper {
    /// Number of bytes before the deflate stream; `None` if `input` does not begin with a header that can be replaced.
    pub(crate) fn header(self, input: &[u8]) -> Option<usize> {
        match self {
            Self::Zlib => {
                let [method, flags] = *input.first_chunk::<2>()?;
                // Bit 5 of the flags announces a preset dictionary. The upper bits of the method tell the window: at most 32 KiB.
                let known = method & 0x0f == 8 && method >> 4 <= 7 && flags & 0x20 == 0;
                (known && u16::from_be_bytes([method, flags]).is_multiple_of(31)).then_some(2)
            }
            Self::Gzip => gzip_header(input),
        }
    }

    /// Bytes after the deflate stream.
    fn trailer(self, sums: &Sums) -> Vec<u8> {
        match self {
            Self::Zlib => sums.adler.to_be_bytes().to_vec(),
            Self::Gzip => [sums.crc.to_le_bytes(), sums.length.to_le_bytes()].concat(),
        }
    }

    /// Puts the deflate stream of `input`, which has this wrapper, into the wrapper `to`. The content has at most `limit`
    /// bytes. `None` if `input` is not one stream with a plain header: decode it to learn what it is.
    ///
    /// # Errors
    /// A damaged stream, a checksum that does not fit the content, and more content than `limit`.
    pub(crate) fn replace(self, input: &[u8], to: Self, limit: usize) -> Outcome<Option<Vec<u8>>> {
        let Some(start) = self.header(input) else {
            return Ok(None);
        };
        let (sums, length) = inflate(&input[start..], limit)?;
        let (stream, rest) = input[start..].split_at(length);
        let trailer = self.trailer(&sums);
        match rest.strip_prefix(&trailer[..]) {
            None => return Err("damaged data: its checksum does not fit".to_owned()),
            // Another member may follow. What follows a zlib stream is ignored by all its readers.
            Some(more) if self == Self::Gzip && !more.is_empty() => return Ok(None),
            Some(_) => {}
        }
        let header: &[u8] = match to {
            Self::Zlib => &ZLIB_HEADER,
            Self::Gzip => &GZIP_HEADER,
        };
        Ok(Some([header, stream, &to.trailer(&sums)].concat()))
    }
}

/// Length of a gzip header, with its optional fields (RFC 1952, 2.3).
fn gzip_header(input: &[u8]) -> Option<usize> {
    const HAS_CHECKSUM: u8 = 2;
    const HAS_EXTRA: u8 = 4;
    const HAS_NAME: u8 = 8;
    const HAS_COMMENT: u8 = 16;
    let fixed = input.first_chunk::<10>()?;
    let flags = fixed[3];
    if fixed[..3] != GZIP_HEADER[..3] || flags & 0xe0 != 0 {
        return None;
    }
    let mut at = fixed.len();
    if flags & HAS_EXTRA != 0 {
        let length = input.get(at..)?.first_chunk::<2>()?;
        at += 2 + usize::from(u16::from_le_bytes(*length));
    }
    for text in [HAS_NAME, HAS_COMMENT] {
        if flags & text != 0 {
            at += input.get(at..)?.iter().position(|byte| *byte == 0)? + 1;
        }
    }
    if flags & HAS_CHECKSUM != 0 {
        at += 2;
    }
    (at <= input.len()).then_some(at)
}

/// Checksums and length of a stream's content.
struct Sums {
    adler: u32,
    crc: u32,
    /// Modulo 2^32.
    length: u32,
}

/// Inflates the deflate stream at the beginning of `input`. Returns the sums of its content, and its own length in bytes.
fn inflate(input: &[u8], limit: usize) -> Outcome<(Sums, usize)> {
    INFLATER.with_borrow_mut(|slot| {
        let (inflater, piece) =
            slot.get_or_insert_with(|| (Decompress::new(false), vec![0; PIECE].into_boxed_slice()));
        inflater.reset(false);
        let (mut adler, mut crc) = (Adler32::new(), Crc::new());
        loop {
            let taken = usize::try_from(inflater.total_in()).map_err(|error| error.to_string())?;
            let made = inflater.total_out();
            let status = inflater
                .decompress(&input[taken..], piece, FlushDecompress::None)
                .map_err(|_| "damaged deflate stream".to_owned())?;
            let new = (inflater.total_out() - made) as usize;
            adler.update(&piece[..new]);
            crc.update(&piece[..new]);
            if inflater.total_out() > limit as u64 {
                return Err(format!("more than the {limit} bytes expected"));
            }
            if status == Status::StreamEnd {
                let sums = Sums {
                    adler: adler.sum(),
                    crc: crc.sum(),
                    length: inflater.total_out() as u32,
                };
                return Ok((sums, inflater.total_in() as usize));
            }
            if new == 0 && inflater.total_in() == taken as u64 {
                return Err("a deflate stream without an end".to_owned());
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use DeflateWrapper::{Gzip, Zlib};
    use proptest::prelude::*;
    use std::io::Write as _;

    fn zlib(data: &[u8], level: u32) -> Vec<u8> {
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::new(level));
        encoder.write_all(data).unwrap();
        encoder.finish().unwrap()
    }

    fn read(mut decoder: impl std::io::Read) -> Vec<u8> {
        let mut data = Vec::new();
        decoder.read_to_end(&mut data).unwrap();
        data
    }

    #[test]
    fn chunks_of_zarr_python_change_into_each_other() {
        // Twelve floats, 0 to 11, by `numcodecs.zlib` and `numcodecs.gzip` of level 1.
        let body = "63600081067b20e1004440dc00c40b80f800103f006206470606012056006203470";
        let zlib = crate::test_codec::unhexed(&format!("7801{body}098a306a4"));
        let gzip = crate::test_codec::unhexed(&format!("1f8b0800afdf026b04ff{body}0787d663e30000000"));
        let made = Zlib.replace(&zlib, Gzip, 48).unwrap().unwrap();
        assert_eq!(made[..10], GZIP_HEADER);
        assert_eq!(made[10..], gzip[10..]);
        let made = Gzip.replace(&gzip, Zlib, 48).unwrap().unwrap();
        assert_eq!(made[..2], ZLIB_HEADER);
        assert_eq!(made[2..], zlib[2..]);
        assert!(Gzip.replace(&gzip, Zlib, 47).is_err());
    }

    #[test]
    fn optional_fields_of_gzip_are_left_out() {
        let plain = Zlib.replace(&zlib(b"some data", 6), Gzip, 100).unwrap().unwrap();
        let mut builder = flate2::GzBuilder::new();
        builder = builder
            .filename("name")
            .comment("comment")
            .extra(vec![1, 2, 3])
            .mtime(77);
        let mut encoder = builder.write(Vec::new(), flate2::Compression::new(6));
        encoder.write_all(b"some data").unwrap();
        let gzip = encoder.finish().unwrap();
        let made = Gzip.replace(&gzip, Zlib, 100).unwrap().unwrap();
        assert_eq!(made[2..made.len() - 4], plain[10..plain.len() - 8]);
        assert_eq!(read(flate2::read::ZlibDecoder::new(&made[..])), b"some data");
    }

    #[test]
    fn what_is_not_one_plain_stream_is_left_to_decoders() {
        let gzip = Zlib.replace(&zlib(b"some data", 6), Gzip, 100).unwrap().unwrap();
        assert_eq!(Gzip.replace(&[&gzip[..], &gzip].concat(), Zlib, 100), Ok(None));
        assert_eq!(Gzip.replace(b"other", Zlib, 100), Ok(None));
        assert_eq!(Zlib.replace(&gzip, Gzip, 100), Ok(None));
        assert_eq!(Zlib.replace(&[], Gzip, 100), Ok(None));
        // libhdf5 ignores what follows a zlib stream.
        let longer = [&zlib(b"some data", 6)[..], b"more"].concat();
        assert_eq!(Zlib.replace(&longer, Gzip, 100), Ok(Some(gzip)));
    }

    #[test]
    fn damage_is_found() {
        let stream = zlib(&[7; 100_000], 6);
        for at in 2..stream.len() {
            let mut damaged = stream.clone();
            damaged[at] ^= 0x10;
            // The last bits of the deflate stream are padding.
            if let Ok(made) = Zlib.replace(&damaged, Gzip, 100_000) {
                assert_eq!(
                    read(flate2::read::GzDecoder::new(&made.unwrap()[..])),
                    [7; 100_000]
                );
            }
            assert!(Zlib.replace(&stream[..at], Gzip, 100_000).is_err(), "{at}");
        }
        assert!(Zlib.replace(&stream, Gzip, 99_999).is_err());
    }

    proptest! {
        #[test]
        fn there_and_back(data in proptest::collection::vec(0u8..9, 0..300_000), level in 0u32..10) {
            let stream = zlib(&data, level);
            let gzip = Zlib.replace(&stream, Gzip, data.len()).unwrap().unwrap();
            prop_assert_eq!(read(flate2::read::GzDecoder::new(&gzip[..])), data.clone());
            let back = Gzip.replace(&gzip, Zlib, data.len()).unwrap().unwrap();
            prop_assert_eq!(&back[2..], &stream[2..]);
            prop_assert_eq!(read(flate2::read::ZlibDecoder::new(&back[..])), data);
        }

        #[test]
        fn garbage_never_panics(data in proptest::collection::vec(any::<u8>(), 0..300), flags in any::<u8>()) {
            let gzip = [&[0x1f, 0x8b, 8, flags, 0, 0, 0, 0, 0, 0][..], &data].concat();
            let zlib = [&[0x78, 0x9c][..], &data].concat();
            for input in [&data, &gzip, &zlib] {
                let _ = Zlib.replace(input, Gzip, 1000);
                let _ = Gzip.replace(input, Zlib, 1000);
            }
        }
    }
}
