//! Datatypes (specification section IV.A.2.d, "The Datatype Message"): size and meaning of an element.
//!
//! `messages/dataset/datatype.rs` parses them from message bytes, and `writer/messages/datatype.rs` encodes them.

/// Order of the bytes of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ByteOrder {
    /// Least significant byte first.
    Little,
    /// Most significant byte first.
    Big,
    /// VAX mixed order (floating point only).
    Vax,
}

/// How a string is terminated or padded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StringPadding {
    /// Ends at the first NUL.
    NullTerminate,
    /// Padded with NULs.
    NullPad,
    /// Padded with spaces.
    SpacePad,
}

/// Character set of a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CharacterSet {
    /// US-ASCII (in practice any single-byte text).
    Ascii,
    /// UTF-8.
    Utf8,
}

/// A datatype: size and meaning of an element.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Datatype {
    /// Size of an element in the file, in bytes. For a variable-length type, it is 8 plus the size of an address.
    pub size: u32,
    /// Meaning of the bytes.
    pub class: Class,
}

/// The class of a datatype, with its properties.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Class {
    /// Class 0: integers.
    FixedPoint {
        /// Byte order, `Little` or `Big`.
        order: ByteOrder,
        /// True for two's complement.
        signed: bool,
        /// The first significant bit.
        bit_offset: u16,
        /// Number of significant bits.
        precision: u16,
    },
    /// Class 1: floating-point numbers.
    FloatingPoint(FloatingPoint),
    /// Class 2: time (never used by libraries).
    Time {
        /// Byte order.
        order: ByteOrder,
        /// Number of significant bits.
        precision: u16,
    },
    /// Class 3: strings of fixed size.
    String {
        /// Termination or padding.
        padding: StringPadding,
        /// Character set of its bytes.
        charset: CharacterSet,
    },
    /// Class 4: bit fields.
    Bitfield {
        /// Byte order.
        order: ByteOrder,
        /// The first significant bit.
        bit_offset: u16,
        /// Number of significant bits.
        precision: u16,
    },
    /// Class 5: opaque bytes.
    Opaque {
        /// The ASCII tag.
        tag: String,
    },
    /// Class 6: compounds.
    Compound {
        /// The members, in the file's order.
        members: Vec<CompoundMember>,
    },
    /// Class 7: references.
    Reference {
        /// The kind of object referred to.
        kind: ReferenceKind,
    },
    /// Class 8: enumerations.
    Enumeration {
        /// The integer type of the values.
        base: Box<Datatype>,
        /// Names with their values, `base.size` bytes each in the byte order of `base`.
        members: Vec<(String, Vec<u8>)>,
    },
    /// Class 9: variable-length sequences. An element holds its length and a global heap id.
    VariableLength {
        /// Type of the members.
        base: Box<Datatype>,
    },
    /// Class 9, type 1: variable-length strings.
    VariableString {
        /// Termination or padding (HDF5 writes `NullTerminate`).
        padding: StringPadding,
        /// Character set of its bytes.
        charset: CharacterSet,
    },
    /// Class 10: arrays of fixed shape.
    Array {
        /// The shape, slowest dimension first.
        dims: Vec<u32>,
        /// Type of the members.
        base: Box<Datatype>,
    },
    /// Class 11: complex numbers (HDF5 2.0).
    Complex {
        /// The floating-point type of each part.
        base: Box<Datatype>,
    },
}

/// The properties of a floating-point type. Positions and sizes are in bits.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FloatingPoint {
    /// Byte order.
    pub order: ByteOrder,
    /// Mantissa normalization: 0 none, 1 most significant bit always set, 2 that bit implied.
    pub normalization: u8,
    /// The first significant bit.
    pub bit_offset: u16,
    /// Number of significant bits.
    pub precision: u16,
    /// Position of the sign bit.
    pub sign_location: u8,
    /// Lowest bit of the exponent.
    pub exponent_location: u8,
    /// Number of bits of the exponent.
    pub exponent_size: u8,
    /// Lowest bit of the mantissa.
    pub mantissa_location: u8,
    /// Number of bits of the mantissa.
    pub mantissa_size: u8,
    /// Bias: subtracted from the stored exponent.
    pub exponent_bias: u32,
}

/// One member of a compound.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CompoundMember {
    /// Its name.
    pub name: String,
    /// Offset within the element, in bytes.
    pub offset: u32,
    /// Its type. An array member of a version 1 message is a [`Class::Array`].
    pub datatype: Datatype,
}

/// The kind of object that a reference refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReferenceKind {
    /// An object: its object header's address.
    Object,
    /// A region of a dataset: a global heap id.
    DatasetRegion,
    /// HDF5 1.12's revised references (objects, regions, attributes).
    Standard,
}

impl Datatype {
    /// A little- or big-endian integer of `size` bytes, all bits significant.
    pub fn integer(size: u32, signed: bool, order: ByteOrder) -> Self {
        let bits = size.saturating_mul(8);
        Self {
            size,
            class: Class::FixedPoint {
                order,
                signed,
                bit_offset: 0,
                precision: bits.min(u16::MAX.into()) as u16,
            },
        }
    }

    /// An IEEE 754 binary16, binary32 or binary64 number. `size` is 2, 4 or 8.
    pub fn ieee(size: u32, order: ByteOrder) -> Self {
        let (exponent_size, mantissa_size, exponent_bias) = match size {
            2 => (5, 10, 15),
            4 => (8, 23, 127),
            _ => (11, 52, 1023),
        };
        let bits = size.saturating_mul(8);
        Self {
            size,
            class: Class::FloatingPoint(FloatingPoint {
                order,
                normalization: 2,
                bit_offset: 0,
                precision: bits.min(u16::MAX.into()) as u16,
                sign_location: bits.saturating_sub(1).min(u8::MAX.into()) as u8,
                exponent_location: mantissa_size,
                exponent_size,
                mantissa_location: 0,
                mantissa_size,
                exponent_bias,
            }),
        }
    }

    /// A string of `size` bytes.
    pub fn string(size: u32, padding: StringPadding, charset: CharacterSet) -> Self {
        Self {
            size,
            class: Class::String { padding, charset },
        }
    }

    /// A variable-length string, in a file whose addresses take 8 bytes.
    pub fn variable_string(charset: CharacterSet) -> Self {
        Self {
            size: 16,
            class: Class::VariableString {
                padding: StringPadding::NullTerminate,
                charset,
            },
        }
    }

    /// A variable-length sequence of `base`, in a file whose addresses take 8 bytes.
    pub fn variable_length(base: Datatype) -> Self {
        Self {
            size: 16,
            class: Class::VariableLength { base: Box::new(base) },
        }
    }

    /// An object reference, in a file whose addresses take 8 bytes.
    pub fn object_reference() -> Self {
        Self {
            size: 8,
            class: Class::Reference {
                kind: ReferenceKind::Object,
            },
        }
    }

    /// True if elements hold addresses of their own file (variable-length data or references) at any depth.
    pub fn holds_addresses(&self) -> bool {
        match &self.class {
            Class::VariableLength { .. } | Class::VariableString { .. } | Class::Reference { .. } => true,
            Class::Compound { members } => members.iter().any(|m| m.datatype.holds_addresses()),
            Class::Array { base, .. } => base.holds_addresses(),
            _ => false,
        }
    }
}
