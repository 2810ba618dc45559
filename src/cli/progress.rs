//! A progress bar on stderr, silent when that is not a terminal. Must not know what is being done.

use super::console::Console;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar of `runs` steps for one scenario.
pub fn bar(console: &Console, name: &str, runs: u64) -> ProgressBar {
    let target = if console.shows_progress() {
        ProgressDrawTarget::stderr()
    } else {
        ProgressDrawTarget::hidden()
    };
    let bar = ProgressBar::with_draw_target(Some(runs), target);
    let style = ProgressStyle::with_template("{prefix} {wide_bar} {pos}/{len} runs {eta}")
        .expect("a valid template");
    bar.set_style(style.progress_chars("=> "));
    bar.set_prefix(name.to_owned());
    bar
}
