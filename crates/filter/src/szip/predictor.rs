//! The unit-delay predictor: maps samples to prediction errors, as small unsigned numbers for small errors.
//!
//! p is the previous sample, Δ = x − p, and θ = min(p, max − p). An error within ±θ becomes 2Δ or −2Δ − 1. A larger
//! error can have only one sign, because the other side is out of range. It becomes θ + |Δ|.
//!
//! CCSDS 121.0-B-3, section 4.

/// Maps the samples of an interval to `mapped`, of equal length. The first is the reference sample, whose place gets 0.
pub(super) fn forward(samples: &[u32], mapped: &mut [u32], max: u32) {
    if let Some(first) = mapped.first_mut() {
        *first = 0;
    }
    let pairs = samples.iter().zip(samples.iter().skip(1));
    for ((p, x), mapped) in pairs.zip(mapped.iter_mut().skip(1)) {
        // Samples with bits above their width wrap, as in libaec.
        *mapped = if x >= p {
            let error = x - p;
            if error <= *p { error.wrapping_mul(2) } else { *x }
        } else {
            let error = p - x;
            if error <= max.wrapping_sub(*p) {
                error.wrapping_mul(2).wrapping_sub(1)
            } else {
                max.wrapping_sub(*x)
            }
        };
    }
}

/// The reverse of [`forward`], in place. The first element is the reference sample.
pub(super) fn reverse(samples: &mut [u32], max: u32) {
    let Some((first, rest)) = samples.split_first_mut() else {
        return;
    };
    let mut p = *first;
    for sample in rest {
        let mapped = *sample;
        let to_top = max.wrapping_sub(p);
        let magnitude = (mapped >> 1) + (mapped & 1);
        let next = if magnitude <= p.min(to_top) {
            // Even numbers are positive errors, odd ones negative.
            let sign = (mapped & 1).wrapping_neg();
            p.wrapping_add((mapped >> 1) ^ sign)
        } else if p <= to_top {
            mapped
        } else {
            max.wrapping_sub(mapped)
        };
        // Only damaged data can leave the range.
        p = next & max;
        *sample = p;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_of_small_samples() {
        let max = 15;
        for p in 0..=max {
            let mut seen = 0u32;
            for x in 0..=max {
                let mut mapped = [9, 9];
                forward(&[p, x], &mut mapped, max);
                assert_eq!(mapped[0], 0);
                assert!(mapped[1] <= max);
                seen |= 1 << mapped[1];
                let mut samples = [p, mapped[1]];
                reverse(&mut samples, max);
                assert_eq!(samples, [p, x]);
            }
            assert_eq!(seen, 0xffff);
        }
    }

    #[test]
    fn extremes_of_32_bits() {
        let samples = [0, u32::MAX, 0, 1 << 31, (1 << 31) - 1, u32::MAX, u32::MAX];
        let mut mapped = [0; 7];
        forward(&samples, &mut mapped, u32::MAX);
        mapped[0] = samples[0];
        reverse(&mut mapped, u32::MAX);
        assert_eq!(mapped, samples);
    }
}
