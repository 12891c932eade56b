//! Raw data of a variable in files of its own.

/// A part of a file that holds raw data of a variable. The bytes of all parts, one after another, are the variable's elements in
/// C order.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ExternalPart {
    /// Name of the file, relative to the folder of the dataset.
    pub file: String,
    /// Position of the first byte in the file.
    pub offset: u64,
    /// Size in bytes; `None` if the part has no end, which only the last can be.
    pub size: Option<u64>,
}

impl ExternalPart {
    /// The bytes that each of these parts holds of data of `bytes` bytes.
    pub fn filled(parts: &[Self], bytes: u64) -> impl Iterator<Item = (&Self, u64)> {
        let mut left = bytes;
        parts.iter().map(move |part| {
            let held = part.size.unwrap_or(u64::MAX).min(left);
            left -= held;
            (part, held)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_filled_in_order() {
        let part = |size| ExternalPart {
            file: "f".to_owned(),
            offset: 0,
            size,
        };
        let held = |sizes: &[Option<u64>], bytes| -> Vec<u64> {
            let parts: Vec<_> = sizes.iter().copied().map(part).collect();
            ExternalPart::filled(&parts, bytes)
                .map(|(_, held)| held)
                .collect()
        };
        assert_eq!(held(&[Some(4), Some(4), None], 10), [4, 4, 2]);
        assert_eq!(held(&[Some(4), Some(9), None], 10), [4, 6, 0]);
        assert_eq!(held(&[None], u64::MAX), [u64::MAX]);
    }
}
