//! Files for raw data beside an output.

use std::sync::Arc;

use crate::chunk::element_count;
use crate::error::{Error, Result};
use crate::format::VariablePlan;
use crate::location::{Location, Target};
use crate::model::{Schema, VarId};
use crate::store::{RawData, RawFiles};

impl Location {
    /// Creates the files for the raw data of variables that are planned to have it in files of their own. `None` if there are no
    /// such variables. The files appear with the destination that gets them.
    ///
    /// # Errors
    /// Those of [`RawFiles::create`]. An output on a remote store has no files beside it.
    pub fn raw_files(&self, schema: &Schema, plans: &[VariablePlan]) -> Result<Option<Arc<RawFiles>>> {
        self.with_raw_data(schema, plans, |path, data| {
            RawFiles::create(path, data).map(Arc::new)
        })
    }

    /// Checks what [`Location::raw_files`] checks, and creates nothing.
    ///
    /// # Errors
    /// Those of [`RawFiles::check`]. An output on a remote store has no files beside it.
    pub fn check_raw_files(&self, schema: &Schema, plans: &[VariablePlan]) -> Result<()> {
        self.with_raw_data(schema, plans, RawFiles::check).map(|_| ())
    }

    fn with_raw_data<T>(
        &self,
        schema: &Schema,
        plans: &[VariablePlan],
        work: impl FnOnce(&std::path::Path, &[RawData<'_>]) -> Result<T>,
    ) -> Result<Option<T>> {
        let external = plans.iter().enumerate();
        let external: Vec<_> = external
            .filter_map(|(n, plan)| Some((schema.var_path(VarId(n)), plan, plan.external.as_deref()?)))
            .collect();
        if external.is_empty() {
            return Ok(None);
        }
        if matches!(self.target, Target::Remote(_)) {
            let why = "writing external files beside a remote output";
            return Err(self.named()(Error::Unsupported(why.to_owned())));
        }
        let data = external.iter().map(|(path, plan, parts)| {
            let bytes = element_count(&plan.layout.extent)
                .and_then(|count| count.checked_mul(plan.layout.element_size as u64));
            let bytes = bytes.ok_or_else(|| Error::Unsupported("more data than 2^64 bytes".to_owned()))?;
            Ok(RawData {
                variable: path,
                parts,
                bytes,
            })
        });
        let data = data.collect::<Result<Vec<_>>>().map_err(self.named())?;
        work(self.local_path()?, &data).map(Some).map_err(self.named())
    }
}
