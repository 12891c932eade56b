//! Ids of files: 12 bytes, in file names as Crockford's base32. Ids of nodes: 8 bytes.

use std::fmt;

use sha2::{Digest, Sha256};

/// The digits, in which I, L, O and U are not.
const DIGITS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// The id of a snapshot, a manifest, a chunk or a copy of `repo`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ObjectId(pub [u8; 12]);

/// The id of a group or an array.
pub type NodeId = [u8; 8];

/// The snapshot that every repository begins with.
pub const FIRST_SNAPSHOT: ObjectId = ObjectId([
    0x0b, 0x1c, 0xc8, 0xd6, 0x78, 0x75, 0x80, 0xf0, 0xe3, 0x3a, 0x65, 0x34,
]);

/// The first bytes of a hash of something. Other writers take random ones.
pub fn id_of<const N: usize>(what: &str, content: &[u8]) -> [u8; N] {
    let digest = Sha256::new()
        .chain_update(what)
        .chain_update([0])
        .chain_update(content)
        .finalize();
    std::array::from_fn(|n| digest[n])
}

impl ObjectId {
    /// The id that a file's name is.
    pub fn parse(name: &str) -> Option<Self> {
        if name.len() != 20 {
            return None;
        }
        let mut number = 0u128;
        for byte in name.bytes() {
            let digit = DIGITS
                .iter()
                .position(|digit| *digit == byte.to_ascii_uppercase())?;
            number = number << 5 | digit as u128;
        }
        // 20 digits have 100 bits, of which the last four are no part of the id.
        let bytes = (number >> 4).to_be_bytes();
        let id = bytes.last_chunk().copied().map(Self)?;
        (number & 15 == 0).then_some(id)
    }
}

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut all = [0; 16];
        all[4..].copy_from_slice(&self.0);
        let number = u128::from_be_bytes(all) << 4;
        for place in (0..20).rev() {
            let digit = DIGITS[(number >> (5 * place) & 31) as usize];
            write!(f, "{}", char::from(digit))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_names_and_back() {
        // The id of the first snapshot of each repository.
        let id = ObjectId([
            0x0b, 0x1c, 0xc8, 0xd6, 0x78, 0x75, 0x80, 0xf0, 0xe3, 0x3a, 0x65, 0x34,
        ]);
        assert_eq!(id.to_string(), "1CECHNKREP0F1RSTCMT0");
        for name in [
            "1CECHNKREP0F1RSTCMT0",
            "4E960QAHD14NVWWSRZ7G",
            "00000000000000000000",
        ] {
            assert_eq!(ObjectId::parse(name).unwrap().to_string(), name);
        }
        for name in [
            "",
            "1CECHNKREP0F1RSTCMT",
            "1CECHNKREP0F1RSTCMT1",
            "1CECHNKREP0F1RSTCMU0",
            "1CECHNKREP0F1RSTCM/0",
        ] {
            assert_eq!(ObjectId::parse(name), None, "{name}");
        }
    }
}
