//! The checksum of metadata (specification section "Checksum"): Bob Jenkins' lookup3 hash, `hashlittle`.

/// The hash that HDF5 stores after metadata structures, with an initial value of 0.
pub fn lookup3(bytes: &[u8]) -> u32 {
    lookup3_seeded(bytes, 0)
}

/// True if `stored` is the checksum of `bytes`. A build for fuzzing accepts any checksum, so that mutated bytes are
/// parsed.
pub(crate) fn matches(bytes: &[u8], stored: u32) -> bool {
    cfg!(fuzzing) || lookup3(bytes) == stored
}

/// `hashlittle(bytes, initial)`.
pub(crate) fn lookup3_seeded(bytes: &[u8], initial: u32) -> u32 {
    // The algorithm counts lengths modulo 2^32.
    let start = 0xdead_beef_u32
        .wrapping_add(bytes.len() as u32)
        .wrapping_add(initial);
    let [mut a, mut b, mut c] = [start; 3];
    // The last block is mixed differently, even if it is full.
    let full_blocks = bytes.len().saturating_sub(1) / 12;
    let (blocks, tail) = bytes.split_at_checked(full_blocks * 12).unwrap_or((bytes, &[]));
    for block in blocks.chunks_exact(12) {
        let [x, y, z] = words(block);
        a = a.wrapping_add(x);
        b = b.wrapping_add(y);
        c = c.wrapping_add(z);
        mix(&mut a, &mut b, &mut c);
    }
    if tail.is_empty() {
        return c;
    }
    let [x, y, z] = words(tail);
    a = a.wrapping_add(x);
    b = b.wrapping_add(y);
    c = c.wrapping_add(z);
    finish(&mut a, &mut b, &mut c);
    c
}

/// Up to 12 bytes as three little-endian words, padded with zeros.
fn words(block: &[u8]) -> [u32; 3] {
    let mut words = [0u32; 3];
    for (word, bytes) in words.iter_mut().zip(block.chunks(4)) {
        *word = bytes.iter().rev().fold(0, |w, byte| w << 8 | u32::from(*byte));
    }
    words
}

fn mix(a: &mut u32, b: &mut u32, c: &mut u32) {
    *a = a.wrapping_sub(*c) ^ c.rotate_left(4);
    *c = c.wrapping_add(*b);
    *b = b.wrapping_sub(*a) ^ a.rotate_left(6);
    *a = a.wrapping_add(*c);
    *c = c.wrapping_sub(*b) ^ b.rotate_left(8);
    *b = b.wrapping_add(*a);
    *a = a.wrapping_sub(*c) ^ c.rotate_left(16);
    *c = c.wrapping_add(*b);
    *b = b.wrapping_sub(*a) ^ a.rotate_left(19);
    *a = a.wrapping_add(*c);
    *c = c.wrapping_sub(*b) ^ b.rotate_left(4);
    *b = b.wrapping_add(*a);
}

fn finish(a: &mut u32, b: &mut u32, c: &mut u32) {
    *c = (*c ^ *b).wrapping_sub(b.rotate_left(14));
    *a = (*a ^ *c).wrapping_sub(c.rotate_left(11));
    *b = (*b ^ *a).wrapping_sub(a.rotate_left(25));
    *c = (*c ^ *b).wrapping_sub(b.rotate_left(16));
    *a = (*a ^ *c).wrapping_sub(c.rotate_left(4));
    *b = (*b ^ *a).wrapping_sub(a.rotate_left(14));
    *c = (*c ^ *b).wrapping_sub(b.rotate_left(24));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values that the algorithm's author gives in his test driver.
    #[test]
    fn agrees_with_the_published_values() {
        assert_eq!(lookup3(b""), 0xdead_beef);
        assert_eq!(lookup3_seeded(b"", 0xdead_beef), 0xbd5b_7dde);
        let text = b"Four score and seven years ago";
        assert_eq!(lookup3(text), 0x1777_0551);
        assert_eq!(lookup3_seeded(text, 1), 0xcd62_8161);
    }
}
