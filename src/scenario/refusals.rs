//! What the format knows and this version does not simulate: refused by name, so that no setting is silently without effect.
//! Must not know anything else about the settings.

use super::Diagnostic;
use super::reader::Reader;

const HELP: &str = "run the file once for each value, with `--set` and another `--out`";

/// Asks for `key` and refuses it when it is there.
pub(super) fn refuse<'a>(reader: &Reader<'a>, key: &'a str) {
    if reader.entry(key).is_some() {
        let message = format!("`{}` is not simulated yet", reader.path_of(key));
        let diagnostic = Diagnostic::error(message)
            .label("would have no effect")
            .help(HELP);
        reader.sink.add(&reader.place_of(key), diagnostic);
    }
}
