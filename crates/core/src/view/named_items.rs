//! The items that a warning of a view names.

/// Most items that a warning names.
const MOST: usize = 10;

/// The first items, and how many more there are.
pub(super) fn named_items(told: &[String]) -> String {
    let named = told[..told.len().min(MOST)].join(", ");
    match told.len().saturating_sub(MOST) {
        0 => named,
        more => format!("{named}, and {more} more"),
    }
}
