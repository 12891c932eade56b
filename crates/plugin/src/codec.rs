//! [`PluginCodec`]: a filter of a plugin as a codec.

use std::path::Path;
use std::sync::Arc;

use ncutils_core::filter::{BoundCodec, ChunkShape, ChunkType, Codec, Outcome};
use ncutils_core::model::{CodecSpec, Configuration, Encoding, ZarrVersion};
use serde_json::Value;

use crate::filter_class::{FilterClass, OPTIONAL, REVERSE};
use crate::finder::Libraries;
use crate::zarr_class::ZarrClass;

/// A filter of a plugin, with a Zarr name if some plugin has a codec of its id.
pub(crate) struct PluginCodec {
    libraries: Arc<Libraries>,
    /// Position of its library.
    at: usize,
}

impl PluginCodec {
    /// The filter of the library at `at`; `None` if it has none.
    pub fn new(libraries: &Arc<Libraries>, at: usize) -> Option<Self> {
        libraries.filter(at)?;
        Some(Self {
            libraries: Arc::clone(libraries),
            at,
        })
    }

    fn class(&self) -> Option<&FilterClass> {
        self.libraries.filter(self.at)
    }

    fn path(&self) -> &Path {
        self.libraries.path(self.at)
    }

    fn zarr(&self) -> Option<&ZarrClass> {
        self.libraries.zarr_by_id(self.class()?.id)
    }

    /// Adds the library to a reason.
    fn blame(&self, why: String) -> String {
        blame(self.path(), why)
    }

    /// A reason that continues "filter 40000 (name) …", with the library.
    fn refuse(&self, why: &str) -> String {
        format!("is refused by its plugin {}: {why}", self.path().display())
    }

    /// True if the plugin keeps `stored` even for chunks of another element size and shape than `chunk`.
    fn keeps(&self, stored: &[u32], chunk: &ChunkType) -> bool {
        let mut other = chunk.clone();
        other.element_size = if chunk.element_size == 4 { 8 } else { 4 };
        if let Encoding::Numbers { unit } = &mut other.encoding {
            *unit = other.element_size;
        }
        for length in &mut other.shape {
            *length = length.saturating_add(1);
        }
        self.working(stored, &other).is_ok_and(|made| made == stored)
    }

    /// The parameters for chunks of type `chunk`. The error is the plugin's alone.
    fn working(&self, visible: &[u32], chunk: &ChunkType) -> Outcome<Vec<u32>> {
        match self.class() {
            Some(class) => class.working(visible, chunk),
            None => Ok(visible.to_vec()),
        }
    }
}

/// A reason, with the plugin that gives it.
fn blame(path: &Path, why: String) -> String {
    format!("plugin {}: {why}", path.display())
}

impl Codec for PluginCodec {
    fn name(&self) -> &str {
        self.class().map_or("", |class| &class.name)
    }

    fn hdf5_id(&self) -> Option<u32> {
        Some(self.class()?.id)
    }

    fn zarr_name(&self, version: ZarrVersion) -> Option<&str> {
        let class = self.zarr()?;
        Some(match version {
            ZarrVersion::V2 => &class.name,
            ZarrVersion::V3 => &class.name_v3,
        })
    }

    fn bind(&self, spec: &CodecSpec, chunk: &ChunkType) -> Outcome<Box<dyn BoundCodec>> {
        let parameters = match spec {
            CodecSpec::Zarr {
                version,
                configuration,
                ..
            } => self.parameters(*version, configuration, chunk).ok_or_else(|| {
                self.blame("its codec is not paired with it, or its configuration is not understood".into())
            })?,
            hdf5 => hdf5.parameters().to_vec(),
        };
        Ok(Box::new(Bound {
            libraries: Arc::clone(&self.libraries),
            at: self.at,
            parameters,
            flags: if spec.is_optional() { OPTIONAL } else { 0 },
            chunk: chunk.clone(),
        }))
    }

    fn working_parameters(&self, visible: &[u32], chunk: &ChunkType) -> Outcome<Vec<u32>> {
        if self.class().is_some_and(|class| !class.encodes) {
            return Err(self.refuse("it only decodes"));
        }
        self.working(visible, chunk).map_err(|why| self.refuse(&why))
    }

    /// A plugin computes stored parameters from visible ones, which a file does not have. Some plugins overwrite some of
    /// the stored parameters, and some put theirs in front of the visible ones. The visible ones are therefore sought as
    /// a tail of the stored ones, from which the plugin makes as many parameters as are stored.
    fn adapted_parameters(&self, stored: &[u32], chunk: &ChunkType) -> Outcome<Vec<u32>> {
        if !self.class().is_some_and(FilterClass::sets_local) || stored.is_empty() {
            return self.working(stored, chunk).map_err(|why| self.refuse(&why));
        }
        let mut reason = None;
        for put_in_front in 0..=stored.len() {
            let visible = &stored[put_in_front..];
            match self.working(visible, chunk) {
                // A plugin that never changes stored parameters (zfp) would read past chunks that are smaller.
                Ok(made) if made == stored && self.keeps(stored, chunk) => break,
                Ok(made) if made.len() == stored.len() && (put_in_front == 0 || made.ends_with(visible)) => {
                    return Ok(made);
                }
                Ok(_) => {}
                Err(why) => reason = reason.or(Some(why)),
            }
        }
        let mut why =
            "parameters for such chunks do not follow from the stored ones, so give them anew".to_owned();
        if let Some(reason) = reason {
            why = format!("{why} ({reason})");
        }
        Err(self.refuse(&why))
    }

    fn parameters(
        &self,
        version: ZarrVersion,
        configuration: &Configuration,
        chunk: &ChunkType,
    ) -> Option<Vec<u32>> {
        let class = self.zarr()?;
        let _ = version;
        let mut members = Configuration::from_iter([("id".to_owned(), Value::from(class.name.as_str()))]);
        members.extend(
            configuration
                .iter()
                .map(|(name, value)| (name.clone(), value.clone())),
        );
        let visible = class
            .parameters(&Value::Object(members).to_string(), chunk)
            .ok()?;
        match self.class()?.sets_local() {
            true => self.working(&visible, chunk).ok(),
            false => class.working(&visible, chunk).ok(),
        }
    }

    fn configuration(&self, _: ZarrVersion, parameters: &[u32], chunk: &ChunkType) -> Option<Configuration> {
        let json = self.zarr()?.json(parameters, chunk).ok()?;
        match serde_json::from_str(&json).ok()? {
            Value::Object(mut members) => {
                members.shift_remove("id");
                Some(members)
            }
            _ => None,
        }
    }
}

/// A filter of a plugin with its parameters.
struct Bound {
    libraries: Arc<Libraries>,
    at: usize,
    parameters: Vec<u32>,
    /// HDF5's flags of the filter.
    flags: u32,
    chunk: ChunkType,
}

impl Bound {
    fn run(&self, direction: u32, input: &[u8], limit: usize, out: &mut Vec<u8>) -> Outcome {
        let class = self.libraries.filter(self.at).ok_or("not loaded")?;
        let able = match direction {
            REVERSE => class.decodes,
            _ => class.encodes,
        };
        let done = match able {
            true => class.run(
                self.flags | direction,
                &self.parameters,
                &self.chunk,
                input,
                limit,
                out,
            ),
            false if direction == REVERSE => Err("it only encodes".to_owned()),
            false => Err("it only decodes".to_owned()),
        };
        done.map_err(|why| blame(self.libraries.path(self.at), why))
    }
}

impl BoundCodec for Bound {
    fn encode(&self, input: &[u8], _: ChunkShape, out: &mut Vec<u8>) -> Outcome {
        self.run(0, input, self.max_encoded_size(input.len()), out)
    }

    fn decode(&self, input: &[u8], _: ChunkShape, limit: usize, out: &mut Vec<u8>) -> Outcome {
        self.run(REVERSE, input, limit, out)
    }

    /// A generous bound, because any filter may be in a plugin: four times the input, and 64 KiB.
    fn max_encoded_size(&self, input_len: usize) -> usize {
        input_len.saturating_mul(4).saturating_add(1 << 16)
    }
}
