//! placeholder
/// x
#[derive(Debug)]
pub enum TreeDefect {}
