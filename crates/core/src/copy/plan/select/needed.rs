//! What the chosen variables need to be understood (`--with-coordinates`), as the CF conventions name it.
//!
//! ```text
//! variable ─┬─► its dimensions ─► coordinate variables ─┐
//!           └─► its attributes ─► names ─► variables  ──┴─► the same of these
//! ```

use std::collections::{HashMap, HashSet};

use crate::model::{DimId, GroupId, Referring, Schema, VarId};

/// The attribute of the dataset that lists variables of other files.
const EXTERNAL_VARIABLES: &str = "external_variables";

/// What some variables need.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Needed {
    /// The variables that they need, and the variables themselves.
    pub vars: Vec<VarId>,
    /// Names that mean nothing, each with the attribute and variable that has it.
    pub missing: Vec<String>,
}

/// What `chosen` need: coordinates, bounds, ancillary variables, grid mappings, cell measures and terms of formulas, and what
/// these need in turn.
pub fn needed(input: &Schema, chosen: impl Iterator<Item = VarId>) -> Needed {
    let vars = input.vars.iter().enumerate();
    let names = VariableNames {
        input,
        vars: vars.map(|(n, var)| ((var.group, &*var.name), VarId(n))).collect(),
    };
    let external = external(input);
    let mut needed = Needed {
        vars: chosen.collect(),
        missing: Vec::new(),
    };
    let mut known: HashSet<VarId> = needed.vars.iter().copied().collect();
    let mut at = 0;
    while let Some(var) = needed.vars.get(at).copied() {
        at += 1;
        let dims = input.var(var).dims.iter();
        for found in dims.filter_map(|dim| names.coordinate(input.var(var).group, *dim)) {
            if known.insert(found) {
                needed.vars.push(found);
            }
        }
        for attribute in &input.var(var).attributes {
            let Some(referring) = Referring::named(&attribute.name).filter(|known| known.names_variables)
            else {
                continue;
            };
            let is_between = |c: char| c.is_ascii_whitespace() || c == '\0';
            let words = attribute.texts().flat_map(|text| text.split(is_between));
            let named = words.filter_map(|word| referring.name_in(word));
            let mut lacking = HashSet::new();
            for name in named.filter(|name| !name.is_empty()) {
                match names.meant(input.var(var).group, name) {
                    Some(found) if known.insert(found) => needed.vars.push(found),
                    None if !external.contains(name) && lacking.insert(name) => {
                        let path = input.var_path(var);
                        needed
                            .missing
                            .push(format!("{name} ({} of {path})", attribute.name));
                    }
                    _ => {}
                }
            }
        }
    }
    needed
}

/// The names of variables that other files have, as the dataset says.
fn external(input: &Schema) -> HashSet<&str> {
    let attributes = input.group(Schema::ROOT).attributes.iter();
    attributes
        .filter(|attribute| attribute.name == EXTERNAL_VARIABLES)
        .flat_map(|attribute| attribute.texts())
        .flat_map(str::split_ascii_whitespace)
        .collect()
}

/// The variables of a dataset by their names.
struct VariableNames<'a> {
    input: &'a Schema,
    vars: HashMap<(GroupId, &'a str), VarId>,
}

impl VariableNames<'_> {
    /// The coordinate variable of a dimension: of its name, first along it, in the nearest group around the variable that needs it.
    fn coordinate(&self, group: GroupId, dim: DimId) -> Option<VarId> {
        let name = &*self.input.dim(dim).name;
        self.input.around(group).find_map(|group| {
            let found = *self.vars.get(&(group, name))?;
            (self.input.var(found).dims.first() == Some(&dim)).then_some(found)
        })
    }

    /// The variable that `name` means in `group`: a path, or a variable of the group or the nearest one around it (CF 2.7).
    fn meant(&self, group: GroupId, name: &str) -> Option<VarId> {
        let Some((path, own)) = name.rsplit_once('/') else {
            let mut around = self.input.around(group);
            return around.find_map(|group| self.vars.get(&(group, name)).copied());
        };
        let from = match name.starts_with('/') {
            true => Schema::ROOT,
            false => group,
        };
        let mut steps = path.split('/').filter(|step| !step.is_empty() && *step != ".");
        let group = steps.try_fold(from, |at, step| match step {
            ".." => self.input.group(at).parent,
            name => {
                let children = &self.input.group(at).children;
                children
                    .iter()
                    .copied()
                    .find(|child| self.input.group(*child).name == name)
            }
        });
        self.vars.get(&(group?, own)).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Attribute, Dimension, Kind, Type, Values, Variable};

    fn text(name: &str, text: &str) -> Attribute {
        Attribute {
            name: name.to_owned(),
            ty: Type::Char,
            length: text.len(),
            values: Values::from_text(text),
        }
    }

    fn add(schema: &mut Schema, group: GroupId, name: &str, dims: &[DimId], attributes: &[(&str, &str)]) {
        schema.add_var(Variable {
            name: name.to_owned(),
            group,
            ty: Type::Float,
            dims: dims.to_vec(),
            attributes: attributes.iter().map(|(name, of)| text(name, of)).collect(),
        });
    }

    /// The paths that `/g/v` needs, if it has these attributes.
    fn paths(attributes: &[(&str, &str)]) -> (Vec<String>, Vec<String>) {
        let mut schema = Schema::new(Kind::Netcdf4);
        schema.groups[0]
            .attributes
            .push(text(EXTERNAL_VARIABLES, "areacella other"));
        let group = schema.add_group(Schema::ROOT, "g");
        let inner = schema.add_group(group, "inner");
        let mut dim = |name: &str| {
            schema.add_dim(Dimension {
                name: name.to_owned(),
                group: Schema::ROOT,
                length: 2,
                unlimited: false,
            })
        };
        let (time, lev) = (dim("time"), dim("lev"));
        let root = Schema::ROOT;
        add(
            &mut schema,
            root,
            "time",
            &[time],
            &[("climatology", "clim_bnds")],
        );
        add(&mut schema, root, "clim_bnds", &[time], &[]);
        add(
            &mut schema,
            root,
            "lev",
            &[lev],
            &[("formula_terms", "a: a b: b ps: ps")],
        );
        for name in ["a", "b", "ps", "crs", "unused"] {
            add(&mut schema, root, name, &[], &[]);
        }
        add(&mut schema, group, "b", &[], &[("bounds", "b")]);
        add(&mut schema, inner, "q", &[], &[("ancillary_variables", "v ../b")]);
        add(&mut schema, group, "v", &[time], attributes);
        let var = schema.var_at("g/v").unwrap();
        let found = needed(&schema, [var].into_iter());
        let paths = found.vars.iter().map(|var| schema.var_path(*var));
        (paths.skip(1).collect(), found.missing)
    }

    #[test]
    fn what_is_named_is_needed_in_turn() {
        assert_eq!(paths(&[]).0, ["time", "clim_bnds"]);
        let (found, missing) = paths(&[("coordinates", "lev"), ("units", "unused")]);
        assert_eq!(found, ["time", "lev", "clim_bnds", "a", "b", "ps"]);
        assert!(missing.is_empty());
        let both = [&[("grid_mapping", "crs")][..], &[("grid_mapping", "crs: ps /a")]];
        assert_eq!(paths(both[0]).0, ["time", "crs", "clim_bnds"]);
        assert_eq!(paths(both[1]).0, ["time", "crs", "ps", "a", "clim_bnds"]);
    }

    #[test]
    fn names_are_looked_up_from_the_inside_out() {
        let near = paths(&[("ancillary_variables", "b inner/q")]).0;
        assert_eq!(near, ["time", "/g/b", "/g/inner/q", "clim_bnds"]);
        let (found, missing) = paths(&[
            ("cell_measures", "area: areacella volume: vol"),
            ("bounds", "../x/y"),
        ]);
        assert_eq!(found, ["time", "clim_bnds"]);
        assert_eq!(
            missing,
            ["vol (cell_measures of /g/v)", "../x/y (bounds of /g/v)"]
        );
    }
}
