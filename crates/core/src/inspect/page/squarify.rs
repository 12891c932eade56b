//! Cuts a rectangle into parts by size, each as square as possible (Bruls, Huizing, van Wijk: Squarified Treemaps, 2000).

/// A rectangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rect {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

impl Rect {
    /// The rectangle without margins of these widths at the top and at the other sides.
    pub(super) fn within(self, top: f64, side: f64) -> Self {
        Self {
            x: self.x + side,
            y: self.y + top,
            width: (self.width - 2.0 * side).max(0.0),
            height: (self.height - top - side).max(0.0),
        }
    }
}

/// The parts of `rect` for these sizes, in their order. Sizes should descend.
#[expect(clippy::cast_precision_loss, reason = "pixels")]
pub(super) fn squarify(sizes: &[u64], rect: Rect) -> Vec<Rect> {
    let total: f64 = sizes.iter().map(|size| *size as f64).sum();
    let scale = rect.width * rect.height / total.max(1.0);
    let areas: Vec<f64> = sizes.iter().map(|size| *size as f64 * scale).collect();
    let mut parts = Vec::with_capacity(areas.len());
    let (mut left, mut from) = (rect, 0);
    while from < areas.len() {
        let side = left.width.min(left.height);
        let mut end = from + 1;
        while end < areas.len() && worst(&areas[from..=end], side) <= worst(&areas[from..end], side) {
            end += 1;
        }
        left = lay(&areas[from..end], left, &mut parts);
        from = end;
    }
    parts
}

/// The largest ratio of sides in a strip along `side`.
fn worst(areas: &[f64], side: f64) -> f64 {
    let sum: f64 = areas.iter().sum();
    let thickness = sum / side.max(f64::MIN_POSITIVE);
    let ratio = |area: &f64| {
        let length = area / thickness.max(f64::MIN_POSITIVE);
        (thickness / length.max(f64::MIN_POSITIVE)).max(length / thickness.max(f64::MIN_POSITIVE))
    };
    areas.iter().map(ratio).fold(0.0, f64::max)
}

/// Lays a strip along the shorter side. Returns what is left.
fn lay(areas: &[f64], rect: Rect, parts: &mut Vec<Rect>) -> Rect {
    let sum: f64 = areas.iter().sum();
    let is_wide = rect.width >= rect.height;
    let side = if is_wide { rect.height } else { rect.width };
    let thickness = if side > 0.0 { sum / side } else { 0.0 };
    let mut at = 0.0;
    for area in areas {
        let length = if thickness > 0.0 { area / thickness } else { 0.0 };
        parts.push(match is_wide {
            true => Rect {
                x: rect.x,
                y: rect.y + at,
                width: thickness,
                height: length,
            },
            false => Rect {
                x: rect.x + at,
                y: rect.y,
                width: length,
                height: thickness,
            },
        });
        at += length;
    }
    match is_wide {
        true => Rect {
            x: rect.x + thickness,
            width: (rect.width - thickness).max(0.0),
            ..rect
        },
        false => Rect {
            y: rect.y + thickness,
            height: (rect.height - thickness).max(0.0),
            ..rect
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLANE: Rect = Rect {
        x: 0.0,
        y: 0.0,
        width: 600.0,
        height: 400.0,
    };

    #[test]
    fn areas_are_in_proportion_and_fill_the_plane() {
        let sizes = [6, 6, 4, 3, 2, 2, 1];
        let parts = squarify(&sizes, PLANE);
        for (part, size) in parts.iter().zip(sizes) {
            assert!(
                (part.width * part.height - size as f64 * 10_000.0).abs() < 1e-6,
                "{part:?}"
            );
            assert!(part.x >= -1e-9 && part.x + part.width <= 600.0 + 1e-6);
            assert!(part.y >= -1e-9 && part.y + part.height <= 400.0 + 1e-6);
            let ratio = (part.width / part.height).max(part.height / part.width);
            assert!(ratio < 3.0, "{part:?}");
        }
    }

    #[test]
    fn odd_sizes_are_cut_too() {
        assert!(squarify(&[], PLANE).is_empty());
        for sizes in [&[0][..], &[0, 0], &[u64::MAX, 1, 0]] {
            let parts = squarify(sizes, PLANE);
            assert_eq!(parts.len(), sizes.len());
            assert!(
                parts
                    .iter()
                    .all(|part| part.width.is_finite() && part.height.is_finite())
            );
        }
    }
}
