//! [`try_map`]: work on each item of a list.

use super::in_order::in_order;

/// The results of `work` for each of `items`, in their order. At most `threads` threads take runs of `run` items, one run
/// after another. What fits into one run is done by the calling thread.
///
/// # Errors
/// The error of the first item that failed. Nothing is begun after an error.
pub fn try_map<T: Sync, R: Send, E: Send>(
    threads: usize,
    run: usize,
    items: &[T],
    work: impl Fn(&T) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    let run = run.max(1);
    if threads <= 1 || items.len() <= run {
        return items.iter().map(work).collect();
    }
    let mut runs = items.chunks(run);
    let mut all = Vec::with_capacity(items.len());
    in_order(
        threads.min(runs.len()),
        u64::MAX,
        || Ok(()),
        |()| Ok(runs.next()),
        |(), run| run.iter().map(&work).collect::<Result<Vec<R>, E>>(),
        |results| {
            all.extend(results);
            Ok(())
        },
    )?;
    Ok(all)
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn one_thread_is_the_caller() {
        let own = thread::current().id();
        let items: Vec<u32> = (0..100).collect();
        let same = |_: &u32| match thread::current().id() == own {
            true => Ok(()),
            false => Err(()),
        };
        try_map(1, 1, &items, same).unwrap();
        try_map(8, 100, &items, same).unwrap();
    }

    #[test]
    fn results_and_errors_keep_the_order_of_items() {
        let items: Vec<u32> = (0..1000).collect();
        for (threads, run) in [(1, 0), (4, 1), (4, 7), (3, 1000)] {
            let doubled = try_map(threads, run, &items, |n| Ok::<_, ()>(n * 2)).unwrap();
            assert!(doubled.iter().zip(&items).all(|(twice, n)| *twice == n * 2));
            assert_eq!(doubled.len(), items.len());
            let failing = |n: &u32| match n {
                300.. => Err(*n),
                _ => Ok(()),
            };
            assert_eq!(try_map(threads, run, &items, failing), Err(300));
        }
    }
}
