//! Messages of groups: the symbol table of an old-style group, the links of a new-style group.

pub(crate) mod link;
pub(crate) mod symbol_table;
