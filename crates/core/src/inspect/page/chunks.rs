//! The grid of a variable's chunks.

use super::super::map::{ChunkMap, Compression};
use super::escape::name;
use super::legend::style;

/// Side of a cell, in units of the drawing.
const CELL: usize = 10;

/// The grid as a figure, with one path for each class.
pub(super) fn figure(map: &ChunkMap, dims: &[String]) -> String {
    let rows = map.cells.len().div_ceil(map.columns.max(1));
    let (width, height) = (map.columns * CELL, rows * CELL);
    let counted = Compression::ALL
        .iter()
        .zip(map.counts)
        .filter(|(_, count)| *count > 0);
    let counted: Vec<String> = counted
        .map(|(class, count)| format!("{count} {}", words(*class)))
        .collect();
    let told = counted.join(", ");
    // Small grids stay small: a cell is at most 18 pixels wide.
    let mut html = format!(
        "<figure><svg class=\"chunks\" viewBox=\"0 0 {width} {height}\" style=\"max-width:{}px\" role=\"img\" aria-label=\"Chunks: {told}\">",
        map.columns * 18
    );
    for class in Compression::ALL {
        let path = path(map, class);
        if !path.is_empty() {
            html += &format!("<path class=\"{}\" d=\"{path}\"/>", style(class));
        }
    }
    html += "</svg>\n<figcaption>";
    let product = |dims: &[String]| dims.iter().map(|dim| name(dim)).collect::<Vec<_>>().join(" × ");
    html += &match map.leading.filter(|split| *split < dims.len()) {
        Some(split) => format!(
            "{} downwards, {} to the right",
            product(&dims[..split]),
            product(&dims[split..])
        ),
        None => "Chunks in the order of their numbers, row by row".to_owned(),
    };
    if map.chunks_per_cell > 1 {
        html += &format!("; a cell stands for up to {} chunks", map.chunks_per_cell);
    }
    html += &format!(". {told}.</figcaption></figure>\n");
    html
}

/// A class as words behind a number of chunks.
fn words(class: Compression) -> &'static str {
    match class {
        Compression::None => "without filters",
        Compression::Noise => "of noise (ratio below 1.25)",
        Compression::Low => "with ratio 1.25 to 2",
        Compression::Middle => "with ratio 2 to 4",
        Compression::Good => "with ratio 4 to 10",
        Compression::High => "with ratio 10 to 100",
        Compression::Constant => "of fill or constant (ratio above 100)",
        Compression::Missing => "never written",
        Compression::Unknown => "with a ratio that is not known",
    }
}

/// The cells of a class.
fn path(map: &ChunkMap, class: Compression) -> String {
    let mut path = String::new();
    for (n, _) in map
        .cells
        .iter()
        .enumerate()
        .filter(|(_, cell)| cell.class == class)
    {
        let (column, row) = (n % map.columns, n / map.columns);
        path += &format!("M{} {}h9v9h-9z", column * CELL, row * CELL);
    }
    path
}
