//! Mutates seeds to inputs: flips, cuts, doubles and splices bytes, and inserts numbers at the limits of types.

use crate::Seed;

/// Pseudo-random numbers (SplitMix64). The same start gives the same numbers.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// A sequence that depends on both arguments.
    pub fn new(run: u64, number: u64) -> Self {
        let mut first = Self(run);
        Self(first.next() ^ number.wrapping_mul(0xd134_2543_de82_ef95))
    }

    /// The next number.
    #[expect(clippy::should_implement_trait, reason = "it never ends")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `limit`; 0 for a limit of 0.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
}

/// Numbers at which code for lengths, counts and offsets often fails.
const EDGES: [u64; 24] = [
    0,
    1,
    2,
    3,
    7,
    8,
    16,
    31,
    32,
    64,
    127,
    128,
    255,
    256,
    512,
    32_767,
    65_535,
    65_536,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x1_0000_0000,
    0x7fff_ffff_ffff_ffff,
    u64::MAX,
];

/// Input number `number`. The first `seeds.len()` inputs are the seeds.
pub fn input(seeds: &[Seed], run: u64, number: u64) -> Vec<u8> {
    if let Some(seed) = usize::try_from(number).ok().and_then(|n| seeds.get(n)) {
        return seed.bytes.clone();
    }
    let mut random = Random::new(run, number);
    let Some(seed) = seeds.get(random.below(seeds.len())) else {
        return Vec::new();
    };
    let mut bytes = seed.bytes.clone();
    // Usually make few changes: a file that is damaged in one place is parsed furthest.
    let mut changes = 1;
    while changes < 16 && random.one_in(2) {
        changes += 1;
    }
    let mut moved = false;
    let shapes = random.one_in(4);
    for _ in 0..changes {
        if shapes && random.one_in(2) {
            let other = &seeds[random.below(seeds.len())].bytes;
            reshape(&mut bytes, other, &mut random);
            moved = true;
        } else {
            overwrite(&mut bytes, &mut random);
        }
    }
    if !moved && !random.one_in(8) {
        repair(&mut bytes, seed);
    }
    bytes
}

/// Corrects the checksums, so that a reader gets to the changed bytes.
fn repair(bytes: &mut [u8], seed: &Seed) {
    for range in &seed.checked {
        let sum = ncutils_hdf5::checksum::lookup3(&bytes[range.clone()]).to_le_bytes();
        bytes[range.end..range.end + 4].copy_from_slice(&sum);
    }
}

/// Changes bytes in place.
fn overwrite(bytes: &mut [u8], random: &mut Random) {
    if bytes.is_empty() {
        return;
    }
    // The front of a file has more structure.
    let mut at = random.below(bytes.len());
    if random.one_in(2) {
        at = random.below(at + 1);
    }
    match random.below(6) {
        0 => bytes[at] ^= 1 << random.below(8),
        1 => bytes[at] = random.next() as u8,
        2 => bytes[at] = bytes[at].wrapping_add(random.below(17) as u8).wrapping_sub(8),
        3 => {
            let from = random.below(bytes.len());
            let length = 1 + random.below(16);
            let end = (from + length).min(bytes.len()).min(from + bytes.len() - at);
            bytes.copy_within(from..end, at);
        }
        4 => {
            // Change a number in the file slightly, which gives an offset or length that is nearly right.
            let width = 1 << random.below(4);
            if let Some(field) = bytes.get_mut(at..at + width) {
                let mut word = [0; 8];
                word[..width].copy_from_slice(field);
                let moved = u64::from_le_bytes(word)
                    .wrapping_add(random.below(64) as u64)
                    .wrapping_sub(32);
                field.copy_from_slice(&moved.to_le_bytes()[..width]);
            }
        }
        _ => {
            let width = 1 << random.below(4);
            let mut edge = EDGES[random.below(EDGES.len())];
            if random.one_in(8) {
                edge = bytes.len() as u64;
            }
            edge = edge.wrapping_add(random.below(3) as u64).wrapping_sub(1);
            if let Some(field) = bytes.get_mut(at..at + width) {
                if random.one_in(2) {
                    field.copy_from_slice(&edge.to_le_bytes()[..width]);
                } else {
                    field.copy_from_slice(&edge.to_be_bytes()[8 - width..]);
                }
            }
        }
    }
}

/// Changes the length, or inserts bytes of another seed.
fn reshape(bytes: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    let at = random.below(bytes.len() + 1);
    let length = match random.below(3) {
        0 => random.below(8),
        1 => random.below(256),
        _ => random.below(bytes.len() + 1),
    };
    let end = (at + length).min(bytes.len());
    match random.below(4) {
        0 => bytes.truncate(at),
        1 => {
            bytes.drain(at..end);
        }
        2 => {
            let piece = bytes[at..end].to_vec();
            bytes.splice(at..at, piece);
        }
        _ => {
            let from = random.below(other.len() + 1);
            let to = (from + length).min(other.len());
            let replaced = if random.one_in(2) { end } else { at };
            bytes.splice(at..replaced, other[from..to].iter().copied());
        }
    }
    bytes.truncate(2 * crate::MAX_SEED_BYTES);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seeds() -> Vec<Seed> {
        vec![
            Seed::text("netCDF and HDF5"),
            Seed::text(""),
            Seed::new(vec![7; 300]),
        ]
    }

    #[test]
    fn the_same_numbers_give_the_same_input() {
        let seeds = seeds();
        for number in 0..2000 {
            assert_eq!(input(&seeds, 1, number), input(&seeds, 1, number));
        }
        assert_eq!(input(&seeds, 5, 0), seeds[0].bytes);
        assert!((10..20).any(|n| input(&seeds, 1, n) != input(&seeds, 2, n)));
    }

    #[test]
    fn checksums_are_mended_mostly() {
        let mut bytes = b"OHDR and what it holds".to_vec();
        bytes.extend(ncutils_hdf5::checksum::lookup3(&bytes).to_le_bytes());
        let seeds = [Seed::new(bytes)];
        let right = (1..1000)
            .map(|n| input(&seeds, 0, n))
            .filter(|bytes| bytes.len() == 26)
            .filter(|b| ncutils_hdf5::checksum::lookup3(&b[..22]).to_le_bytes() == b[22..])
            .count();
        assert!(right > 500, "{right}");
    }

    #[test]
    fn nothing_to_mutate_gives_an_empty_input() {
        assert!(input(&[], 0, 3).is_empty());
    }
}
