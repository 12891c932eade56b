//! Chosen cells of a dimension.

use crate::chunk::Region;

/// Most cells of a list that cannot be written as few runs. A list takes 8 bytes a cell.
const MOST_LISTED: u64 = 1 << 26;

/// Cells at a constant distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CellRun {
    /// Index of the first cell in the dimension.
    pub start: u64,
    /// Distance from one cell to the next; at least 1.
    pub step: u64,
    /// Number of cells.
    pub count: u64,
    /// Index of the first cell among the chosen ones.
    pub at: u64,
}

impl CellRun {
    /// `count` cells from `start` on, every `step`th. Its place is set when it becomes part of [`Cells`].
    pub fn new(start: u64, step: u64, count: u64) -> Self {
        // The step of a single cell says nothing.
        let step = if count < 2 { 1 } else { step };
        Self {
            start,
            step,
            count,
            at: 0,
        }
    }

    /// Index of the last cell, which exists.
    fn last(&self) -> u64 {
        self.start + (self.count - 1) * self.step
    }

    fn indices(self) -> impl Iterator<Item = u64> {
        (0..self.count).map(move |n| self.start + n * self.step)
    }
}

/// The chosen cells of a dimension, in their new order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cells {
    runs: Vec<CellRun>,
    length: u64,
}

impl Cells {
    /// The runs, one after another.
    fn joined(runs: impl IntoIterator<Item = CellRun>) -> Self {
        let mut cells = Self::default();
        for run in runs {
            if run.count > 0 {
                cells.runs.push(CellRun {
                    at: cells.length,
                    ..run
                });
                cells.length += run.count;
            }
        }
        cells
    }

    /// The cells of all runs in the order of the dimension, each once.
    ///
    /// # Errors
    /// A text that says what to ask for instead, if the cells must be listed and are too many.
    pub fn union(mut runs: Vec<CellRun>) -> Result<Self, String> {
        runs.retain(|run| run.count > 0);
        runs.sort_by_key(|run| (run.start, run.last()));
        let mut joined: Vec<CellRun> = Vec::with_capacity(runs.len());
        let mut apart = true;
        for run in &runs {
            match joined.last_mut() {
                // ExternalFiles and overlapping runs without steps are one run.
                Some(before) if run.step == 1 && before.step == 1 && run.start <= before.last() + 1 => {
                    before.count = before.last().max(run.last()) - before.start + 1;
                }
                before => {
                    apart &= before.is_none_or(|before| before.last() < run.start);
                    joined.push(*run);
                }
            }
        }
        if apart {
            return Ok(Self::joined(joined));
        }
        let count = joined.iter().fold(0u64, |n, run| n.saturating_add(run.count));
        if count > MOST_LISTED {
            return Err(format!(
                "ranges with steps overlap in more than {MOST_LISTED} cells; give ranges that do not overlap"
            ));
        }
        let mut all: Vec<u64> = joined.into_iter().flat_map(CellRun::indices).collect();
        all.sort_unstable();
        all.dedup();
        Ok(Self::listed(&all))
    }

    /// All cells of a dimension of `length` cells.
    pub fn whole(length: u64) -> Self {
        Self::joined([CellRun::new(0, 1, length)])
    }

    /// The cells that lie below `extent`.
    pub fn below(&self, extent: u64) -> Self {
        Self::joined(self.runs.iter().map(|run| {
            let below = extent.saturating_sub(run.start).div_ceil(run.step);
            CellRun::new(run.start, run.step, below.min(run.count))
        }))
    }

    /// The cells with these indices, in this order.
    pub fn listed(indices: &[u64]) -> Self {
        let mut runs = Vec::new();
        let mut rest = indices;
        while let [first, after @ ..] = rest {
            let step = after.first().and_then(|next| next.checked_sub(*first));
            let step = step.filter(|step| *step > 0).unwrap_or(1);
            let steps = after
                .iter()
                .zip(rest)
                .take_while(|(next, at)| next.checked_sub(**at) == Some(step))
                .count();
            // Two cells apart may be the end of one run and the start of another.
            let count = if step > 1 && steps == 1 { 1 } else { steps + 1 };
            runs.push(CellRun::new(*first, step, count as u64));
            rest = &rest[count..];
        }
        Self::joined(runs)
    }

    /// Number of cells.
    pub fn len(&self) -> u64 {
        self.length
    }

    /// True if no cell was chosen.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The runs, in the new order.
    pub fn runs(&self) -> &[CellRun] {
        &self.runs
    }

    /// True if any of the `count` cells of the dimension from `start` on is chosen.
    pub fn meet(&self, start: u64, count: u64) -> bool {
        let end = start.saturating_add(count);
        self.runs.iter().any(|run| {
            // The first cell of the run at or after `start`.
            let skipped = start.saturating_sub(run.start).div_ceil(run.step);
            skipped < run.count && run.start + skipped * run.step < end
        })
    }

    /// Indices in the dimension of `count` chosen cells from the `first` on. Both lie within [`Cells::len`].
    pub fn indices(&self, first: u64, count: u64) -> Vec<u64> {
        let end = first.saturating_add(count).min(self.length);
        let from = self.runs.partition_point(|run| run.at + run.count <= first);
        let mut out = Vec::new();
        for run in &self.runs[from..] {
            if run.at >= end {
                break;
            }
            let (a, b) = (first.max(run.at) - run.at, (end - run.at).min(run.count));
            out.extend((a..b).map(|n| run.start + n * run.step));
        }
        out
    }

    /// Number of chosen cells up to the last one that lies below `extent`: the length of a variable whose own length
    /// is `extent`.
    pub fn within(&self, extent: u64) -> u64 {
        let reach = |run: &CellRun| {
            let below = extent.saturating_sub(run.start).div_ceil(run.step).min(run.count);
            if below == 0 { 0 } else { run.at + below }
        };
        self.runs.iter().map(reach).max().unwrap_or(0)
    }
}

/// The indices along one dimension that a region takes, where some dimensions are cut.
pub fn indices_of(cells: Option<&Cells>, region: &Region, d: usize) -> Vec<u64> {
    let (first, count) = (region.start[d], region.count[d]);
    match cells {
        Some(cells) => cells.indices(first, count),
        None => (first..first + count).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all(cells: &Cells) -> Vec<u64> {
        cells.indices(0, cells.len())
    }

    #[test]
    fn ranges_meet_the_cells_that_they_hold() {
        let cells = Cells::union(vec![CellRun::new(3, 4, 3), CellRun::new(20, 1, 2)]).unwrap();
        let chosen = all(&cells);
        assert_eq!(chosen, [3, 7, 11, 20, 21]);
        for start in 0..25 {
            for count in 0..8 {
                let expected = chosen.iter().any(|n| (start..start + count).contains(n));
                assert_eq!(cells.meet(start, count), expected, "{start} {count}");
            }
        }
    }

    #[test]
    fn lists_become_few_runs() {
        let runs = |list: &[u64]| {
            let cells = Cells::listed(list);
            assert_eq!(all(&cells), list);
            let runs = cells.runs().iter();
            runs.map(|run| (run.start, run.step, run.count))
                .collect::<Vec<_>>()
        };
        assert_eq!(runs(&[]), []);
        assert_eq!(runs(&[3, 4, 5]), [(3, 1, 3)]);
        assert_eq!(runs(&[0, 10, 20, 30]), [(0, 10, 4)]);
        assert_eq!(runs(&[0, 5, 6, 7]), [(0, 1, 1), (5, 1, 3)]);
        assert_eq!(runs(&[8, 9, 0, 1]), [(8, 1, 2), (0, 1, 2)]);
        assert_eq!(runs(&[5, 4, 4]), [(5, 1, 1), (4, 1, 1), (4, 1, 1)]);
    }

    #[test]
    fn huge_ranges_stay_runs() {
        let end = u64::MAX;
        let cells = Cells::union(vec![CellRun::new(0, 1, end), CellRun::new(5, 1, 7)]).unwrap();
        assert_eq!((cells.runs().len(), cells.len()), (1, end));
        let cells = Cells::union(vec![CellRun::new(0, 2, 1 << 60), CellRun::new(1, 2, 1 << 60)]);
        assert!(cells.unwrap_err().contains("overlap"));
    }

    proptest! {
        #[test]
        fn a_list_keeps_its_order(list in proptest::collection::vec(0u64..20, 0..30), first in 0u64..30, count in 0u64..30, extent in 0u64..22) {
            let cells = Cells::listed(&list);
            prop_assert_eq!(&all(&cells), &list);
            let (from, to) = (list.len().min(first as usize), list.len().min((first + count) as usize));
            prop_assert_eq!(cells.indices(first, count), &list[from..to]);
            let last = list.iter().rposition(|n| *n < extent).map_or(0, |n| n as u64 + 1);
            prop_assert_eq!(cells.within(extent), last);
        }
    }
}
