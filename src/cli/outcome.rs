//! How a command ended. Must not know commands.

/// How a command ended, if nothing stopped it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// All is well: exit code 0.
    Fine,
    /// An expectation or a limit was broken, and said so: exit code 1.
    Broken,
    /// The work could not be done, and the user has been told why: exit code 2.
    Refused,
    /// Ctrl-C, and the user has been told what was saved: exit code 130.
    Interrupted,
}
