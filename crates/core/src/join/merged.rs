//! [`Merged`]: datasets with other variables, or of other cells, which read as one.

use std::collections::{BTreeSet, HashMap};

use super::first::{First, check_unpacked, first_input};
use super::inputs::Inputs;
use super::joined::Joined;
use super::kept::KeptJoin;
use super::outer_dimension::NewDimension;
use super::request::JoinRequest;
use super::shared::shared;
use super::union::Union;
use crate::error::{Error, Result};
use crate::filter::Registry;
use crate::format::{ChangingSource, ElementCodecs, Extensions, Reader, ReaderPool, Region, Written};
use crate::message::some_of;
use crate::model::{CodecSpec, Schema, Values, VarId, VariableLayout};
use crate::threads;

/// Many datasets that read as one. Those with the same variables are joined, and those with others are merged.
pub struct Merged {
    members: Vec<Joined>,
    schema: Schema,
    /// For each variable, the member that has it, and its id there.
    owners: Vec<(usize, VarId)>,
    pool: ReaderPool,
    inputs: Inputs,
    warnings: Vec<String>,
    differing: BTreeSet<String>,
}

impl Merged {
    /// Looks at the inputs. `wanted` tells which variables of a schema are asked for. The others are not looked at. `registry` adapts
    /// the filters of what is unpacked.
    ///
    /// # Errors
    /// Inputs that do not go together, by their names and by both values.
    pub fn new(
        inputs: Inputs,
        request: &JoinRequest,
        registry: &Registry,
        wanted: impl Fn(&Schema) -> Result<Vec<VarId>>,
    ) -> Result<Self> {
        let (groups, firsts) = firsts(&inputs, request)?;
        let pool = pool(&inputs, &groups, &firsts, |_, _| Ok(()));
        let mut names = Union::new(firsts[0].reader.schema(), inputs.name(0));
        for first in &firsts[1..] {
            names.add((first.reader.schema(), ""), |_| false)?;
        }
        let chosen = wanted(&names.schema).map_err(|error| inputs.named(0, error))?;
        let chosen: BTreeSet<VarId> = chosen.into_iter().collect();
        check_unpacked(&names.schema, &request.unpack)?;
        let mut members = Vec::with_capacity(firsts.len());
        for (first, (group, places)) in firsts.into_iter().zip(groups.iter().zip(&names.places)) {
            let chosen = (0..places.len()).filter(|n| places[*n].is_some_and(|var| chosen.contains(&var)));
            let chosen: Vec<VarId> = chosen.map(VarId).collect();
            let (of_group, pool) = (inputs.chosen(group), pool.clone());
            members.push(match first.dim {
                None => Joined::alone(first, of_group, pool),
                Some(dim) => Joined::new((first, dim), of_group, pool, request, registry, &chosen)?,
            });
        }
        Self::of(members, inputs, pool, request, |path| {
            let ours = names.schema.var_at(path);
            ours.is_none_or(|var| chosen.contains(&var))
        })
    }

    /// The join of inputs of which this was found before, by [`kept`](Self::kept) of a process with the same inputs and request. Only
    /// the first input is opened, and those that store variables in other ways.
    ///
    /// # Errors
    /// What cannot have been found of these inputs.
    pub fn of_kept(
        inputs: Inputs,
        request: &JoinRequest,
        registry: &Registry,
        kept: &KeptJoin,
    ) -> Result<Self> {
        let first = first_input(&inputs, request)?;
        let Some(dim) = first.dim else {
            return Err(Error::Internal(
                "what was found of a join of no dimension".to_owned(),
            ));
        };
        check_unpacked(first.reader.schema(), &request.unpack)?;
        let expected = kept.expected(first.reader.schema(), dim)?;
        let all = [(0..inputs.len()).collect()];
        let pool = pool(
            &inputs,
            &all,
            std::slice::from_ref(&first),
            move |input, reader| expected.check(input, reader),
        );
        let member = Joined::of_kept(
            (first, dim),
            inputs.clone(),
            pool.clone(),
            request,
            registry,
            kept,
        )?;
        Self::of(vec![member], inputs, pool, request, |_| true)
    }

    /// What was found of the inputs, where they are asked to keep it: for [`of_kept`](Self::of_kept) of another process. `None` for
    /// merged inputs, and for those whose values are unpacked.
    pub fn kept(&self) -> Option<&KeptJoin> {
        match &self.members[..] {
            [joined] => joined.kept.as_ref(),
            _ => None,
        }
    }

    /// The members as one. `is_wanted` tells whether a variable is asked for, by its path.
    fn of(
        members: Vec<Joined>,
        inputs: Inputs,
        pool: ReaderPool,
        request: &JoinRequest,
        is_wanted: impl Fn(&str) -> bool,
    ) -> Result<Self> {
        let mut union = Union::new(members[0].schema(), inputs.name(0));
        let mut warnings: Vec<String> = members.iter().flat_map(Joined::warnings).cloned().collect();
        let mut differing: BTreeSet<String> = BTreeSet::new();
        let mut others: BTreeSet<String> = BTreeSet::new();
        for member in &members {
            differing.extend(member.differing_attributes().map(str::to_owned));
        }
        for (n, member) in members.iter().enumerate().skip(1) {
            let schema = member.schema();
            let wanted = |var| is_wanted(&schema.var_path(var));
            union
                .add((schema, member.inputs.name(0)), wanted)
                .map_err(|error| member.inputs.named(0, error))?;
            let places = &union.places[n];
            for (var, ours) in places
                .iter()
                .enumerate()
                .filter_map(|(n, ours)| Some((VarId(n), (*ours)?)))
            {
                let (owner, of_owner) = union.owners[ours.0];
                if owner == n || !wanted(var) {
                    continue;
                }
                let first = (&members[owner], of_owner);
                match shared(first, (member, var), request.inexact)? {
                    None => {}
                    Some(_) if request.first => {
                        others.insert(schema.var_path(var));
                    }
                    Some(error) => return Err(error),
                }
            }
        }
        if !others.is_empty() {
            warnings.push(format!(
                "the values of {} are those of the first input that has them; other inputs have other values",
                some_of(&others, others.len())
            ));
        }
        Ok(Self {
            members,
            schema: union.schema,
            owners: union.owners,
            pool,
            inputs,
            warnings,
            differing,
        })
    }

    /// What the user should know of the inputs, a line each.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Attributes that differ between joined inputs, as `variable:attribute`. The first input's are taken.
    pub fn differing_attributes(&self) -> impl Iterator<Item = &str> {
        self.differing.iter().map(String::as_str)
    }

    /// Tells what was unusual about the data of the inputs that are open, as [`Inputs::told_by`] says: for a program that ends without
    /// closing them.
    pub fn tell_of_data(&self) {
        for member in &self.members {
            let inputs = &member.inputs;
            inputs.tell(inputs.number(0), &*member.first);
        }
        for (number, reader) in self.pool.all_open() {
            self.inputs.tell(number, &**reader);
        }
    }

    /// The same as what is added to its first input, which may change while the others are read.
    #[must_use]
    pub fn growing(mut self) -> Self {
        for member in &mut self.members {
            member.first_changes = true;
        }
        self
    }

    /// The member that has the first input.
    pub fn first_member(&self) -> &Joined {
        &self.members[0]
    }

    /// The readers of all inputs, by number.
    pub fn pool(&self) -> &ReaderPool {
        &self.pool
    }

    /// The member that has a variable, and the variable's id there.
    pub fn member(&self, var: VarId) -> (&Joined, VarId) {
        let (member, of_member) = self.owners[var.0];
        (&self.members[member], of_member)
    }

    /// All members.
    pub(super) fn members(&self) -> &[Joined] {
        &self.members
    }

    /// True if the values of a variable are made here: converted, or of labels.
    pub fn is_made(&self, var: VarId) -> bool {
        let (member, var) = self.member(var);
        member.is_made(var)
    }
}

/// The inputs in groups that are joined, and the first of each group.
fn firsts(inputs: &Inputs, request: &JoinRequest) -> Result<(Vec<Vec<usize>>, Vec<First>)> {
    let groups = match request.merge {
        false => vec![((0..inputs.len()).collect(), true)],
        true if request.dim.is_empty() => (0..inputs.len()).map(|n| (vec![n], false)).collect(),
        true => groups(inputs, &request.dim)?,
    };
    if groups.len() > inputs.most() {
        return Err(Error::Usage(format!(
            "{} inputs with other variables are merged, and the system lets {} be open at a time",
            groups.len(),
            inputs.most()
        )));
    }
    let alone = JoinRequest::default();
    let first = |(group, is_joined): &(Vec<usize>, bool)| {
        let request = if *is_joined { request } else { &alone };
        first_input(&inputs.chosen(group), request)
    };
    let firsts = threads::try_map(inputs.parallel_looks(), 1, &groups, first)?;
    Ok((groups.into_iter().map(|(group, _)| group).collect(), firsts))
}

/// Inputs with the same variables, in the order of their first ones, and whether they are joined. Inputs without a dimension that
/// others have are joined with none.
fn groups(inputs: &Inputs, dim: &str) -> Result<Vec<(Vec<usize>, bool)>> {
    let numbers: Vec<usize> = (0..inputs.len()).collect();
    let look = |n: &usize| {
        let reader = inputs.open(*n)?;
        let schema = reader.schema();
        let mut paths: Vec<String> = (0..schema.vars.len())
            .map(|n| schema.var_path(VarId(n)))
            .collect();
        paths.sort_unstable();
        Ok::<_, Error>((paths, !schema.dims_named(dim).is_empty()))
    };
    let looks = threads::try_map(inputs.parallel_looks(), 1, &numbers, look)?;
    let some_have_it = looks.iter().any(|(_, has_it)| *has_it);
    let mut groups: Vec<(Vec<usize>, bool)> = Vec::new();
    let mut of_paths: HashMap<Vec<String>, usize> = HashMap::new();
    for (n, (paths, has_it)) in looks.into_iter().enumerate() {
        if some_have_it && !has_it {
            groups.push((vec![n], false));
            continue;
        }
        let group = *of_paths.entry(paths).or_insert(groups.len());
        match groups.get_mut(group) {
            Some((group, _)) => group.push(n),
            None => groups.push((vec![n], true)),
        }
    }
    Ok(groups)
}

/// The readers of all inputs, each with the dimension that its group lacks.
fn pool(
    inputs: &Inputs,
    groups: &[Vec<usize>],
    firsts: &[First],
    check: impl Fn(usize, &dyn Reader) -> Result<()> + Send + Sync + 'static,
) -> ReaderPool {
    let mut of_input: HashMap<usize, NewDimension> = HashMap::new();
    for (group, first) in groups.iter().zip(firsts) {
        if let Some(new) = &first.new {
            of_input.extend(group.iter().map(|n| (*n, new.clone())));
        }
    }
    let typical = firsts.iter().map(|first| &*first.reader);
    inputs.pool(typical, move |n| of_input.get(&n).cloned(), check)
}

impl Reader for Merged {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn layout(&self, var: VarId) -> &VariableLayout {
        let (member, var) = self.member(var);
        member.layout(var)
    }

    fn written(&self, var: VarId) -> Result<Written> {
        let (member, var) = self.member(var);
        member.written(var)
    }

    fn read_range(&self, var: VarId, offset: u64, buf: &mut [u8]) -> Result<()> {
        let (member, var) = self.member(var);
        member.read_range(var, offset, buf)
    }

    fn read_region(&self, var: VarId, region: &Region) -> Result<Values> {
        let (member, var) = self.member(var);
        member.read_region(var, region)
    }

    fn extensions(&self) -> Extensions<'_> {
        Extensions {
            elements: Some(self),
            changes: Some(self),
            ..Extensions::NONE
        }
    }
}

impl ElementCodecs for Merged {
    fn element_codec(&self, var: VarId) -> Option<&CodecSpec> {
        let (member, var) = self.member(var);
        (member as &dyn Reader).element_codec(var)
    }
}

impl ChangingSource for Merged {
    fn check_unchanged(&self) -> Result<()> {
        self.members.iter().try_for_each(Joined::check_first)?;
        self.inputs.check_unchanged()
    }
}
