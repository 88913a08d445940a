//! The numbers behind a PLY file's header, one after the other.

use std::fmt;
use std::io::BufRead;
use std::str;

use super::super::builder::Builder;
use super::super::bytes::Bytes;
use super::super::words::Words;
use super::header::{Header, Scalar};
use crate::mesh::{MeshError, Place};

/// A number in the file.
#[derive(Clone, Copy, Debug)]
pub(super) enum Value {
    Whole(i64),
    Float(f64),
}

impl Value {
    pub(super) fn number(self) -> f64 {
        match self {
            Self::Whole(number) => number as f64,
            Self::Float(number) => number,
        }
    }

    /// If it is a whole number of 0 or more.
    pub(super) fn whole(self) -> Option<u64> {
        match self {
            Self::Whole(number) => u64::try_from(number).ok(),
            Self::Float(_) => None,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(number) => number.fmt(f),
            Self::Float(number) => number.fmt(f),
        }
    }
}

/// Where numbers come from.
pub(super) trait Values {
    /// The next one, which is of this type; `expected` tells what it is for.
    fn value(&mut self, scalar: Scalar, builder: &Builder, expected: &impl Fn() -> String) -> Result<Value, MeshError>;

    /// Where the next one is; in a text, the line of the one before.
    fn place(&self) -> Place;

    /// Makes sure that nothing follows.
    fn end(&mut self) -> Result<(), MeshError>;
}

pub(super) struct Text<R>(Words<R>);

impl<R: BufRead> Text<R> {
    pub(super) fn new(reader: R, header: &Header) -> Self {
        Self(Words::after_lines(reader, header.lines))
    }
}

impl<R: BufRead> Values for Text<R> {
    fn value(&mut self, scalar: Scalar, builder: &Builder, expected: &impl Fn() -> String) -> Result<Value, MeshError> {
        let word = self.0.next()?;
        let value = word.and_then(|word| match scalar {
            Scalar::F32 | Scalar::F64 => builder.placement.number(word).map(Value::Float),
            _ => str::from_utf8(word).ok()?.parse().ok().map(Value::Whole),
        });
        if let Some(value) = value {
            return Ok(value);
        }
        let found = word.map(<[u8]>::to_vec);
        Err(self.0.unexpected(expected(), found.as_deref()))
    }

    fn place(&self) -> Place {
        self.0.line()
    }

    fn end(&mut self) -> Result<(), MeshError> {
        match self.0.next()?.map(<[u8]>::to_vec) {
            None => Ok(()),
            found => Err(self.0.unexpected("the end of the file", found.as_deref())),
        }
    }
}

pub(super) struct Binary<R> {
    bytes: Bytes<R>,
    is_big_endian: bool,
}

impl<R: BufRead> Binary<R> {
    pub(super) fn new(reader: R, header: &Header, is_big_endian: bool) -> Self {
        Self { bytes: Bytes::after(reader, header.bytes), is_big_endian }
    }

    /// The bytes of a number, the lowest first.
    fn take<const N: usize>(&mut self, expected: &impl Fn() -> String) -> Result<[u8; N], MeshError> {
        let mut bytes = self.bytes.take(expected)?;
        if self.is_big_endian {
            bytes.reverse();
        }
        Ok(bytes)
    }
}

impl<R: BufRead> Values for Binary<R> {
    fn value(
        &mut self,
        scalar: Scalar,
        _builder: &Builder,
        expected: &impl Fn() -> String,
    ) -> Result<Value, MeshError> {
        Ok(match scalar {
            Scalar::I8 => Value::Whole(i8::from_le_bytes(self.take(expected)?).into()),
            Scalar::U8 => Value::Whole(u8::from_le_bytes(self.take(expected)?).into()),
            Scalar::I16 => Value::Whole(i16::from_le_bytes(self.take(expected)?).into()),
            Scalar::U16 => Value::Whole(u16::from_le_bytes(self.take(expected)?).into()),
            Scalar::I32 => Value::Whole(i32::from_le_bytes(self.take(expected)?).into()),
            Scalar::U32 => Value::Whole(u32::from_le_bytes(self.take(expected)?).into()),
            Scalar::F32 => Value::Float(f32::from_le_bytes(self.take(expected)?).into()),
            Scalar::F64 => Value::Float(f64::from_le_bytes(self.take(expected)?)),
        })
    }

    fn place(&self) -> Place {
        self.bytes.place()
    }

    fn end(&mut self) -> Result<(), MeshError> {
        self.bytes.end(|| "the end of the file".to_owned())
    }
}
