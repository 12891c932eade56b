//! Which elements of a list a walk is to give, and where they go.

/// Which elements are wanted, and where they go.
pub(super) struct Target<'o> {
    pub(super) first: u64,
    pub(super) last: u64,
    /// The first that has not been written.
    pub(super) next: u64,
    /// `None` where they are only checked.
    pub(super) out: Option<&'o mut [u8]>,
    pub(super) heap: &'o mut Vec<u8>,
    pub(super) scratch: Vec<u8>,
}

impl Target<'_> {
    /// Puts characters that begin at element `at` where they belong, as far as they are wanted.
    pub(super) fn put(&mut self, at: u64, bytes: &[u8]) {
        let Some(out) = &mut self.out else { return };
        let from = at.max(self.first);
        let to = (at + bytes.len() as u64).min(self.last);
        if from < to {
            let part = &bytes[(from - at) as usize..(to - at) as usize];
            let start = (from - self.first) as usize;
            out[start..start + part.len()].copy_from_slice(part);
        }
    }
}
