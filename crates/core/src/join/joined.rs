//! [`Joined`]: datasets with the same variables, which read as one.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::change::Change;
use super::first::{First, axes, unpacked};
use super::inputs::Inputs;
use super::kept::{JoinFindings, KeptJoin, KnownVariables};
use super::labels;
use super::look::{Compared, Frame, NameMap, StaticValues};
use super::order;
pub use super::order::JoinPiece;
use super::request::JoinRequest;
use crate::error::{Error, Request, Result};
use crate::filter::Registry;
use crate::format::{Extensions, KnownVariable, Reader, ReaderPool, Region, Written};
use crate::model::{DimId, Schema, SharedLayout, Values, VarId, VariableLayout};
use crate::subset::value::coordinate_variable;
use crate::threads;

/// Many datasets with the same variables, which read as one along a dimension; or one dataset alone.
pub struct Joined {
    pub(super) first: Box<dyn Reader>,
    pub(super) inputs: Inputs,
    pub(super) pool: ReaderPool,
    pub(super) schema: Schema,
    /// The dimension.
    dim: DimId,
    /// For each variable, the position of the joined dimension in its shape.
    axes: Vec<Option<usize>>,
    pub(super) pieces: Vec<JoinPiece>,
    /// Items of each input.
    pub(super) names: Vec<NameMap>,
    /// Layouts of the variables that have the dimension.
    pub(super) layouts: Vec<Option<SharedLayout>>,
    /// Changes of values, by variable and input.
    pub(super) changes: HashMap<VarId, BTreeMap<usize, Change>>,
    /// Values of the variable of labels.
    labels: Option<(VarId, Values, SharedLayout)>,
    pub(super) warnings: Vec<String>,
    differing: BTreeSet<String>,
    /// True if the first input is the output.
    pub(super) first_changes: bool,
    /// What was found of the inputs, where another process will ask.
    pub(super) kept: Option<KeptJoin>,
}

impl Joined {
    /// One dataset, which is joined with none.
    pub(super) fn alone(first: First, inputs: Inputs, pool: ReaderPool) -> Self {
        let schema = first.reader.schema().clone();
        inputs.report_schema_warnings(0, &schema.warnings);
        let count = schema.vars.len();
        Self {
            dim: DimId(0),
            first_changes: false,
            kept: None,
            names: vec![NameMap::new(&schema, &schema)],
            first: first.reader,
            inputs,
            pool,
            schema,
            axes: vec![None; count],
            pieces: Vec::new(),
            layouts: vec![None; count],
            changes: HashMap::new(),
            labels: None,
            warnings: Vec::new(),
            differing: BTreeSet::new(),
        }
    }

    /// Looks at each input once. `wanted` tells which variables of the first input's schema the join is of. The others are not
    /// looked at. `registry` adapts the filters of what is unpacked. `first` is the first input, joined along `dim`, and `pool` has
    /// the others.
    ///
    /// # Errors
    /// Inputs that do not go on with the first one, by their names and by both values.
    pub(super) fn new(
        (first, dim): (First, DimId),
        inputs: Inputs,
        pool: ReaderPool,
        request: &JoinRequest,
        registry: &Registry,
        wanted: &[VarId],
    ) -> Result<Self> {
        let mut warnings = Vec::new();
        let (first, new) = (first.reader, first.new);
        let schema = first.schema().clone();
        let axes = axes(&schema, dim)?;
        let coordinate = coordinate_variable(&schema, dim);
        let mut chosen = wanted.to_vec();
        chosen.extend(coordinate.filter(|var| !chosen.contains(var)));
        let unpack = unpacked(&schema, &request.unpack, &axes)?;
        let frame = Frame {
            unpack: &unpack,
            first: &*first,
            first_name: inputs.name(0),
            dim,
            axes: &axes,
            wanted: &chosen,
            coordinate,
            request,
            values: StaticValues::default(),
        };
        let numbers: Vec<usize> = (0..inputs.len()).collect();
        let look = |n: &usize| {
            let look = match n {
                0 => frame.look(&*first, true).map(|look| (look, Vec::new())),
                n => pool.get(inputs.number(*n)).and_then(|reader| {
                    let look = frame.look(&**reader, false)?;
                    let known = frame.passing(&look).map(|(var, theirs)| {
                        let known = KnownVariable::of(&**reader, theirs);
                        Ok((
                            theirs,
                            known.map_err(|error| error.in_variable(&schema.var_path(var)))?,
                        ))
                    });
                    let known = known.collect::<Result<Vec<_>>>()?;
                    // Thousands of inputs stay open until their chunks are copied.
                    reader.forget_metadata();
                    Ok((look, known))
                }),
            };
            look.map_err(|error| inputs.named(*n, error))
        };
        let looks = threads::try_map(inputs.parallel_looks(), 1, &numbers, look)?;
        let (looks, known): (Vec<_>, Vec<_>) = looks.into_iter().unzip();
        for (n, look) in looks.iter().enumerate() {
            inputs.report_schema_warnings(n, &look.warnings);
        }
        let compared = Compared {
            schema: &schema,
            inputs: &inputs,
            request,
            is_new: new.is_some(),
            coordinate,
        };
        compared.judge(&looks, &mut warnings)?;
        let lengths: Vec<_> = looks.iter().map(|look| look.length.clone()).collect();
        let mut found = JoinFindings {
            pieces: order::pieces(&lengths, request, |n| inputs.name(n).to_owned())?,
            ..JoinFindings::default()
        };
        for (n, look) in looks.into_iter().enumerate() {
            for (var, change) in look.changes {
                found.changes.entry(var).or_default().insert(n, change);
            }
            found.differing.extend(look.attributes);
            found.names.push(look.names);
        }
        let known = known.into_iter().enumerate();
        let known: KnownVariables = known
            .flat_map(|(n, of)| of.into_iter().map(move |(var, known)| (n, var, known)))
            .collect();
        let kept = inputs
            .keeps()
            .then(|| KeptJoin::of(&found, &*first, &known, registry))
            .flatten();
        for (n, var, known) in known {
            pool.keep(inputs.number(n), var, known);
        }
        let first = First {
            reader: first,
            dim: Some(dim),
            new,
        };
        let mut joined = Self::of_found((first, dim), inputs, pool, request, registry, (axes, found))?;
        joined.warnings.splice(0..0, warnings);
        joined.kept = kept;
        Ok(joined)
    }

    /// The join of inputs of which this was found before.
    ///
    /// # Errors
    /// What cannot have been found of them.
    pub(super) fn of_kept(
        (first, dim): (First, DimId),
        inputs: Inputs,
        pool: ReaderPool,
        request: &JoinRequest,
        registry: &Registry,
        kept: &KeptJoin,
    ) -> Result<Self> {
        let schema = first.reader.schema();
        let axes = axes(schema, dim)?;
        let found = kept.found(inputs.len(), schema, request.inexact)?;
        kept.tell(&*first.reader, &pool, registry, |n| inputs.number(n))?;
        Self::of_found((first, dim), inputs, pool, request, registry, (axes, found))
    }

    fn of_found(
        (first, dim): (First, DimId),
        inputs: Inputs,
        pool: ReaderPool,
        request: &JoinRequest,
        registry: &Registry,
        (axes, found): (Vec<Option<usize>>, JoinFindings),
    ) -> Result<Self> {
        let schema = first.reader.schema().clone();
        let unpack = unpacked(&schema, &request.unpack, &axes)?;
        let mut joined = Self {
            layouts: vec![None; axes.len()],
            first: first.reader,
            inputs,
            pool,
            schema,
            dim,
            axes,
            pieces: found.pieces,
            names: found.names,
            changes: found.changes,
            labels: None,
            warnings: Vec::new(),
            differing: found.differing,
            first_changes: false,
            kept: None,
        };
        joined.lengthen(dim);
        for var in unpack {
            joined.unpack(var, registry);
        }
        if !request.labels.is_empty() {
            joined.label(dim, request, first.new.is_some())?;
        }
        Ok(joined)
    }

    /// Gives the dimension and what has it the length of all pieces.
    fn lengthen(&mut self, dim: DimId) {
        let length = self.pieces.last().map_or(0, |piece| piece.at + piece.count);
        self.schema.dims[dim.0].length = length;
        for (n, axis) in self.axes.iter().enumerate() {
            if axis.is_some() {
                let var = VarId(n);
                let mut layout = self.first.layout(var).clone();
                // The first input may have less of a variable than its dimensions, and others more.
                layout.extent = self.schema.shape(var);
                self.layouts[n] = Some(layout.into());
            }
        }
    }

    /// Adds the coordinate of a new dimension.
    fn label(&mut self, dim: DimId, request: &JoinRequest, is_new: bool) -> Result<()> {
        let name = self.schema.dim(dim).name.clone();
        if !is_new || coordinate_variable(&self.schema, dim).is_some() {
            return Err(Request::Labels.error(format!(
                "the inputs have the coordinate or the dimension {name} already; labels are for a new dimension"
            )));
        }
        let (variable, values) = labels::coordinate(&name, dim, &request.labels, self.inputs.len())?;
        let (size, encoding) = self.schema.storage_encoding(variable.ty);
        let layout = VariableLayout::contiguous(vec![self.inputs.len() as u64], size, encoding);
        let var = self.schema.add_var(variable);
        self.axes.push(Some(0));
        self.layouts.push(None);
        self.labels = Some((var, values, layout.into()));
        Ok(())
    }

    /// What the user should know of the join, a line each.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Attributes that differ between inputs, as `variable:attribute`. The first input's are taken.
    pub fn differing_attributes(&self) -> impl Iterator<Item = &str> {
        self.differing.iter().map(String::as_str)
    }

    /// The position of the joined dimension in a variable's shape, if the copy engine can take the variable of the inputs as they
    /// store it. `None` for variables without the dimension, and for those whose values are made here.
    pub fn joined_axis(&self, var: VarId) -> Option<usize> {
        let is_made = self.is_made(var);
        self.axes[var.0].filter(|_| !is_made)
    }

    /// The first input.
    pub fn first(&self) -> &dyn Reader {
        &*self.first
    }

    /// The dimension.
    pub fn dim(&self) -> DimId {
        self.dim
    }

    /// Number of cells that the first input has along the dimension, and that all have.
    pub fn lengths(&self) -> (u64, u64) {
        let of = |schema: &Schema| schema.dims.get(self.dim.0).map_or(0, |dim| dim.length);
        (of(self.first.schema()), of(&self.schema))
    }

    /// The position of the joined dimension in a variable's shape; `None` for variables without it.
    pub fn axis(&self, var: VarId) -> Option<usize> {
        self.axes[var.0]
    }

    /// Checks that the cells of the first input come first, and are all there.
    ///
    /// # Errors
    /// Names an input whose cells come before cells of the first one, or in their place.
    pub fn check_first_stays(&self) -> Result<()> {
        let (length, _) = self.lengths();
        let stays = |piece: &JoinPiece| (piece.input, piece.from, piece.count) == (0, 0, length);
        if length == 0 || self.pieces.first().is_some_and(stays) {
            return Ok(());
        }
        let other = self.pieces.iter().find(|piece| piece.input > 0);
        let why = "its cells come before cells that are there already, or in their place; --join writes a new dataset of both";
        Err(Error::Usage(why.to_owned()).in_file(self.inputs.name(other.map_or(0, |piece| piece.input))))
    }

    /// True if the values of a variable are made here: converted, or of labels.
    pub fn is_made(&self, var: VarId) -> bool {
        self.changes.contains_key(&var) || self.is_label(var) || self.is_filled(var)
    }

    /// True if inputs lack a variable without a fill value, whose missing cells must be written.
    fn is_filled(&self, var: VarId) -> bool {
        let lacks = |names: &NameMap| names.var(var).is_none();
        self.layout(var).fill.value.is_none() && self.names.iter().any(lacks)
    }

    fn is_label(&self, var: VarId) -> bool {
        self.labels.as_ref().is_some_and(|(label, ..)| *label == var)
    }

    /// The pieces of a variable that has the dimension, each with the variable in its input. Pieces of inputs that lack the variable
    /// are left out.
    pub fn pieces(&self, var: VarId) -> impl Iterator<Item = (JoinPiece, VarId)> + '_ {
        let of = move |piece: &JoinPiece| Some((*piece, self.names[piece.input].var(var)?));
        self.pieces.iter().filter_map(of)
    }

    /// The number of an input in the pool; `None` for the first, which is always open.
    pub fn in_pool(&self, input: usize) -> Option<usize> {
        (input > 0).then(|| self.inputs.number(input))
    }

    /// The name of the input that has an element of a variable.
    pub(super) fn name_of(&self, var: VarId, at: &[u64]) -> &str {
        let cell = self.axes[var.0].and_then(|axis| at.get(axis));
        let piece = cell.and_then(|cell| {
            let next = self.pieces.partition_point(|piece| piece.at <= *cell);
            self.pieces.get(next.checked_sub(1)?)
        });
        self.inputs.name(piece.map_or(0, |piece| piece.input))
    }

    /// Checks that the first input has not changed, unless it is the output.
    pub(super) fn check_first(&self) -> Result<()> {
        if self.first_changes {
            return Ok(());
        }
        let checked = self.first.check_unchanged();
        checked.map_err(|error| self.inputs.named(0, error))
    }
}

impl Reader for Joined {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn layout(&self, var: VarId) -> &VariableLayout {
        match (&self.labels, &self.layouts[var.0]) {
            (Some((label, _, layout)), _) if *label == var => layout,
            (_, Some(layout)) => layout,
            (_, None) => self.first.layout(var),
        }
    }

    fn written(&self, var: VarId) -> Result<Written> {
        match self.axes[var.0] {
            Some(_) => Ok(Written::All),
            None => self.first.written(var),
        }
    }

    fn read_range(&self, var: VarId, offset: u64, buf: &mut [u8]) -> Result<()> {
        match self.axes[var.0] {
            Some(_) => Err(Error::Internal("a joined variable is read by regions".into())),
            None => self.first.read_range(var, offset, buf),
        }
    }

    fn read_region(&self, var: VarId, region: &Region) -> Result<Values> {
        match (&self.labels, self.axes[var.0]) {
            (Some((label, values, layout)), _) if *label == var => Ok(labels::region(values, layout, region)),
            (_, Some(axis)) => self.gather(var, axis, region),
            (_, None) => self.first.read_region(var, region),
        }
    }

    fn extensions(&self) -> Extensions<'_> {
        let first = self.first.extensions();
        Extensions {
            chunks: None,
            places: None,
            records: None,
            fetch: None,
            sources: None,
            files: None,
            // A codec of elements is asked for by variable, and the labels are none of the first input's.
            elements: first.elements.filter(|_| self.labels.is_none()),
            check: None,
            changes: None,
            cache: None,
            space: None,
            stepped: None,
        }
    }
}
