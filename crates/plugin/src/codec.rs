//! [`PluginCodec`]: a filter of a plugin as a codec.

use std::path::Path;
use std::sync::Arc;

use ncutils_core::filter::{
    BoundCodec, ChunkShape, ChunkType, Codec, CodecFacts, CodecInput, MovedParameters, Outcome, Registry,
    StoredParameters, ZarrForm, is_registered_as_lossy,
};
use ncutils_core::model::{CodecSpec, Configuration, Encoding, ZarrVersion};
use serde_json::Value;

use crate::filter_class::{FilterClass, OPTIONAL, REVERSE};
use crate::libraries::Libraries;
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
        self.working(stored, &other_chunk(chunk))
            .is_ok_and(|made| made == stored)
    }

    /// The part of `stored` of which the plugin makes `stored` for chunks of type `chunk`. A proper part comes first: a
    /// plugin may take its own parameters for a user's, and leave them as they are. `None` if there is none, and if
    /// several parts do not make the same for other chunks.
    fn given<'a>(&self, stored: &'a [u32], chunk: &ChunkType) -> Option<&'a [u32]> {
        let other = other_chunk(chunk);
        let mut found: Option<(&[u32], Outcome<Vec<u32>>)> = None;
        let makes = |part: &[u32]| self.working(part, chunk).is_ok_and(|made| made == stored);
        for (_, part) in proper_parts(stored).filter(|(_, part)| makes(part)) {
            let made = self.working(part, &other);
            match &found {
                None => found = Some((part, made)),
                Some((_, earlier)) if *earlier != made => return None,
                Some(_) => {}
            }
        }
        match found {
            Some((part, _)) => Some(part),
            None => makes(stored).then_some(stored),
        }
    }

    /// The part of `stored` that may be what a user gave: of it, the plugin makes as many parameters for chunks of type
    /// `chunk`, and leaves the part where it is. `None` if there is none, and if several parts make different ones.
    fn part_of<'a>(&self, stored: &'a [u32], chunk: &ChunkType) -> Option<&'a [u32]> {
        let mut found: Option<(&[u32], Vec<u32>)> = None;
        for (start, part) in proper_parts(stored) {
            let Ok(made) = self.working(part, chunk) else {
                continue;
            };
            if made.len() != stored.len() || made.get(start..start + part.len()) != Some(part) {
                continue;
            }
            match &found {
                None => found = Some((part, made)),
                Some((_, earlier)) if *earlier != made => return None,
                Some(_) => {}
            }
        }
        found.map(|(part, _)| part)
    }

    /// The codec of this program that knows the filter's parameters.
    fn known(&self) -> Option<&'static Arc<dyn Codec>> {
        Registry::parameters_of(self.class()?.id)
    }

    /// The parameters that a known codec computes for chunks of type `chunk`, if the plugin takes them.
    fn known_for(&self, stored: &[u32], chunk: &ChunkType) -> Option<Vec<u32>> {
        let made = self.known()?.adapted_parameters(stored, chunk).ok()?;
        self.working(&made, chunk)
            .is_ok_and(|kept| kept == made)
            .then_some(made)
    }

    /// The filter with these parameters, as a user gives it.
    fn text(&self, parameters: &[u32]) -> String {
        let id = self.class().map_or(0, |class| class.id);
        parameters
            .iter()
            .fold(id.to_string(), |text, word| format!("{text},{word}"))
    }

    /// What a user types for this filter.
    fn to_give(&self) -> String {
        let help = self.known().map(|known| known.facts().parameters_help);
        let help = help.filter(|help| !help.is_empty());
        let help = help.map_or_else(
            || "the numbers that the plugin documents".to_owned(),
            |help| format!("({help})"),
        );
        format!("'{},' and {help}", self.class().map_or(0, |class| class.id))
    }

    /// The parameters for chunks of type `chunk`. The error is the plugin's alone.
    fn working(&self, visible: &[u32], chunk: &ChunkType) -> Outcome<Vec<u32>> {
        match self.class() {
            Some(class) => class.working(visible, chunk),
            None => Ok(visible.to_vec()),
        }
    }
}

/// A chunk of another element size and shape.
fn other_chunk(chunk: &ChunkType) -> ChunkType {
    let mut other = chunk.clone();
    other.element_size = if chunk.element_size == 4 { 8 } else { 4 };
    if let Encoding::Numbers { unit } = &mut other.encoding {
        *unit = other.element_size;
    }
    for length in &mut other.shape {
        *length = length.saturating_add(1);
    }
    other
}

/// Most parameters in which parts are sought: their number grows with the square.
const MOST_SOUGHT: usize = 32;

/// The parts of `stored` in a row that are shorter than it, each with its place: those to its end first, the longest of
/// them first.
fn proper_parts(stored: &[u32]) -> impl Iterator<Item = (usize, &[u32])> {
    let length = match stored.len() {
        0..=MOST_SOUGHT => stored.len(),
        _ => 0,
    };
    let tails = (1..length).map(move |start| (start, &stored[start..]));
    let others = (1..length).flat_map(move |end| (0..end).map(move |start| (start, &stored[start..end])));
    tails.chain(others)
}

/// A reason, with the plugin that gives it.
fn blame(path: &Path, why: String) -> String {
    format!("plugin {}: {why}", path.display())
}

impl Codec for PluginCodec {
    fn facts(&self) -> CodecFacts<'_> {
        let (class, zarr) = (self.class(), self.zarr());
        let known = self.known().map(|known| known.facts());
        CodecFacts {
            name: class.map_or("", |class| &class.name),
            hdf5_id: class.map(|class| class.id),
            zarr2: zarr.map(|zarr| zarr.name.as_str()),
            zarr3: zarr.map(|zarr| zarr.name_v3.as_str()),
            zarr3_aliases: &[],
            parameters_help: "",
            members: known.map_or(&[], |known| known.members),
            input: known.map_or(CodecInput::Bytes, |known| known.input),
            makes_bytes: false,
            in_netcdf_c: false,
            in_numcodecs: true,
            known_to: &[],
            filter_in_zarr2: false,
            only_reorders: false,
            verifies: false,
            is_lossy: class.is_some_and(|class| is_registered_as_lossy(class.id)),
            is_checksum: false,
            stored_parameters: Some(self),
            moved_parameters: Some(self),
            zarr_form: Some(self),
            visible_parameters: known.and_then(|known| known.visible_parameters),
            canonical_parameters: None,
            unsaid_members: &[],
            netcdf_c_numbers: None,
            encoded_type: None,
            same_configuration: None,
            renamed_configuration: None,
            type_member: None,
            is_odd_spelling: None,
            equivalent: None,
            deflate_wrapper: None,
            serves: None,
            self_describing: false,
            hdf5_check: None,
        }
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
}

impl StoredParameters for PluginCodec {
    /// Under HDF5, a plugin makes stored parameters of those that a user gives. `ncdump -s` prints the stored ones, and a
    /// user gives them back. They are recognised: the plugin makes them of a part of themselves. Then they are kept.
    fn working_parameters(&self, visible: &[u32], chunk: &ChunkType) -> Outcome<Vec<u32>> {
        if self.class().is_some_and(|class| !class.encodes) {
            return Err(self.refuse("it only decodes"));
        }
        let made = self.working(visible, chunk);
        let is_as_stored = || self.given(visible, chunk).is_some();
        if made.as_ref().is_ok_and(|made| made == visible) || is_as_stored() {
            return Ok(visible.to_vec());
        }
        made.map_err(|why| {
            // A few numbers are what a user thought of.
            if visible.len() < 2 {
                return self.refuse(&why);
            }
            let give = match self.part_of(visible, chunk) {
                Some(part) => format!("'{}'", self.text(part)),
                None => self.to_give(),
            };
            let why = format!(
                "{why}; if a file stores these parameters, it does so for chunks of another type or shape, and here give {give}"
            );
            self.refuse(&why)
        })
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
                Ok(made) if made == stored && self.keeps(stored, chunk) => {
                    if let Some(made) = self.known_for(stored, chunk) {
                        return Ok(made);
                    }
                    break;
                }
                Ok(made) if made.len() == stored.len() && (put_in_front == 0 || made.ends_with(visible)) => {
                    return Ok(made);
                }
                Ok(_) => {}
                Err(why) => reason = reason.or(Some(why)),
            }
        }
        let mut why = format!(
            "parameters for such chunks do not follow from the stored ones, so give them anew: {}",
            self.to_give()
        );
        if let Some(reason) = reason {
            why = format!("{why} ({reason})");
        }
        Err(self.refuse(&why))
    }
}

impl MovedParameters for PluginCodec {
    /// The visible parameters are the part of the stored ones of which the plugin makes the stored ones, for the chunks that
    /// they were stored for.
    fn moved_parameters(&self, stored: &[u32], from: &ChunkType, to: &ChunkType) -> Outcome<Vec<u32>> {
        let sets_local = self.class().is_some_and(FilterClass::sets_local);
        match self.given(stored, from) {
            Some(visible) if sets_local && !self.keeps(stored, to) => {
                self.working(visible, to).map_err(|why| self.refuse(&why))
            }
            _ => self.adapted_parameters(stored, to),
        }
    }
}

impl ZarrForm for PluginCodec {
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
