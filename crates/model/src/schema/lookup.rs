//! Finding items by name. There are three kinds of names.
//!
//! - Names from users of netCDF's tools: an absolute path (`/a/b/t`) means one item, a relative one (`t`,
//!   `b/t`) every item whose path ends in it. See [`Schema::vars_named`], [`Schema::groups_named`],
//!   [`Schema::dims_named`].
//! - Names in messages and files: a path from the root group. See [`Schema::var_at`], [`Schema::group_at`].
//! - Names within a dataset: a name without a path means the item of that name in the same group, or else in
//!   the nearest parent group. See [`VisibleNames`](crate::VisibleNames).

use crate::{DimId, GroupId, Schema, VarId};

impl Schema {
    /// The variables that `name` means, in order of their ids.
    pub fn vars_named(&self, name: &str) -> Vec<VarId> {
        let means = |id: &VarId| self.means(name, &self.var(*id).name, Some(self.var(*id).group));
        (0..self.vars.len()).map(VarId).filter(means).collect()
    }

    /// The groups that `name` means, in order of their ids; `/` is the root.
    pub fn groups_named(&self, name: &str) -> Vec<GroupId> {
        let means = |id: &GroupId| self.means(name, &self.group(*id).name, self.group(*id).parent);
        (0..self.groups.len()).map(GroupId).filter(means).collect()
    }

    /// The dimensions that `name` means, in order of their ids.
    pub fn dims_named(&self, name: &str) -> Vec<DimId> {
        let means = |id: &DimId| self.means(name, &self.dim(*id).name, Some(self.dim(*id).group));
        (0..self.dims.len()).map(DimId).filter(means).collect()
    }

    /// The variable at a path from the root group, with or without the leading `/`.
    pub fn var_at(&self, path: &str) -> Option<VarId> {
        let (group, name) = match path.trim_start_matches('/').rsplit_once('/') {
            Some((group, name)) => (self.group_at(group)?, name),
            None => (Self::ROOT, path.trim_start_matches('/')),
        };
        let vars = &self.group(group).vars;
        vars.iter().copied().find(|id| self.var(*id).name == name)
    }

    /// The group at a path from the root group, with or without the leading `/`.
    pub fn group_at(&self, path: &str) -> Option<GroupId> {
        let names = path.split('/').filter(|name| !name.is_empty());
        names.into_iter().try_fold(Self::ROOT, |at, name| {
            let children = &self.group(at).children;
            children.iter().copied().find(|id| self.group(*id).name == name)
        })
    }

    /// A group and its parents, innermost first.
    pub fn around(&self, group: GroupId) -> impl Iterator<Item = GroupId> {
        std::iter::successors(Some(group), |at| self.group(*at).parent)
    }

    /// True if `path` means the item called `own` in the group `parent`. `parent` is `None` for the root
    /// group itself.
    fn means(&self, path: &str, own: &str, parent: Option<GroupId>) -> bool {
        let (absolute, path) = match path.strip_prefix('/') {
            Some(rest) => (true, rest),
            None => (false, path),
        };
        let mut names = path.rsplit('/');
        if names.next() != Some(own) || (own.is_empty() && !absolute) {
            return false;
        }
        let mut at = parent;
        for name in names {
            let Some(group) = at.filter(|id| self.group(*id).parent.is_some()) else {
                return false;
            };
            if self.group(group).name != name {
                return false;
            }
            at = self.group(group).parent;
        }
        !absolute || at.is_none_or(|id| id == Self::ROOT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Kind, Type, Variable};

    fn sample() -> Schema {
        let mut schema = Schema::new(Kind::Netcdf4);
        let a = schema.add_group(Schema::ROOT, "a");
        let b = schema.add_group(a, "b");
        for group in [Schema::ROOT, a, b] {
            schema.add_var(Variable {
                name: "t".into(),
                group,
                ty: Type::Int,
                dims: Vec::new(),
                attributes: Vec::new().into(),
            });
        }
        schema
    }

    #[test]
    fn a_relative_path_means_all_that_end_in_it() {
        let schema = sample();
        let vars = |name: &str| schema.vars_named(name).iter().map(|v| v.0).collect::<Vec<_>>();
        assert_eq!(vars("t"), [0, 1, 2]);
        assert_eq!(vars("b/t"), [2]);
        assert_eq!(vars("a/t"), [1]);
        assert_eq!(vars("/t"), [0]);
        assert_eq!(vars("/a/b/t"), [2]);
        for absent in ["", "/", "x", "/b/t", "//t", "t/", "x/a/t", "/x/a/t"] {
            assert_eq!(vars(absent), [] as [usize; 0], "{absent}");
        }
    }

    #[test]
    fn groups_are_found_likewise() {
        let schema = sample();
        let groups = |name: &str| schema.groups_named(name).iter().map(|g| g.0).collect::<Vec<_>>();
        assert_eq!(groups("/"), [0]);
        assert_eq!(groups("b"), [2]);
        assert_eq!(groups("a/b"), [2]);
        assert_eq!(groups("/a"), [1]);
        assert_eq!(groups("/b"), [] as [usize; 0]);
        assert_eq!(groups(""), [] as [usize; 0]);
    }

    #[test]
    fn an_exact_path_means_one() {
        let schema = sample();
        assert_eq!(schema.var_at("a/b/t"), Some(VarId(2)));
        assert_eq!(schema.var_at("/t"), Some(VarId(0)));
        assert_eq!(schema.var_at("b/t"), None);
        assert_eq!(schema.group_at("/a/b"), Some(GroupId(2)));
        assert_eq!(schema.group_at("/"), Some(Schema::ROOT));
    }

    #[test]
    fn paths_lead_to_what_they_are_of() {
        let schema = sample();
        for (group, path, member) in [
            (Schema::ROOT, "/", "/t"),
            (GroupId(1), "/a", "/a/t"),
            (GroupId(2), "/a/b", "/a/b/t"),
        ] {
            assert_eq!(schema.group_path(group), path);
            assert_eq!(schema.group_at(path), Some(group));
            assert_eq!(schema.path_in(group, "t"), member);
            assert_eq!(schema.var_at(member), Some(VarId(group.0)));
        }
        assert_eq!(schema.var_path(VarId(0)), "t");
        assert_eq!(schema.var_path(VarId(2)), "/a/b/t");
    }
}
