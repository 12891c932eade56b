//! Random datasets, written and read.

use proptest::prelude::*;

use super::*;
use ncutils_core::format::Region;

/// A dimension: its length, the length of a chunk, and the chunks of a shard.
type Side = (u64, u64, u64);

#[derive(Debug, Clone)]
struct Random {
    sides: Vec<Side>,
    ty: usize,
    sharded: bool,
    index: bool,
    filters: usize,
    seed: u64,
    /// One chunk in so many holds fill values alone.
    holes: u64,
    fill: Option<u8>,
    threads: usize,
    memory: u64,
    zip: bool,
}

fn random() -> impl Strategy<Value = Random> {
    let sides = proptest::collection::vec((1u64..12, 1u64..6, 1u64..4), 0..4);
    let one = (
        sides,
        0..Type::ATOMIC.len(),
        any::<bool>(),
        any::<bool>(),
        0usize..4,
    );
    let two = (
        any::<u64>(),
        1u64..4,
        any::<Option<u8>>(),
        1usize..4,
        1u64..100_000,
        any::<bool>(),
    );
    (one, two).prop_map(
        |((sides, ty, sharded, index, filters), (seed, holes, fill, threads, memory, zip))| Random {
            sides,
            ty,
            sharded,
            index,
            filters,
            seed,
            holes,
            fill,
            threads,
            memory,
            zip,
        },
    )
}

/// Numbers that depend on a seed and a position alone.
fn noise(seed: u64, n: u64) -> u64 {
    let mut z = seed.wrapping_add(n.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z ^ (z >> 27)
}

impl Random {
    fn shape(&self) -> Vec<u64> {
        self.sides.iter().map(|side| side.0).collect()
    }

    fn ty(&self) -> Type {
        Type::ATOMIC[self.ty]
    }

    /// The elements. A chunk that is a hole holds the fill value.
    fn values(&self, fill: &Values) -> Values {
        let (shape, ty) = (self.shape(), self.ty());
        let count: u64 = shape.iter().product();
        let size = ty.atomic_size();
        let mut bytes = Vec::new();
        let mut strings = Vec::new();
        for n in 0..count {
            let (mut rest, mut chunk) = (n, 0);
            for (length, inner, _) in self.sides.iter().rev() {
                chunk = chunk * 100 + rest % length / inner;
                rest /= length;
            }
            let is_hole = noise(self.seed, chunk).is_multiple_of(self.holes + 1);
            let number = noise(!self.seed, n);
            match ty {
                Type::String if is_hole => strings.push(fill.string(0).map(<[u8]>::to_vec)),
                Type::String => strings.push(Some(format!("{:x}", number >> (n % 60)).into_bytes())),
                _ if is_hole => bytes.extend_from_slice(&fill.bytes),
                _ => bytes.extend_from_slice(&number.to_le_bytes()[..size]),
            }
        }
        match ty {
            Type::String => Values::from_strings(strings.iter().map(Option::as_deref)),
            _ => Values::from_bytes(bytes),
        }
    }

    fn dataset(&self) -> Dataset {
        let mut dataset = Dataset::new(Kind::Netcdf4);
        let root = Schema::ROOT;
        let dims: Vec<_> = self
            .sides
            .iter()
            .enumerate()
            .map(|(n, side)| dataset.dim(root, &format!("d{n}"), side.0, false))
            .collect();
        let var = dataset.var(root, "v", self.ty(), &dims, None, None);
        if let (Some(byte), false) = (self.fill, self.ty() == Type::String) {
            let fill = Values::from_bytes(vec![byte; self.ty().atomic_size()]);
            dataset.attribute(var, "_FillValue", self.ty(), 1, fill);
        }
        let fill = dataset.layout(var).fill.value.clone();
        dataset.data[var.0] = Some(self.values(&fill.unwrap_or_default()));
        dataset
    }

    /// The options of the copy to version 3.
    fn options(&self, registry: &Registry) -> CopyOptions {
        let list = |of: fn(&Side) -> u64| {
            let lengths: Vec<String> = self.sides.iter().map(|side| of(side).to_string()).collect();
            format!("v:{}", lengths.join(","))
        };
        let mut options = to(Kind::Zarr3, registry);
        if !self.sides.is_empty() {
            let chunk = list(|side| side.1.min(side.0));
            options.chunking = vec![ncutils_core::copy::plan::ChunkSpec::parse(&chunk).unwrap()];
            let shard = list(|side| side.1.min(side.0) * side.2);
            let shard = if self.sharded { &*shard } else { "none" };
            options.shards = vec![ShardSpec::parse(shard).unwrap()];
        }
        options.shard_index = self.index.then_some(IndexLocation::Start);
        let filters = ["", "*,1,1", "*,2|32015,3", "*,1,1|3"][self.filters];
        // Shuffled strings are none.
        if !filters.is_empty() && (self.filters == 1 || self.ty() != Type::String) {
            options.filters = vec![ncutils_core::filter::spec::parse(filters).unwrap()];
        }
        options.skip_fill = self.seed.is_multiple_of(2);
        options
    }
}

/// All elements. Texts are compared as texts.
fn all(reader: &dyn Reader) -> (Vec<u8>, Vec<Vec<u8>>) {
    let shape = reader.schema().shape(VarId(0));
    let values = reader.read_region(VarId(0), &Region::whole(&shape)).unwrap();
    match reader.schema().vars[0].ty {
        Type::String => {
            let count: u64 = shape.iter().product();
            let text = |n: u64| values.string(n as usize * ncutils_core::model::SLOT_SIZE);
            let texts = (0..count).map(|n| text(n).unwrap_or_default().to_vec());
            (Vec::new(), texts.collect())
        }
        _ => (values.bytes, Vec::new()),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn what_is_written_is_read(random in random()) {
        let registry = Registry::builtin();
        let output = Arc::new(MemoryOutput::new());
        random.dataset().write(output.clone()).unwrap();
        let source = format::open(Arc::new(output.bytes()), &registry).unwrap();
        let options = random.options(&registry);
        let run = RunOptions {
            threads: Some(random.threads),
            memory: Some(random.memory),
            ..RunOptions::default()
        };
        let copied = copy_with(&*source, &options, &run, random.zip).unwrap();
        let reader = copied.stored.open(&registry);
        prop_assert!(reader.schema().faults.is_empty() && reader.schema().warnings.is_empty());
        let expected = all(&*source);
        prop_assert!(all(&*reader) == expected, "other values");
        // A part, which meets some shards alone.
        let region = Region {
            start: random.sides.iter().map(|side| side.0 / 3).collect(),
            count: random.sides.iter().map(|side| side.0 - side.0 / 3).collect(),
        };
        if random.ty() != Type::String {
            let part = |reader: &dyn Reader| reader.read_region(VarId(0), &region).unwrap().bytes;
            prop_assert!(part(&*reader) == part(&*source));
        }
        // Other shards, and back to netCDF-4.
        let again = CopyOptions {
            shards: vec![ShardSpec::parse("200").unwrap()],
            ..to(Kind::Zarr3, &registry)
        };
        let again = copy_with(&*reader, &again, &run, !random.zip).unwrap();
        let other = again.stored.open(&registry);
        prop_assert!(chunks(&*other) == chunks(&*reader), "other chunks in other shards");
        let back = copy_with(&*other, &to(Kind::Netcdf4, &registry), &run, false).unwrap();
        prop_assert!(all(&*back.stored.open(&registry)) == expected, "other values in netCDF-4");
    }
}
