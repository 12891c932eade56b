//! Moving hyper-rectangles of fixed-size elements between row-major buffers.
//!
//! A copy is a list of [`Axis`], one loop each: the number of steps, and the distance of a step in either
//! buffer. Axes without a gap between them in both buffers are merged, so the innermost loop moves the
//! longest runs. Long runs are moved with `memcpy`, short ones (as in a transposition) with loops over
//! numbers of a fixed size.

use super::byte_count;
use crate::error::{Error, Result};

/// One loop of a strided copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Axis {
    /// Number of steps.
    pub count: usize,
    /// Bytes from one step to the next in the source.
    pub src: usize,
    /// Bytes from one step to the next in the destination.
    pub dst: usize,
}

/// Copies a box of elements between two row-major buffers. The box has `count` elements in each dimension. It
/// starts at `src_start` in the source of shape `src_shape`, and at `dst_start` in the destination of shape
/// `dst_shape`. If `swap` is above 1, the bytes of every group of `swap` bytes are reversed; `swap` divides
/// the element size.
///
/// # Errors
/// If the ranks differ, or a buffer or shape does not hold the box.
pub fn copy_region(
    src: &[u8],
    src_shape: &[u64],
    src_start: &[u64],
    dst: &mut [u8],
    dst_shape: &[u64],
    dst_start: &[u64],
    count: &[u64],
    element_size: usize,
    swap: usize,
) -> Result<()> {
    let outside = || Error::Damaged("a region reaches outside its chunk".into());
    let fits = |shape: &[u64], start: &[u64], len: usize| {
        shape.len() == count.len()
            && start.len() == count.len()
            && start
                .iter()
                .zip(count)
                .zip(shape)
                .all(|((s, n), d)| s.checked_add(*n).is_some_and(|end| end <= *d))
            && byte_count(shape, element_size).is_some_and(|bytes| bytes <= len)
    };
    if !fits(src_shape, src_start, src.len()) || !fits(dst_shape, dst_start, dst.len()) {
        return Err(outside());
    }
    if count.contains(&0) || element_size == 0 {
        return Ok(());
    }
    // Shapes fit into memory, so no stride, start or count below overflows.
    let mut axes = Vec::with_capacity(count.len());
    let (mut src_at, mut dst_at) = (0usize, 0usize);
    let (mut src_stride, mut dst_stride) = (element_size, element_size);
    for d in (0..count.len()).rev() {
        src_at += src_start[d] as usize * src_stride;
        dst_at += dst_start[d] as usize * dst_stride;
        axes.push(Axis {
            count: count[d] as usize,
            src: src_stride,
            dst: dst_stride,
        });
        src_stride *= src_shape[d] as usize;
        dst_stride *= dst_shape[d] as usize;
    }
    axes.reverse();
    copy_strided(src, src_at, dst, dst_at, &mut axes, element_size, swap)
}

/// Copies runs of `run` bytes, from `src_at` to `dst_at` and along `axes`, outermost first. `axes` is
/// changed. If `swap` is above 1, the bytes of every group of `swap` bytes are reversed; `swap` divides
/// `run`.
///
/// # Errors
/// If the copy would reach outside a buffer, or runs overlap.
pub fn copy_strided(
    src: &[u8],
    src_at: usize,
    dst: &mut [u8],
    dst_at: usize,
    axes: &mut Vec<Axis>,
    run: usize,
    swap: usize,
) -> Result<()> {
    if run == 0 || axes.iter().any(|a| a.count == 0) {
        return Ok(());
    }
    let end = |at: usize, stride: fn(&Axis) -> usize| {
        axes.iter().try_fold(at.checked_add(run)?, |end, a| {
            end.checked_add((a.count - 1).checked_mul(stride(a))?)
        })
    };
    let apart = axes
        .iter()
        .all(|a| a.count == 1 || (a.src >= run && a.dst >= run));
    let inside = apart
        && end(src_at, |a| a.src).is_some_and(|e| e <= src.len())
        && end(dst_at, |a| a.dst).is_some_and(|e| e <= dst.len());
    if !inside {
        return Err(Error::Damaged("a region reaches outside its chunk".into()));
    }
    if swap > 1 && !run.is_multiple_of(swap) {
        return Err(Error::Damaged(format!(
            "numbers of {swap} bytes in elements of {run}"
        )));
    }
    let run = merge(axes, run);
    match swap {
        0 | 1 => match run {
            1 => walk(src, src_at, dst, dst_at, axes, run, &line::<1>),
            2 => walk(src, src_at, dst, dst_at, axes, run, &line::<2>),
            4 => walk(src, src_at, dst, dst_at, axes, run, &line::<4>),
            8 => walk(src, src_at, dst, dst_at, axes, run, &line::<8>),
            16 => walk(src, src_at, dst, dst_at, axes, run, &line::<16>),
            _ => walk(src, src_at, dst, dst_at, axes, run, &line_of_runs),
        },
        _ => walk(
            src,
            src_at,
            dst,
            dst_at,
            axes,
            run,
            &|s: &[u8], d: &mut [u8], axis, run| {
                for (s, d) in s.chunks(axis.src.max(run)).zip(d.chunks_mut(axis.dst.max(run))) {
                    swap_into(&s[..run], &mut d[..run], swap);
                }
            },
        ),
    }
    Ok(())
}

/// Drops axes of one step and merges axes without a gap between them in both buffers. Returns the new run
/// length, in bytes.
fn merge(axes: &mut Vec<Axis>, run: usize) -> usize {
    axes.retain(|a| a.count > 1);
    let mut run = run;
    while let Some(a) = axes.last() {
        if a.src != run || a.dst != run {
            break;
        }
        run *= a.count;
        axes.pop();
    }
    let mut kept = 0usize;
    for i in 0..axes.len() {
        let inner = axes[i];
        match kept.checked_sub(1).map(|k| &mut axes[k]) {
            Some(outer) if outer.src == inner.src * inner.count && outer.dst == inner.dst * inner.count => {
                *outer = Axis {
                    count: outer.count * inner.count,
                    ..inner
                };
            }
            _ => {
                axes[kept] = inner;
                kept += 1;
            }
        }
    }
    axes.truncate(kept);
    run
}

/// Steps through all axes except the innermost, which `line` copies.
fn walk(
    src: &[u8],
    mut src_at: usize,
    dst: &mut [u8],
    mut dst_at: usize,
    axes: &[Axis],
    run: usize,
    line: &dyn Fn(&[u8], &mut [u8], Axis, usize),
) {
    const ONCE: Axis = Axis {
        count: 1,
        src: 0,
        dst: 0,
    };
    let (inner, outer) = match axes.split_last() {
        Some((inner, outer)) => (*inner, outer),
        None => (ONCE, axes),
    };
    let src_len = (inner.count - 1) * inner.src + run;
    let dst_len = (inner.count - 1) * inner.dst + run;
    let mut steps = vec![0usize; outer.len()];
    loop {
        line(
            &src[src_at..src_at + src_len],
            &mut dst[dst_at..dst_at + dst_len],
            inner,
            run,
        );
        let mut done = true;
        for (step, axis) in steps.iter_mut().zip(outer).rev() {
            *step += 1;
            if *step < axis.count {
                src_at += axis.src;
                dst_at += axis.dst;
                done = false;
                break;
            }
            src_at -= (axis.count - 1) * axis.src;
            dst_at -= (axis.count - 1) * axis.dst;
            *step = 0;
        }
        if done {
            return;
        }
    }
}

/// Copies runs of `N` bytes, a size known at compile time.
fn line<const N: usize>(src: &[u8], dst: &mut [u8], axis: Axis, _run: usize) {
    if axis.dst == N {
        for (s, d) in src.chunks(axis.src).zip(dst.chunks_exact_mut(N)) {
            d.copy_from_slice(&s[..N]);
        }
    } else if axis.src == N {
        for (s, d) in src.chunks_exact(N).zip(dst.chunks_mut(axis.dst)) {
            d[..N].copy_from_slice(s);
        }
    } else {
        for (s, d) in src.chunks(axis.src.max(N)).zip(dst.chunks_mut(axis.dst.max(N))) {
            d[..N].copy_from_slice(&s[..N]);
        }
    }
}

/// Copies runs of any length.
fn line_of_runs(src: &[u8], dst: &mut [u8], axis: Axis, run: usize) {
    for (s, d) in src
        .chunks(axis.src.max(run))
        .zip(dst.chunks_mut(axis.dst.max(run)))
    {
        d[..run].copy_from_slice(&s[..run]);
    }
}

/// Copies `src` to `dst`, which have the same length, and reverses every group of `unit` bytes.
fn swap_into(src: &[u8], dst: &mut [u8], unit: usize) {
    match unit {
        2 => swap_numbers::<2>(src, dst),
        4 => swap_numbers::<4>(src, dst),
        8 => swap_numbers::<8>(src, dst),
        _ => {
            for (s, d) in src.chunks_exact(unit).zip(dst.chunks_exact_mut(unit)) {
                d.copy_from_slice(s);
                d.reverse();
            }
        }
    }
}

fn swap_numbers<const N: usize>(src: &[u8], dst: &mut [u8]) {
    for (s, d) in src.as_chunks::<N>().0.iter().zip(dst.as_chunks_mut::<N>().0) {
        *d = *s;
        d.reverse();
    }
}

/// Reverses every group of `unit` bytes in place; does nothing for units below 2.
pub fn swap_units(buf: &mut [u8], unit: usize) {
    fn swap<const N: usize>(buf: &mut [u8]) {
        for number in buf.as_chunks_mut::<N>().0 {
            number.reverse();
        }
    }
    match unit {
        0 | 1 => {}
        2 => swap::<2>(buf),
        4 => swap::<4>(buf),
        8 => swap::<8>(buf),
        _ => buf.chunks_exact_mut(unit).for_each(<[u8]>::reverse),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// One element at a time, by its coordinates.
    fn naive(
        src: &[u8],
        src_shape: &[u64],
        src_start: &[u64],
        dst: &mut [u8],
        dst_shape: &[u64],
        dst_start: &[u64],
        count: &[u64],
        size: usize,
        swap: usize,
    ) {
        let total: u64 = count.iter().product();
        for n in 0..total {
            let mut rest = n;
            let mut at = vec![0; count.len()];
            for d in (0..count.len()).rev() {
                at[d] = rest % count[d];
                rest /= count[d];
            }
            let offset = |shape: &[u64], start: &[u64]| {
                (0..count.len()).fold(0, |o, d| o * shape[d] + start[d] + at[d]) as usize * size
            };
            let (s, t) = (offset(src_shape, src_start), offset(dst_shape, dst_start));
            let mut element = src[s..s + size].to_vec();
            if swap > 1 {
                element.chunks_mut(swap).for_each(<[u8]>::reverse);
            }
            dst[t..t + size].copy_from_slice(&element);
        }
    }

    #[test]
    fn what_reaches_outside_is_refused() {
        let mut dst = [0; 4];
        assert!(copy_region(&[0; 4], &[4], &[3], &mut dst, &[4], &[0], &[2], 1, 1).is_err());
        assert!(copy_region(&[0; 3], &[4], &[0], &mut dst, &[4], &[0], &[2], 1, 1).is_err());
        assert!(copy_region(&[0; 4], &[4], &[0], &mut dst, &[4], &[0], &[2, 1], 1, 1).is_err());
        assert!(copy_region(&[0; 4], &[u64::MAX], &[0], &mut dst, &[4], &[0], &[1], 8, 1).is_err());
        assert!(copy_region(&[7; 4], &[], &[], &mut dst, &[], &[], &[], 4, 4).is_ok());
        assert_eq!(dst, [7; 4]);
    }

    #[test]
    fn whole_rows_become_one_run() {
        let mut axes = vec![
            Axis {
                count: 3,
                src: 40,
                dst: 40,
            },
            Axis {
                count: 10,
                src: 4,
                dst: 4,
            },
        ];
        assert_eq!(merge(&mut axes, 4), 120);
        assert!(axes.is_empty());
        let mut axes = vec![
            Axis {
                count: 5,
                src: 400,
                dst: 120,
            },
            Axis {
                count: 3,
                src: 40,
                dst: 12,
            },
            Axis {
                count: 1,
                src: 8,
                dst: 8,
            },
        ];
        assert_eq!(merge(&mut axes, 4), 4);
        assert_eq!(axes.len(), 2);
    }

    proptest! {
        #[test]
        fn copies_as_one_element_at_a_time(
            dims in proptest::collection::vec((1u64..5, 0u64..3, 0u64..3, 0u64..3, 0u64..3), 0..5),
            size in proptest::sample::select(vec![(1usize, 1usize), (2, 1), (2, 2), (3, 1), (4, 4), (4, 1), (8, 8), (8, 4), (6, 3), (12, 4), (16, 1)]),
        ) {
            let (size, swap) = size;
            let count: Vec<u64> = dims.iter().map(|d| d.0).collect();
            let src_start: Vec<u64> = dims.iter().map(|d| d.1).collect();
            let dst_start: Vec<u64> = dims.iter().map(|d| d.2).collect();
            let src_shape: Vec<u64> = dims.iter().map(|d| d.0 + d.1 + d.3).collect();
            let dst_shape: Vec<u64> = dims.iter().map(|d| d.0 + d.2 + d.4).collect();
            let src: Vec<u8> = (0..byte_count(&src_shape, size).unwrap()).map(|i| (i * 7 + i / 251) as u8).collect();
            let mut dst = vec![0xAA; byte_count(&dst_shape, size).unwrap()];
            let mut expected = dst.clone();
            copy_region(&src, &src_shape, &src_start, &mut dst, &dst_shape, &dst_start, &count, size, swap).unwrap();
            naive(&src, &src_shape, &src_start, &mut expected, &dst_shape, &dst_start, &count, size, swap);
            prop_assert_eq!(dst, expected);
        }

        #[test]
        fn swapping_twice_changes_nothing(bytes in proptest::collection::vec(any::<u8>(), 0..64), unit in 0usize..9) {
            let mut buf = bytes.clone();
            swap_units(&mut buf, unit);
            swap_units(&mut buf, unit);
            prop_assert_eq!(buf, bytes);
        }
    }
}
