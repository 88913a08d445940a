//! Arrays of numbers in JSON: little-endian bytes as base64.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

/// 16-bit numbers.
pub fn shorts(values: impl IntoIterator<Item = u16>) -> Value {
    bytes(values.into_iter().flat_map(u16::to_le_bytes).collect())
}

/// Indices, in 16 bits each where that is enough.
pub fn indices(values: &[u32]) -> Value {
    let wide = values.iter().any(|&value| value > u32::from(u16::MAX));
    let data = if wide {
        bytes(values.iter().flat_map(|value| value.to_le_bytes()).collect())
    } else {
        shorts(values.iter().map(|&value| value as u16))
    };
    json!({"wide": wide, "data": data})
}

pub fn bytes(bytes: Vec<u8>) -> Value {
    STANDARD.encode(bytes).into()
}
