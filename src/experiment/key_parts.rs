//! A strategy's key in the parts that advice speaks of: what leads, what tells rows apart besides time, which segment holds the hottest
//! value. Must not judge.

use crate::key::Segment;
use crate::layout::EntityShare;
use crate::record::FieldId;
use crate::scenario::Strategy;

/// Fields that are named at most, of those that a key leaves out.
const FEW: usize = 3;

/// The parts, each as written.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct KeyParts {
    /// The first segment that is no constant.
    pub(super) lead: String,
    /// The first segment that has nothing to do with time.
    pub(super) first: Option<String>,
    /// All segments that have nothing to do with time, joined: what a salt is computed from so that readers know it.
    pub(super) identity: Option<String>,
    /// The same with the segments of time.
    pub(super) whole: String,
    /// The segment that holds the value which makes a range hot, the value (`sensor 17`) and its share of the operations.
    pub(super) skewed: Option<(String, String, f64)>,
    /// Stored fields that the key leaves out, if they are few.
    pub(super) unused: Vec<String>,
    /// Values of the leading bucket.
    pub(super) leading_buckets: Option<usize>,
    /// Some write is an import.
    pub(super) imported: bool,
}

impl KeyParts {
    /// The parts of a strategy's key; `entities` are values that make a range hot, hottest first.
    pub(super) fn of(strategy: &Strategy, entities: &[EntityShare]) -> Self {
        let (key, schema) = (&strategy.key, &strategy.setup.schema);
        let varying: Vec<&Segment> = key
            .segments()
            .iter()
            .filter(|segment| segment.constant().is_none())
            .collect();
        let times: Vec<FieldId> = varying
            .iter()
            .filter(|segment| segment.follows_time())
            .flat_map(|segment| segment.fields().iter().copied())
            .collect();
        // What a later segment says as well (a salt, a hash in front) is left out.
        let said_later = |at: usize| {
            varying[at + 1..].iter().any(|later| {
                let fields = varying[at].fields();
                fields.iter().all(|field| later.fields().contains(field))
            })
        };
        let plain: Vec<&Segment> = (0..varying.len())
            .filter(|&at| !varying[at].fields().is_empty() && !said_later(at))
            .map(|at| varying[at])
            .collect();
        let timeless: Vec<&Segment> = plain
            .iter()
            .copied()
            .filter(|segment| !segment.fields().iter().any(|field| times.contains(field)))
            .collect();
        let used = key.fields();
        let unused: Vec<String> = (0..)
            .map(FieldId)
            .zip(&schema.fields)
            .filter(|(id, _)| !used.contains(id))
            .map(|(_, field)| field.name.clone())
            .collect();
        let writes = &strategy.setup.workload.writes;
        Self {
            lead: varying
                .first()
                .map_or(String::new(), |s| s.expression().to_owned()),
            first: timeless.first().map(|s| s.expression().to_owned()),
            identity: (!timeless.is_empty()).then(|| joined(&timeless)),
            whole: joined(&plain),
            skewed: entities.iter().find_map(|entity| {
                let field = schema.find(&entity.field)?;
                let holds = |segment: &&&Segment| segment.fields().contains(&field);
                let segment = plain.iter().find(holds)?;
                let value = format!("{} {}", entity.field, entity.value);
                Some((segment.expression().to_owned(), value, entity.share))
            }),
            unused: if unused.len() <= FEW {
                unused
            } else {
                Vec::new()
            },
            leading_buckets: key.leading_buckets().map(|buckets| buckets.len()),
            imported: writes.iter().any(|write| write.drive.import().is_some()),
        }
    }
}

/// One expression of several segments.
fn joined(segments: &[&Segment]) -> String {
    let texts: Vec<&str> = segments.iter().map(|s| s.expression()).collect();
    let all_text = segments.iter().all(|segment| segment.is_text());
    texts.join(if all_text { " + " } else { " || " })
}
