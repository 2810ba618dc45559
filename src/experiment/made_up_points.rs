//! Fields whose made-up values decide where a table is cut. Must not know results.

use crate::key::Randomness;
use crate::record::{DistributionShape, Field, FieldKind, TextValues};
use crate::scenario::{Presplit, Strategy};
use crate::text::all;

/// Letters of the usual codings of bytes and numbers, in which values are spread as evenly as those that are drawn: decimal and hexadecimal digits, and bases 32, 36, 58, 62, 64.
const CODINGS: [usize; 7] = [10, 16, 32, 36, 58, 62, 64];

/// What to know of the split points of a strategy's table before it is created, where they lie between values that are made up.
pub fn warning(strategy: &Strategy) -> Option<String> {
    let names = fields(strategy);
    let next = "Cut the real one at its own keys: keyheat splits sampled --from KEYS";
    let all = all(names.iter());
    (!names.is_empty()).then(|| format!("The split points lie between values of {all} that are made up here, or of which chance decides which are frequent: those of the real table lie elsewhere. {next}"))
}

/// The names of such fields that keys lead with up to where the regions are told apart, of points that are sampled from keys.
fn fields(strategy: &Strategy) -> Vec<&str> {
    let Presplit::Sampled { regions } = strategy.presplit else {
        return Vec::new();
    };
    let (mut apart, mut names) = (1.0, Vec::new());
    for segment in strategy.key.segments() {
        if apart >= f64::from(regions) || segment.follows_time() {
            break;
        }
        if segment.randomness() == Randomness::Plain {
            let fields = segment.fields().iter();
            let fields = fields.map(|id| strategy.setup.schema.field(*id));
            names.extend(fields.filter(|it| is_made_up(it)).map(|it| &it.name[..]));
        }
        apart *= segment.cardinality().map_or(f64::INFINITY, |it| it as f64);
    }
    names.sort_unstable();
    names.dedup();
    names
}

/// Whether its values, or their places among each other by how often they come, are keyheat's own.
fn is_made_up(field: &Field) -> bool {
    if field.column.is_some() {
        return false;
    }
    // What follows from another field comes as that does.
    let is_even = match field.law.shape {
        _ if !field.of.is_empty() => true,
        DistributionShape::Uniform | DistributionShape::Normal { .. } => field.law.top.is_empty(),
        _ => field.law.ranked,
    };
    match &field.kind {
        FieldKind::Text(TextValues::Generated { alphabet, .. }) => {
            !is_even || !CODINGS.contains(&alphabet.len())
        }
        FieldKind::Domain { .. } => true,
        _ => !is_even,
    }
}
