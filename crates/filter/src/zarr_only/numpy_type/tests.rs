use super::*;

/// All types in both orders.
fn types() -> Vec<NumpyType> {
    let mut all = Vec::new();
    for class in [NumberClass::Signed, NumberClass::Unsigned, NumberClass::Float] {
        for size in [1, 2, 4, 8] {
            for endian in [Endian::Little, Endian::Big] {
                all.extend(NumpyType::checked(class, size, endian));
            }
        }
    }
    all
}

/// Numbers of a type in more than one block of [`BLOCK`] bytes, among them zeros, first and last values and NaN.
fn numbers(ty: NumpyType) -> Vec<u8> {
    let mut state = 1u64;
    let mut made = Vec::new();
    for n in 0..5000 {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        let bits = match n {
            0 => 0,
            1 => u64::MAX,
            2 => i64::MAX as u64,
            3 => i64::MIN as u64,
            // Floats of the size of integers.
            _ if n % 2 == 0 && ty.class == NumberClass::Float => {
                let small = f64::from((state >> 32) as i32) / 1024.0;
                if ty.size == 4 {
                    u64::from((small as f32).to_bits()) << 32
                } else {
                    small.to_bits()
                }
            }
            _ => state,
        };
        let bytes = &mut bits.to_le_bytes()[8 - ty.size..];
        if ty.endian == Endian::Big {
            bytes.reverse();
        }
        made.extend_from_slice(bytes);
    }
    made
}

#[test]
fn numbers_are_converted_as_rust_does() {
    for from in types() {
        let input = numbers(from);
        for to in types() {
            let mut expected = vec![0; converted_len(from, to, input.len())];
            with_number!(from, A => with_number!(to, B => {
                for (number, made) in input.chunks(from.size).zip(expected.chunks_mut(to.size)) {
                    let converted: B = A::from_slice(number, from.endian).to();
                    converted.to_slice(to.endian, made);
                }
            }));
            let mut out = vec![7; 3];
            convert(from, to, &input, expected.len(), &mut out).unwrap();
            assert!(out == expected, "{from} to {to}");
            assert!(convert(from, to, &input, expected.len() - 1, &mut out).is_err());
        }
    }
}
