//! Region servers: what they hold of calls, and what becomes of an RPC that reaches them.
//!
//! Must not know who sent an RPC, nor what its client does with the answer.

pub mod servers;
pub mod serving;
