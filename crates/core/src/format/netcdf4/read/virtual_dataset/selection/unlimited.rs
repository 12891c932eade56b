//! Selections without an end, and how far they reach.
//!
//! A mapping between two such selections takes as many indices of the virtual dataset as the source has:
//!
//! ```text
//! source     0 1 2 3 4 5 6 7 |            8 long: every second from 1 on has 4 indices below 8
//! virtual    a . b . c . d                these 4 reach to 7
//! ```

use ncutils_hdf5::Stripe;

use super::index_tree::IndexRun;

/// Number of indices of a stripe below `length`.
pub fn indices_below(stripe: &Stripe, length: u64) -> u64 {
    let Some(room) = length.checked_sub(stripe.start) else {
        return 0;
    };
    let Some(block) = stripe.block else { return room };
    let stride = stripe.stride.max(1);
    let all = (room / stride)
        .saturating_mul(block)
        .saturating_add((room % stride).min(block));
    match stripe.count {
        Some(count) => all.min(count.saturating_mul(block)),
        None => all,
    }
}

/// The index after the last of the first `total` indices of a stripe, or 0 if there is none.
pub fn reach(stripe: &Stripe, total: u64) -> u64 {
    let Some(last) = total.checked_sub(1) else {
        return 0;
    };
    let block = stripe.block.unwrap_or(u64::MAX).max(1);
    (last / block)
        .saturating_mul(stripe.stride)
        .saturating_add(stripe.start)
        .saturating_add(last % block)
        .saturating_add(1)
}

/// The first `total` indices of a stripe.
pub fn first(stripe: &Stripe, total: u64) -> IndexRun {
    IndexRun {
        start: stripe.start,
        stride: stripe.stride.max(1),
        block: stripe.block.unwrap_or(total),
        total,
    }
}

/// All indices of a stripe with an end; `None` if they cannot be counted.
pub fn limited(stripe: &Stripe) -> Option<IndexRun> {
    let total = stripe.count?.checked_mul(stripe.block?)?;
    Some(first(stripe, total))
}

/// Run number `n` of a stripe without an end; `None` if it cannot be reached.
pub fn nth_run(stripe: &Stripe, n: u64) -> Option<IndexRun> {
    let start = n.checked_mul(stripe.stride)?.checked_add(stripe.start)?;
    start.checked_add(stripe.block?)?;
    Some(IndexRun {
        start,
        ..IndexRun::whole(stripe.block?)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stripe(start: u64, stride: u64, count: Option<u64>, block: Option<u64>) -> Stripe {
        Stripe {
            start,
            stride,
            count,
            block,
        }
    }

    #[test]
    fn lengths_and_indices_fit_each_other() {
        for (start, stride, block) in [(0, 1, 1), (1, 2, 1), (3, 5, 2), (0, 4, 4), (2, 7, 5)] {
            let endless = stripe(start, stride, None, Some(block));
            let is_in = |n: u64| n >= start && (n - start) % stride < block;
            for length in 0..40 {
                let below = indices_below(&endless, length);
                assert_eq!(below, (0..length).filter(|n| is_in(*n)).count() as u64);
                let reach = reach(&endless, below);
                assert!(reach <= length && (reach == 0 || is_in(reach - 1)));
                assert_eq!(indices_below(&endless, reach), below);
                let three = stripe(start, stride, Some(3), Some(block));
                assert_eq!(indices_below(&three, length), below.min(3 * block));
            }
        }
        let block = stripe(4, 1, Some(1), None);
        assert_eq!((indices_below(&block, 3), indices_below(&block, 10)), (0, 6));
        assert_eq!(reach(&block, 6), 10);
        assert_eq!(
            indices_below(&stripe(0, 1, None, Some(u64::MAX)), u64::MAX),
            u64::MAX
        );
    }
}
