//! Copying chunks that keep their shape: unchanged, changed at the outer end of their filters, or decoded and encoded one by
//! one.

use crate::chunk::{ChunkGrid, Region, copy_region, swap_units};
use crate::copy::geometry::{AlignedGrids, swap_between};
use crate::copy::run::chunk_data::Data;
use crate::copy::run::chunk_target::{ChunkTarget, base, fill_block};
use crate::copy::run::context::Context;
use crate::copy::run::input_access::InputAccess;
use crate::copy::run::skip_fill::skip_fill;
use crate::copy::run::worker::{Worker, at_chunk, lost};
use crate::copy::task::Variable;
use crate::error::{Error, Result};
use crate::filter::{ChainEnd, EncodedChunk, Tested};
use crate::format::read_region::{chunk_shape, chunk_size};
use crate::format::{PlaceObject, StoredPlace};
use crate::model::VariableLayout;
use crate::store::StoredRange;

/// A chunk that keeps its shape.
struct KeptChunk {
    /// Its number in the input.
    from: u64,
    /// Its number in the output.
    chunk: u64,
    /// Its sequence number.
    sequence: u64,
}

impl Worker {
    /// Copies chunks that have the same shape in input and output. `chunks` numbers them among the variable's
    /// chunks to be written.
    pub fn same_chunks(
        &mut self,
        context: &Context,
        var: &Variable,
        same: &AlignedGrids,
        raw: bool,
        chunks: std::ops::Range<u64>,
    ) -> Result<u64> {
        let to = &context.terms.plans[var.out.0].layout;
        let target = ChunkTarget::of(context, var, &same.grid);
        let order = same.order();
        let mut bytes = 0;
        for n in chunks {
            let chunk = same.chunk(&order, position(var, n)?);
            let copied = match same.source(&var.inputs, chunk) {
                None => Err(lost()),
                Some((number, from)) => {
                    let input = &var.inputs[number];
                    let source = InputAccess::new(&context.terms.readers, input);
                    let edges = source.layout().edges == to.edges || !same.grid.is_edge(chunk);
                    let kept = KeptChunk {
                        from,
                        chunk,
                        sequence: var.first_sequence + n,
                    };
                    if raw && edges && same.is_whole(input, from, chunk) {
                        self.pass(source, &kept, &target, same.end(number))
                    } else {
                        self.refilter_chunk(source, &kept, &target)
                    }
                }
            };
            copied.map_err(|e| at_chunk(e, to, chunk))?;
            bytes += decoded_size(to);
        }
        Ok(bytes)
    }

    /// Passes an encoded chunk through, tested, and unchanged but for the `end` of its filters. A chunk that skipped codecs is encoded
    /// anew where the output stores no filter masks, or the end changes.
    fn pass(
        &mut self,
        source: InputAccess,
        kept: &KeptChunk,
        target: &ChunkTarget,
        end: Option<&ChainEnd>,
    ) -> Result<()> {
        if target.var.referenced && end.is_none() && self.refer(source, kept, target)? {
            return Ok(());
        }
        let data = match self.fetched.take_chunk(source.id(), kept.from) {
            Some(data) => data,
            None => source
                .open()?
                .read_encoded_chunk(source.var(), kept.from)
                .map_err(|e| source.named_chunk(kept.from, e))?,
        };
        let mut data = data.ok_or_else(lost)?;
        self.read += data.bytes.len() as u64;
        let mut tested = Tested::Nothing;
        if target.var.skips_fill {
            let whole = input_grid(source, target)?;
            let grid = whole.as_ref().unwrap_or(target.grid);
            let (pipeline, layout) = (source.pipeline()?, source.layout());
            self.encoded = std::mem::take(&mut data.bytes);
            self.decode_encoded(source, &pipeline, grid, kept.from, data.filter_mask)?;
            let own = grid.region(kept.from);
            let full = layout.stored_shape(&own.count);
            if skip_fill(target, kept.chunk, kept.sequence, &self.decoded, full)? {
                return Ok(());
            }
            data.bytes = std::mem::take(&mut self.encoded);
            tested = Tested::Decoded;
        }
        let is_plain = source.is_virtual() && !target.pipeline.is_empty();
        if data.filter_mask != 0 && (end.is_some() || is_plain || !target.pipeline.allows(data.filter_mask)) {
            let need = match end {
                None if is_plain => "the chunk has parts of several sources, and must be encoded",
                None => {
                    "the chunk skipped filters, which the output's format cannot state, and must be encoded anew"
                }
                Some(_) => {
                    "the chunk skipped filters, the output's filters are others, and it must be encoded anew"
                }
            };
            return self.encode_anew(source, data, kept, target, need);
        }
        if end.is_some_and(ChainEnd::verifies) {
            tested = Tested::Checksum;
        }
        if target.untested || tested > Tested::Nothing {
            self.passed.add(tested);
        } else {
            let whole = input_grid(source, target)?;
            self.test(source, whole.as_ref().unwrap_or(target.grid), kept.from, &data)?;
        }
        let own = target.grid.region(kept.chunk);
        let shape = chunk_shape(target.layout, &own.count);
        if let Some(end) = end {
            let applied = end.apply(&data.bytes, target.pipeline.size_of(shape)?);
            match applied.map_err(|e| source.in_chunk_key(kept.from, e))? {
                Some(changed) => data.bytes = changed,
                None => {
                    let need =
                        "other programs cannot read the chunk in the output, and it must be encoded anew";
                    return self.encode_anew(source, data, kept, target, need);
                }
            }
        }
        if target.pipeline.is_empty() {
            // Without codecs, a chunk of another size is damaged, and must not become part of another dataset.
            let checked = target.pipeline.check_size(data.bytes.len(), shape);
            checked.map_err(|e| source.in_chunk_key(kept.from, e))?;
        }
        self.keep(data.bytes.len());
        let sink = target.sink;
        sink.write_encoded_chunk(kept.sequence, target.var, kept.chunk, data)
    }

    /// Writes where a chunk lies, in place of its bytes. Returns false for a chunk that skipped codecs, or that no other program finds.
    fn refer(&mut self, source: InputAccess, kept: &KeptChunk, target: &ChunkTarget) -> Result<bool> {
        let place = match self.fetched.take_place(source.id(), kept.from) {
            Some(place) => place,
            None => source.open()?.place_of_chunk(source.var(), kept.from),
        };
        let place = place.map_err(|e| source.named_chunk(kept.from, e))?;
        let Some(StoredPlace {
            object: PlaceObject::Named(object),
            range,
            filter_mask: 0,
            version,
        }) = place
        else {
            return Ok(false);
        };
        let range = match range {
            None if target.sink.needs_lengths() => {
                let length = source.open()?.length_of_chunk(source.var(), kept.from);
                let length = length.map_err(|e| source.named_chunk(kept.from, e))?;
                length.map(|length| (0, length))
            }
            range => range,
        };
        let place = StoredRange {
            object,
            range,
            version,
        };
        self.keep(place.object.len());
        target
            .sink
            .write_reference(kept.sequence, target.var, kept.chunk, place)?;
        Ok(true)
    }

    /// Decodes a chunk that cannot pass, and encodes it with the output's filters. `need` tells why, if a filter is not known.
    fn encode_anew(
        &mut self,
        source: InputAccess,
        data: EncodedChunk,
        kept: &KeptChunk,
        target: &ChunkTarget,
        need: &str,
    ) -> Result<()> {
        self.encoded = data.bytes;
        let whole = input_grid(source, target)?;
        let grid = whole.as_ref().unwrap_or(target.grid);
        let pipeline = source.pipeline()?;
        // The filters that the chunk did not skip may all be known, but it must now pass all of them.
        self.decode_encoded(source, &pipeline, grid, kept.from, data.filter_mask)
            .and_then(|()| target.pipeline.check_known())
            .map_err(|e| e.with_need(need))?;
        self.encode_decoded(source, grid, kept, target)
    }

    fn refilter_chunk(&mut self, source: InputAccess, kept: &KeptChunk, target: &ChunkTarget) -> Result<()> {
        let whole = input_grid(source, target)?;
        let grid = whole.as_ref().unwrap_or(target.grid);
        self.decode(source, grid, kept.from)?;
        self.encode_decoded(source, grid, kept, target)
    }

    /// Encodes the chunk in `self.decoded`, and writes it. `grid` is the input's.
    fn encode_decoded(
        &mut self,
        source: InputAccess,
        grid: &ChunkGrid,
        &KeptChunk {
            from,
            chunk,
            sequence,
        }: &KeptChunk,
        target: &ChunkTarget,
    ) -> Result<()> {
        let layout = source.layout();
        swap_units(&mut self.decoded, swap_between(layout, target.layout));
        if target.grid.is_edge(chunk) || grid.is_edge(from) {
            // Elements past the extent are arbitrary in the input. In the output they are fill values.
            let shape = target.grid.chunk();
            let own = grid.region(from);
            let origin = vec![0; shape.len()];
            let inside = target.grid.region(chunk).relative_to(&target.grid.origin(chunk));
            let held = grid.region(from).relative_to(&grid.origin(from));
            let inside = inside.intersect(&held).unwrap_or(Region {
                start: origin.clone(),
                count: origin.clone(),
            });
            let size = chunk_size(target.layout, shape)?;
            fill_block(
                &mut self.block,
                size,
                base(target.var, source.layout(), target.layout),
                target.layout,
            )?;
            copy_region(
                &self.decoded,
                layout.stored_shape(&own.count),
                &origin,
                &mut self.block,
                shape,
                &origin,
                &inside.count,
                target.layout.element_size,
                1,
            )?;
            std::mem::swap(&mut self.block, &mut self.decoded);
        }
        let mut data = std::mem::take(&mut self.decoded);
        let written = self.write_chunk(target, chunk, sequence, Data::Owned(&mut data));
        self.decoded = data;
        written
    }
}

/// The grid of an input with the output's chunk shape; `None` if it is the output's.
fn input_grid(source: InputAccess, target: &ChunkTarget) -> Result<Option<ChunkGrid>> {
    let extent = &source.layout().extent;
    if *extent == target.layout.extent {
        return Ok(None);
    }
    ChunkGrid::new(extent, target.grid.chunk()).map(Some)
}

fn position(var: &Variable, n: u64) -> Result<u64> {
    var.to_write
        .position(n)
        .ok_or_else(|| Error::Internal("more chunks than were planned".into()))
}

fn decoded_size(layout: &VariableLayout) -> u64 {
    chunk_size(layout, layout.chunk_shape()).map_or(0, |size| size as u64)
}
