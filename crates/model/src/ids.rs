//! Indices into the lists of a [`Schema`](crate::Schema).

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub usize);
    };
}

id!(
    /// Index into [`crate::Schema::groups`]. The root group is `GroupId(0)`.
    GroupId
);
id!(
    /// Index into [`crate::Schema::dims`].
    DimId
);
id!(
    /// Index into [`crate::Schema::vars`].
    VarId
);
id!(
    /// Index into [`crate::Schema::types`].
    TypeId
);
