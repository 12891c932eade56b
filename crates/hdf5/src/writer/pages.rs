//! [`Pages`]: where blocks lie in a file that is managed in pages.

use std::num::NonZeroU64;
use std::ops::Range;

/// Largest address of a file, in bytes.
pub(super) const MAX_ADDRESS: u64 = 1 << 63;

/// How blocks follow each other. Without pages, there are no gaps. With pages, a block that is smaller than a page lies
/// within one, and any other begins a page and has its pages to itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Pages(Option<NonZeroU64>);

impl Pages {
    /// Pages of `size` bytes.
    pub(super) fn of(size: Option<u64>) -> Self {
        Self(size.and_then(NonZeroU64::new))
    }

    /// True if the file has pages.
    pub(super) fn are_there(self) -> bool {
        self.0.is_some()
    }

    /// Place of a block of `size` bytes in the free space from `at` on: its address, and the end of what it takes. `None` past
    /// 2^63 bytes.
    pub(super) fn place(self, at: u64, size: u64) -> Option<Range<u64>> {
        let mut place = at..at.checked_add(size)?;
        if let Some(page) = self.0.map(NonZeroU64::get) {
            let next = at.checked_next_multiple_of(page)?;
            if place.end > next {
                place = next..next.checked_add(size)?;
            }
            if size >= page {
                place.end = place.end.checked_next_multiple_of(page)?;
            }
        }
        (place.end < MAX_ADDRESS).then_some(place)
    }

    /// Like [`place`](Self::place), for the small blocks of a structure's own address space, which cannot reach the limit.
    pub(super) fn within(self, at: u64, size: u64) -> Range<u64> {
        self.place(at, size).unwrap_or(at..at.saturating_add(size))
    }

    /// End of the page in which the space up to `at` ends; `at` without pages.
    pub(super) fn end_of_page(self, at: u64) -> u64 {
        match self.0 {
            Some(page) => at.checked_next_multiple_of(page.get()).unwrap_or(at),
            None => at,
        }
    }

    /// The next place where raw data may begin behind metadata: a page, or a multiple of 8 bytes without pages.
    pub(super) fn raw_start(self, at: u64) -> u64 {
        match self.0 {
            Some(_) => self.end_of_page(at),
            None => at.next_multiple_of(8),
        }
    }

    /// Position of block `n` in a run of blocks of `size` bytes that is placed as one block.
    pub(super) fn nth(self, n: u64, size: u64) -> u64 {
        match self.0.map(NonZeroU64::get) {
            Some(page) if size >= page => n.saturating_mul(self.end_of_page(size)),
            Some(page) if size > 0 => {
                let in_page = page / size;
                (n / in_page).saturating_mul(page) + n % in_page * size
            }
            _ => n.saturating_mul(size),
        }
    }

    /// Size, in bytes, of a run of `count` blocks of `size` bytes.
    pub(super) fn run(self, count: u64, size: u64) -> u64 {
        match count.checked_sub(1) {
            None => 0,
            Some(last) => self.nth(last, size).saturating_add(size),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_pages_there_are_no_gaps() {
        let none = Pages::of(None);
        assert_eq!(none.place(48, 5_000), Some(48..5_048));
        assert_eq!((none.nth(3, 10), none.run(4, 10), none.run(0, 10)), (30, 40, 0));
        assert_eq!((none.end_of_page(7), none.place(1 << 63, 1)), (7, None));
    }

    #[test]
    fn no_small_block_crosses_and_large_ones_have_their_pages() {
        for page in [512, 513, 4096] {
            let pages = Pages::of(Some(page));
            let mut end = 48;
            for size in (0..3_000).map(|n| n * 37 % (3 * page)) {
                let place = pages.place(end, size).unwrap();
                assert!(place.start >= end);
                if size >= page {
                    assert_eq!((place.start % page, place.end % page), (0, 0));
                } else if size > 0 {
                    assert_eq!(place.end - place.start, size);
                    assert_eq!(place.start / page, (place.end - 1) / page);
                }
                end = place.end;
            }
        }
    }

    #[test]
    fn runs_are_made_of_such_blocks() {
        for (page, size) in [(4096, 512), (4096, 3136), (513, 512), (512, 4176)] {
            let pages = Pages::of(Some(page));
            let mut end = 0;
            for n in 0..50 {
                let place = pages.place(end, size).unwrap();
                assert_eq!(pages.nth(n, size), place.start);
                assert_eq!(pages.run(n + 1, size), place.start + size);
                end = place.end;
            }
        }
    }
}
