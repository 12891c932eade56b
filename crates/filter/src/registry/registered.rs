//! The names of filters that are registered with HDF5, for messages about filters that are not built in.
//!
//! The list is The HDF Group's "Registered Filter Plugins".

/// Registered filters, by ascending id.
const REGISTERED: &[(u32, &str)] = &[
    (1, "deflate"),
    (2, "shuffle"),
    (3, "fletcher32"),
    (4, "szip"),
    (5, "nbit"),
    (6, "scaleoffset"),
    (257, "hzip"),
    (258, "fpzip"),
    (305, "LZO"),
    (307, "bzip2"),
    (32000, "LZF"),
    (32001, "Blosc"),
    (32002, "MAFISC"),
    (32003, "Snappy"),
    (32004, "LZ4"),
    (32005, "APAX"),
    (32006, "CBF"),
    (32007, "JPEG-XR"),
    (32008, "bitshuffle"),
    (32009, "SPDP"),
    (32010, "LPC-Rice"),
    (32011, "CCSDS-123"),
    (32012, "JPEG-LS"),
    (32013, "zfp"),
    (32014, "fpzip"),
    (32015, "Zstandard"),
    (32016, "B³D"),
    (32017, "SZ"),
    (32018, "FCIDECOMP"),
    (32019, "JPEG"),
    (32020, "VBZ"),
    (32021, "FAPEC"),
    (32022, "BitGroom"),
    (32023, "Granular BitRound"),
    (32024, "SZ3"),
    (32025, "Delta-Rice"),
    (32026, "Blosc2"),
    (32027, "FLAC"),
    (32028, "SPERR"),
    (32029, "TERSE/PROLIX"),
    (32030, "FFMPEG"),
    (32033, "HTJ2K"),
];

/// Registered filters that may change values, by ascending id: compressors of images and of floats with an error bound.
const LOSSY: &[u32] = &[
    258, 32005, 32007, 32012, 32014, 32017, 32018, 32019, 32021, 32024, 32028, 32030, 32033,
];

/// True if filter `id` is registered with HDF5 as one that may change values, and is not built in.
pub fn is_registered_as_lossy(id: u32) -> bool {
    LOSSY.binary_search(&id).is_ok()
}

/// The name under which filter `id` is registered with HDF5.
pub fn registered_name(id: u32) -> Option<&'static str> {
    let at = REGISTERED.binary_search_by_key(&id, |(id, _)| *id).ok()?;
    Some(REGISTERED[at].1)
}

/// The id of the filter that is registered under this name. Case, spaces and punctuation do not matter: lists write
/// `n-bit` and `scale-offset`.
pub(crate) fn registered_id(name: &str) -> Option<u32> {
    let mut found = REGISTERED.iter().filter(|(_, own)| is_same_name(own, name));
    found.next().map(|(id, _)| *id)
}

/// True for names with the same letters and digits, whatever their case.
fn is_same_name(a: &str, b: &str) -> bool {
    let letters = |name: &str| {
        let kept: String = name.chars().filter(|c| c.is_alphanumeric()).collect();
        kept.to_lowercase()
    };
    letters(a) == letters(b)
}

/// The registered names.
pub(crate) fn registered_names() -> impl Iterator<Item = &'static str> {
    REGISTERED.iter().map(|(_, name)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Registry, UNKNOWN_ID};

    #[test]
    fn ids_ascend_and_have_the_builtin_ones() {
        assert!(REGISTERED.is_sorted_by(|(a, _), (b, _)| a < b));
        for codec in Registry::builtin().iter() {
            let id = codec.hdf5_id();
            assert!(
                id.is_none_or(|id| registered_name(id).is_some()),
                "{}",
                codec.name()
            );
        }
        assert_eq!(registered_name(32013), Some("zfp"));
        assert_eq!(registered_name(UNKNOWN_ID), None);
    }
}
