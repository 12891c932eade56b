//! The symbols of a block's end and of a match's length and distance, and the bits that follow them (RFC 1951, 3.2.5).

/// The symbol that ends a block.
pub(crate) const END: usize = 256;

/// Symbols of literals and the end, which each header has.
pub(crate) const FEWEST_SYMBOLS: usize = END + 1;

/// Shortest and longest match, in bytes.
pub(crate) const SHORTEST: usize = 3;
pub(crate) const LONGEST: usize = 258;

/// The symbol of the shortest match, and that of the longest, the last one.
const SHORTEST_SYMBOL: usize = 257;
pub(crate) const LONGEST_SYMBOL: usize = 285;

/// The symbol of a match's length, and the bits that follow it, with their number.
pub(crate) fn length_symbol(length: usize) -> (usize, u64, u32) {
    if length == LONGEST {
        return (LONGEST_SYMBOL, 0, 0);
    }
    let above = length - SHORTEST;
    // From 8 on, four symbols have one bit more each.
    let width = above.checked_ilog2().unwrap_or(0).saturating_sub(2);
    let symbol = SHORTEST_SYMBOL + 4 * width as usize + (above >> width);
    (symbol, (above & ((1 << width) - 1)) as u64, width)
}

/// The symbol of a match's distance, and the bits that follow it, with their number.
pub(crate) fn distance_symbol(distance: usize) -> (usize, u64, u32) {
    let above = distance - 1;
    // From 4 on, two symbols have one bit more each.
    let width = above.checked_ilog2().unwrap_or(0).saturating_sub(1);
    let symbol = 2 * width as usize + (above >> width);
    (symbol, (above & ((1 << width) - 1)) as u64, width)
}

/// The number of bits that follow the symbol of a length.
pub(crate) fn length_bits(symbol: usize) -> u8 {
    match symbol {
        265..LONGEST_SYMBOL => ((symbol - 261) / 4) as u8,
        _ => 0,
    }
}

/// The shortest length that a symbol stands for. `None` if it stands for none.
pub(crate) fn shortest_length(symbol: usize) -> Option<usize> {
    let above = symbol.checked_sub(SHORTEST_SYMBOL)?;
    match symbol {
        ..265 => Some(SHORTEST + above),
        265..LONGEST_SYMBOL => Some(SHORTEST + ((4 + above % 4) << length_bits(symbol))),
        LONGEST_SYMBOL => Some(LONGEST),
        _ => None,
    }
}

/// The number of bits that follow the symbol of a distance.
pub(crate) fn distance_bits(symbol: usize) -> u8 {
    (symbol / 2).saturating_sub(1) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_have_the_symbols_of_the_specification() {
        for (length, symbol) in [
            (3, (257, 0, 0)),
            (10, (264, 0, 0)),
            (11, (265, 0, 1)),
            (12, (265, 1, 1)),
            (13, (266, 0, 1)),
            (34, (272, 3, 2)),
            (227, (284, 0, 5)),
            (257, (284, 30, 5)),
            (258, (285, 0, 0)),
        ] {
            assert_eq!(length_symbol(length), symbol, "{length}");
        }
    }

    #[test]
    fn distances_have_the_symbols_of_the_specification() {
        for (distance, symbol) in [
            (1, (0, 0, 0)),
            (4, (3, 0, 0)),
            (5, (4, 0, 1)),
            (8, (5, 1, 1)),
            (12, (6, 3, 2)),
            (24_576, (28, 8191, 13)),
            (32_768, (29, 8191, 13)),
        ] {
            assert_eq!(distance_symbol(distance), symbol, "{distance}");
            assert_eq!(u32::from(distance_bits(symbol.0)), symbol.2, "{distance}");
        }
    }

    #[test]
    fn both_ways_tell_as_many_bits() {
        for length in SHORTEST..=LONGEST {
            let (symbol, more, width) = length_symbol(length);
            assert_eq!(u32::from(length_bits(symbol)), width, "{length}");
            assert_eq!(shortest_length(symbol), Some(length - more as usize), "{length}");
        }
    }
}
