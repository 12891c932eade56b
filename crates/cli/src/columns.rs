//! Columns of text.

use ncutils_core::message::one_line;

/// The side on which the cells of a column are even.
#[derive(Clone, Copy, PartialEq)]
pub enum Side {
    /// Left.
    Left,
    /// Right.
    Right,
}

/// Appends rows of cells to `text`, with two spaces between columns. What is not to be seen becomes escapes, so that a name
/// from a file cannot steer the terminal.
pub fn push<const N: usize>(text: &mut String, sides: [Side; N], rows: &[[String; N]]) {
    let width = |column: usize| {
        let cells = rows.iter().map(|row| one_line(&row[column]).chars().count());
        cells.max().unwrap_or(0)
    };
    let widths: [usize; N] = std::array::from_fn(width);
    for row in rows {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            let (cell, width) = (one_line(cell), widths[column]);
            let gap = if column == 0 { "" } else { "  " };
            // A format has no more than 65,535 columns, and a name may be longer.
            let blanks = " ".repeat(width.saturating_sub(cell.chars().count()));
            line.push_str(gap);
            match sides[column] {
                Side::Left => line.extend([&*cell, &blanks]),
                Side::Right => line.extend([&*blanks, &cell]),
            }
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_even_and_names_are_harmless() {
        let mut text = String::new();
        let row = |name: &str, number: &str| [name.to_owned(), number.to_owned()];
        push(
            &mut text,
            [Side::Left, Side::Right],
            &[row("a", "100"), row("b\u{1b}[2J\n", "5")],
        );
        assert_eq!(text, format!("a{:13}100\n{:12}    5\n", "", r"b\u{1b}[2J\n"));
    }

    #[test]
    fn a_cell_may_be_longer_than_a_format_allows() {
        let mut text = String::new();
        let cell = |length: usize| "x".repeat(length);
        push(
            &mut text,
            [Side::Left, Side::Right],
            &[[cell(300), cell(1)], [cell(1), cell(3)]],
        );
        assert_eq!(text.lines().map(str::len).collect::<Vec<_>>(), [305, 305]);
    }
}
