//! Transforms that decorrelate a block: along each dimension, each line of four numbers is lifted.
//!
//! zfp 1.0, "Algorithm", step 4; "Reversible mode".

use crate::integer::Integer;

/// The transform of the modes with loss. It is nearly orthogonal, and rounds.
pub fn forward<I: Integer>(block: &mut [I]) {
    each_dimension(block, |[x, y, z, w]| {
        // Half sums and differences of pairs.
        let (x, w) = halved(x, w);
        let (z, y) = halved(z, y);
        let (x, z) = halved(x, z);
        let (w, y) = halved(w, y);
        let w = w.plus(y.half());
        [x, y.minus(w.half()), z, w]
    });
}

/// Undoes [`forward`], but for what was rounded.
pub fn inverse<I: Integer>(block: &mut [I]) {
    each_dimension_backwards(block, |[x, y, z, w]| {
        let y = y.plus(w.half());
        let w = w.minus(y.half());
        let (w, y) = doubled(w, y);
        let (x, z) = doubled(x, z);
        let (z, y) = doubled(z, y);
        let (x, w) = doubled(x, w);
        [x, y, z, w]
    });
}

/// The transform of the reversible mode: differences of differences.
pub fn forward_reversible<I: Integer>(block: &mut [I]) {
    each_dimension(block, |[x, y, z, w]| {
        let (w, z, y) = (w.minus(z), z.minus(y), y.minus(x));
        let (w, z) = (w.minus(z), z.minus(y));
        [x, y, z, w.minus(z)]
    });
}

/// Undoes [`forward_reversible`].
pub fn inverse_reversible<I: Integer>(block: &mut [I]) {
    each_dimension_backwards(block, |[x, y, z, w]| {
        let w = w.plus(z);
        let z = z.plus(y);
        let w = w.plus(z);
        let y = y.plus(x);
        let z = z.plus(y);
        [x, y, z, w.plus(z)]
    });
}

/// Half of the sum, and half of the difference of the second from the first, negated.
#[inline(always)]
fn halved<I: Integer>(a: I, b: I) -> (I, I) {
    let a = a.plus(b).half();
    (a, b.minus(a))
}

/// Undoes [`halved`].
#[inline(always)]
fn doubled<I: Integer>(a: I, b: I) -> (I, I) {
    let b = b.plus(a);
    (a.minus(b.minus(a)), b)
}

/// Replaces each line along the first dimension, then each along the second, and so on.
#[inline(always)]
fn each_dimension<I: Integer>(block: &mut [I], lifted: impl Fn([I; 4]) -> [I; 4]) {
    let mut stride = 1;
    while stride < block.len() {
        each_line(block, stride, &lifted);
        stride *= 4;
    }
}

/// Like [`each_dimension`], from the last dimension to the first.
#[inline(always)]
fn each_dimension_backwards<I: Integer>(block: &mut [I], lifted: impl Fn([I; 4]) -> [I; 4]) {
    let mut stride = block.len() / 4;
    while stride > 0 {
        each_line(block, stride, &lifted);
        stride /= 4;
    }
}

/// Replaces each line along the dimension in which neighbours are `stride` apart.
#[inline(always)]
fn each_line<I: Integer>(block: &mut [I], stride: usize, lifted: impl Fn([I; 4]) -> [I; 4]) {
    for lines in block.chunks_exact_mut(4 * stride) {
        let (first, rest) = lines.split_at_mut(stride);
        let (second, rest) = rest.split_at_mut(stride);
        let (third, fourth) = rest.split_at_mut(stride);
        for (((x, y), z), w) in first.iter_mut().zip(second).zip(third).zip(fourth) {
            [*x, *y, *z, *w] = lifted([*x, *y, *z, *w]);
        }
    }
}
