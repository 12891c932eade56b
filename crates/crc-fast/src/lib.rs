//! The part of the crate `crc-fast` that `object_store` calls: the checksum CRC-64/NVME.
//!
//! The workspace puts it in place of the whole crate, whose tables of a hundred other checksums take 0.7 MB in each program. No request of
//! ours asks for this checksum.
#![forbid(unsafe_code)]

/// The polynomial, with its bits reversed.
const POLYNOMIAL: u64 = 0x9a6c_9329_ac4b_c9b5;

/// Names of checksums.
#[derive(Debug, Clone, Copy)]
pub enum CrcAlgorithm {
    /// CRC-64/NVME.
    Crc64Nvme,
}

/// A checksum of bytes that come in pieces.
#[derive(Debug)]
pub struct Digest(u64);

impl Digest {
    /// The checksum of no bytes.
    pub fn new(algorithm: CrcAlgorithm) -> Self {
        match algorithm {
            CrcAlgorithm::Crc64Nvme => Self(u64::MAX),
        }
    }

    /// Adds bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 ^= u64::from(*byte);
            for _ in 0..8 {
                self.0 = self.0 >> 1 ^ if self.0 & 1 == 1 { POLYNOMIAL } else { 0 };
            }
        }
    }

    /// The checksum of all bytes.
    pub fn finalize(self) -> u64 {
        !self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_value_of_the_catalogue() {
        let mut digest = Digest::new(CrcAlgorithm::Crc64Nvme);
        digest.update(b"1234");
        digest.update(b"56789");
        assert_eq!(digest.finalize(), 0xae8b_1486_0a79_9888);
    }

    /// If `object_store` asks for another version, cargo only warns, and links the whole crate beside this one.
    #[test]
    fn no_other_crate_of_this_name_is_linked() {
        let packages = include_str!("../../../Cargo.lock").split("\n\n");
        let found: Vec<&str> = packages
            .filter(|package| package.contains("name = \"crc-fast\"\n"))
            .collect();
        assert!(
            matches!(found[..], [package] if !package.contains("source = ")),
            "the version of crates/crc-fast is not the one that object_store takes:\n{}",
            found.join("\n")
        );
    }
}
