//! Plans a copy of a join: whole chunks of each input pass where its borders are borders of chunks.

use super::copy_plan::CopyPlan;
use super::dataset::{plan, plan_subset};
use super::request::CopyOptions;
use crate::chunk::Selection;
use crate::copy::geometry::{SourcePart, Sources};
use crate::copy::readers::ReaderId;
use crate::error::Result;
use crate::format::Reader;
use crate::join::{JoinSource, Merged};
use crate::model::VarId;
use crate::subset::Subset;

/// Plans a copy of a join, or of a `part` of it, as `options` ask. The copy reads [`join_source`], and the join's pool.
///
/// # Errors
/// The errors of [`plan`].
pub fn plan_joined(joined: &Merged, part: Option<&Subset>, options: &CopyOptions) -> Result<CopyPlan> {
    let mut plan = match part {
        Some(part) => plan_subset(part, options)?,
        None => plan(joined, options)?,
    };
    for copy in &mut plan.variables {
        let (var, chosen) = match &copy.sources {
            Sources::Nothing => continue,
            Sources::Whole(var) => (*var, vec![Selection::whole(&joined.layout(*var).extent)]),
            Sources::Parts(parts) => {
                let Some(first) = parts.first() else { continue };
                let chosen = parts.iter().map(|part| part.selection.clone());
                (first.variable, chosen.collect())
            }
        };
        if is_made(joined, part, var) {
            // The main reader gives the chosen cells.
            copy.sources = Sources::Whole(var);
        } else if let (member, of_member) = joined.member(var)
            && let Some(axis) = member.joined_axis(of_member)
        {
            copy.sources = Sources::Parts(parts(joined, var, axis, &chosen)?);
        }
    }
    Ok(plan)
}

/// What a copy of a join reads as its main reader. `part` is the one that was planned.
pub fn join_source<'a>(joined: &'a Merged, part: Option<&'a Subset<'a>>) -> JoinSource<'a> {
    let made = |var| is_made(joined, part, var);
    match part {
        Some(part) => JoinSource::new(joined, part, made),
        None => JoinSource::new(joined, joined, made),
    }
}

/// True if a variable is read by regions, from the join or the part.
fn is_made(joined: &Merged, part: Option<&Subset>, var: VarId) -> bool {
    joined.is_made(var) || part.is_some_and(|part| part.is_by_regions(var))
}

/// The chosen elements of a variable, as parts of the inputs.
fn parts(joined: &Merged, var: VarId, axis: usize, chosen: &[Selection]) -> Result<Vec<SourcePart>> {
    let mut parts = Vec::new();
    let (member, of_member) = joined.member(var);
    for (piece, variable) in member.pieces(of_member) {
        let (reader, variable) = match member.in_pool(piece.input) {
            None => (ReaderId::Main, var),
            Some(input) => (ReaderId::Further(input), variable),
        };
        for selection in chosen {
            let met = selection.within(axis, piece.at..piece.at + piece.count, piece.from)?;
            parts.extend(met.map(|selection| SourcePart {
                reader,
                ..SourcePart::new(variable, selection)
            }));
        }
    }
    Ok(parts)
}
