//! Joins blocks that are adjacent, or nearly so, into runs that one request fetches.

/// Blocks fetched by one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BlockRun {
    /// Number of the first block.
    pub(crate) first: u64,
    /// Number of blocks.
    pub(crate) count: u64,
}

impl BlockRun {
    /// Runs that contain the blocks with these ascending numbers. Two blocks with at most `gap` others between them
    /// share a run, as long as it has at most `longest` blocks.
    pub(crate) fn join(numbers: &[u64], gap: u64, longest: u64) -> Vec<Self> {
        let mut runs: Vec<Self> = Vec::new();
        for number in numbers.iter().copied() {
            if let Some(run) = runs.last_mut() {
                let count = (number - run.first).saturating_add(1);
                if count - run.count <= gap.saturating_add(1) && count <= longest.max(1) {
                    run.count = count;
                    continue;
                }
            }
            runs.push(Self {
                first: number,
                count: 1,
            });
        }
        runs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_joined_up_to_a_length() {
        let join = |numbers: &[u64], gap, longest| -> Vec<(u64, u64)> {
            let runs = BlockRun::join(numbers, gap, longest);
            runs.into_iter().map(|run| (run.first, run.count)).collect()
        };
        assert_eq!(join(&[], 1, 9), []);
        assert_eq!(join(&[3, 4, 5, 7, 10], 1, 9), [(3, 5), (10, 1)]);
        assert_eq!(join(&[3, 4, 5, 7, 10], 0, 9), [(3, 3), (7, 1), (10, 1)]);
        assert_eq!(join(&[3, 4, 5, 7, 10], 9, 3), [(3, 3), (7, 1), (10, 1)]);
        assert_eq!(join(&[0, u64::MAX], 9, 3), [(0, 1), (u64::MAX, 1)]);
    }
}
