//! The output of a walk over a list: which elements are wanted, and their destination.

/// The range of wanted elements, and the buffer for them.
pub(super) struct WantedValues<'o> {
    pub(super) first: u64,
    pub(super) last: u64,
    /// The first element not written yet.
    pub(super) next: u64,
    /// `None` if values are only checked.
    pub(super) out: Option<&'o mut [u8]>,
    pub(super) heap: &'o mut Vec<u8>,
    pub(super) scratch: Vec<u8>,
}

impl WantedValues<'_> {
    /// Writes characters that begin at element `at`, as far as they are in the wanted range.
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
