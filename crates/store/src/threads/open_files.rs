//! How many jobs can run at once, as far as open files go.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Open files of a process that no job opens: standard streams, plugins, folders.
const OTHERS: u64 = 10;

/// How many jobs can run at once, if each opens up to `files` files, within the number that the system lets a process open. At
/// least 1.
pub fn jobs_with_files(files: u64) -> usize {
    let most = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    within(most, files)
}

/// Lets the process open enough files for `jobs` jobs that open up to `files` files each, as far as the system permits.
pub fn allow_jobs_with_files(jobs: u64, files: u64) {
    let limit = getrlimit(Resource::Nofile);
    let wanted = jobs.saturating_mul(files).saturating_add(OTHERS);
    let wanted = limit.maximum.map_or(wanted, |most| most.min(wanted));
    if limit.current.is_some_and(|current| current < wanted) {
        // Without it, fewer run at once.
        let _ = setrlimit(
            Resource::Nofile,
            Rlimit {
                current: Some(wanted),
                ..limit
            },
        );
    }
}

fn within(most: u64, files: u64) -> usize {
    let jobs = most.saturating_sub(OTHERS) / files.max(1);
    usize::try_from(jobs).unwrap_or(usize::MAX).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_job_always_runs() {
        assert_eq!([5, 20, 1024].map(|most| within(most, 6)), [1, 1, 169]);
        assert_eq!(
            within(u64::MAX, 1),
            usize::try_from(u64::MAX - OTHERS).unwrap_or(usize::MAX)
        );
        assert!(jobs_with_files(1) >= 1);
    }
}
