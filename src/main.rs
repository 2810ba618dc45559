//! The `keyheat` binary: hands the arguments to [`keyheat::cli`] and returns its exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    keyheat::cli::main()
}
