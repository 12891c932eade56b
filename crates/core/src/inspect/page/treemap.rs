//! The treemap of a dataset's bytes.
//!
//! Places are in percent of the width, so that text keeps its size on a narrow screen.

use std::cmp::Reverse;

use super::super::bytes_text::bytes_text;
use super::super::map::{Compression, DatasetMap, GroupTree, Leaf};
use super::escape::{name, smaller};
use super::legend::style;
use super::squarify::{Rect, squarify};

/// The width on which parts are made as square as possible, in pixels.
const WIDTH: f64 = 960.0;

/// The height in pixels.
const HEIGHT: f64 = 520.0;

/// Height of the line with a group's name.
const HEAD: f64 = 20.0;

/// Smallest part with text.
const LABELLED: (f64, f64) = (54.0, 34.0);

/// Smallest side of a part that is drawn.
const LEAST: f64 = 2.0;

/// What a part shows.
enum TreemapPart<'m> {
    Leaf(&'m Leaf),
    Group(&'m GroupTree),
    /// What is no data: its name and bytes.
    Rest(&'static str, u64),
}

impl TreemapPart<'_> {
    fn bytes(&self) -> u64 {
        match self {
            Self::Leaf(leaf) => leaf.bytes,
            Self::Group(tree) => tree.bytes,
            Self::Rest(_, bytes) => *bytes,
        }
    }
}

/// The treemap as SVG.
pub(super) fn treemap(map: &DatasetMap) -> String {
    let sizes = &map.sizes;
    let mut svg = format!(
        "<svg class=\"treemap\" width=\"100%\" height=\"{HEIGHT}\" role=\"group\" aria-label=\"Variables by the bytes that they take\">\n"
    );
    let rest = [
        ("metadata", sizes.metadata.unwrap_or(0)),
        ("other data", sizes.others.unwrap_or(0)),
        ("padding", sizes.padding),
        ("unused", sizes.unused.unwrap_or(0)),
    ];
    let rest = rest.into_iter().filter(|(_, bytes)| *bytes > 0);
    let plane = Rect {
        x: 0.0,
        y: 0.0,
        width: WIDTH,
        height: HEIGHT,
    };
    push(
        &mut svg,
        map,
        &map.tree,
        rest.map(|(name, bytes)| TreemapPart::Rest(name, bytes)).collect(),
        plane,
    );
    svg += "</svg>\n";
    svg
}

fn push<'m>(
    svg: &mut String,
    map: &'m DatasetMap,
    tree: &'m GroupTree,
    more: Vec<TreemapPart<'m>>,
    rect: Rect,
) {
    let leaves = tree.leaves.iter().map(TreemapPart::Leaf);
    let mut parts: Vec<TreemapPart> = leaves
        .chain(tree.groups.iter().map(TreemapPart::Group))
        .chain(more)
        .collect();
    parts.sort_by_key(|part| Reverse(part.bytes()));
    let sizes: Vec<u64> = parts.iter().map(TreemapPart::bytes).collect();
    for (part, rect) in parts.iter().zip(squarify(&sizes, rect)) {
        if rect.width < LEAST || rect.height < LEAST {
            continue;
        }
        match part {
            TreemapPart::Leaf(leaf) => push_leaf(svg, map, leaf, rect),
            TreemapPart::Rest(name, bytes) => push_box(svg, rect, "c-rest", name, *bytes, None),
            TreemapPart::Group(group) => {
                let label = name(&group.name);
                *svg += &format!(
                    "{}<rect class=\"group\" width=\"100%\" height=\"100%\"/><text class=\"head\" x=\"6\" y=\"15\">{label} · {}</text></svg>\n",
                    place(rect),
                    bytes_text(group.bytes)
                );
                push(svg, map, group, Vec::new(), rect.within(HEAD, 2.0));
            }
        }
    }
}

fn push_leaf(svg: &mut String, map: &DatasetMap, leaf: &Leaf, rect: Rect) {
    let Some(n) = leaf.variable else {
        let label = smaller(leaf.count);
        return push_box(svg, rect, "c-rest", &label, leaf.bytes, None);
    };
    let of = &map.sizes.variables[n];
    let class = Compression::of(of.memory, of.space.stored.unwrap_or(0), of.has_filters());
    let label = of.path.rsplit('/').next().unwrap_or(&of.path);
    let ratio = of
        .ratio()
        .map_or(String::new(), |ratio| format!(", ratio {ratio:.1}"));
    let share = map.sizes.share(of.counted()).unwrap_or(0.0) * 100.0;
    let told = format!(
        "{}: {}, {share:.1} %{ratio}",
        name(&of.path),
        bytes_text(leaf.bytes)
    );
    let link = (n < map.variables.len()).then(|| format!("#v{n}"));
    push_box(
        svg,
        rect,
        style(class),
        &name(label),
        leaf.bytes,
        Some((link.as_deref(), &told)),
    );
}

/// A box, with a text for screen readers; a link if it has a target.
fn push_box(
    svg: &mut String,
    rect: Rect,
    class: &str,
    label: &str,
    bytes: u64,
    link: Option<(Option<&str>, &str)>,
) {
    let told = match link {
        Some((_, told)) => told.to_owned(),
        None => format!("{label}: {}", bytes_text(bytes)),
    };
    let text = match rect.width >= LABELLED.0 && rect.height >= LABELLED.1 {
        true => format!(
            "<g class=\"on {class}\" aria-hidden=\"true\"><text x=\"6\" y=\"17\">{label}</text><text class=\"small\" x=\"6\" y=\"31\">{}</text></g>",
            bytes_text(bytes)
        ),
        false => String::new(),
    };
    let inner =
        format!("<title>{told}</title><rect class=\"{class}\" width=\"100%\" height=\"100%\"/>{text}");
    let place = place(rect);
    *svg += &match link {
        Some((Some(target), _)) => {
            format!("{place}<a href=\"{target}\" aria-label=\"{told}\">{inner}</a></svg>\n")
        }
        _ => format!("{place}<g role=\"img\" aria-label=\"{told}\">{inner}</g></svg>\n"),
    };
}

fn place(rect: Rect) -> String {
    format!(
        "<svg x=\"{:.3}%\" y=\"{:.1}\" width=\"{:.3}%\" height=\"{:.1}\">",
        rect.x / WIDTH * 100.0,
        rect.y,
        rect.width / WIDTH * 100.0,
        rect.height
    )
}
