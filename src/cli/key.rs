//! `keyheat key`: one row key from an expression. Must not know the language.

use super::args::{ChangeArguments, KeyArguments, KeyFormat};
use super::console::{Console, Told};
use super::loading;
use crate::key::{Environment, KeyError, KeyPlan, Row, evaluate, parse_given};
use crate::keyspace::RowKey;
use crate::random::{DrawKey, Seed, Stream};
use crate::record::{FieldValue, Schema};
use crate::scenario::{Diagnostic, Severity, render};
use crate::text::hex;
use crate::time::EpochNanos;
use anyhow::{Error, Result, anyhow, bail};
use std::path::Path;

/// What complaints call the expression.
const EXPRESSION: &str = "expression";

pub fn run(arguments: &KeyArguments, console: &Console) -> Result<()> {
    let given = arguments.fields.iter();
    let given = given.map(|field| parse_given(field).map_err(|message| anyhow!(message)));
    let given = given.collect::<Result<Vec<_>>>()?;
    let seed = Seed(arguments.seed);
    let key = match &arguments.scenario {
        Some(path) => in_scenario(path, &arguments.expression, &given, seed, console),
        None => by_itself(&arguments.expression, &given, seed, console),
    }?;
    console.data(&match arguments.format {
        KeyFormat::Escaped => format!("{key}\n"),
        KeyFormat::Hex => hex(key.as_bytes()) + "\n",
        KeyFormat::Json => format!(
            r#"{{"hex":"{}","escaped":{},"bytes":{}}}"#,
            hex(key.as_bytes()),
            serde_json::to_string(&key.to_string())?,
            key.as_bytes().len()
        ),
    })
}

/// The given values are the only fields.
fn by_itself(
    text: &str,
    given: &[(String, FieldValue)],
    seed: Seed,
    console: &Console,
) -> Result<RowKey> {
    match evaluate(text, given, seed) {
        Ok(evaluated) => {
            let notes = evaluated.notes.into_iter();
            let notes = notes.map(|note| match note.is_warning {
                true => (note.text, Severity::Warning),
                false => (note.text, Severity::Note),
            });
            if let Some(notes) = rendered(text, notes) {
                console.say_styled(&notes);
            }
            Ok(evaluated.key)
        }
        Err(errors) => Err(told(text, errors, console)),
    }
}

/// Tells what is wrong with the expression.
fn told(text: &str, errors: Vec<KeyError>, console: &Console) -> Error {
    let errors = errors.into_iter().map(|error| (error, Severity::Error));
    console.insist_styled(&rendered(text, errors).unwrap_or_default());
    Told.into()
}

fn rendered(text: &str, all: impl Iterator<Item = (KeyError, Severity)>) -> Option<String> {
    // A derived field's text is not at hand: its error is told without a caret.
    let all = all.map(|(error, severity)| Diagnostic {
        severity,
        message: error.message,
        span: error.derived.is_none().then_some(error.span),
        label: error.label,
        help: error.help,
    });
    let all: Vec<Diagnostic> = all.collect();
    (!all.is_empty()).then(|| render(&all, text, EXPRESSION, true))
}

/// The scenario's fields, parameters and derived fields; the values given for them.
fn in_scenario(
    path: &Path,
    text: &str,
    given: &[(String, FieldValue)],
    seed: Seed,
    console: &Console,
) -> Result<RowKey> {
    let changes = ChangeArguments::default();
    let scenario = loading::load_all(&[path.to_owned()], &changes, console)?.swap_remove(0);
    let setup = &scenario.strategies[0].setup;
    let schema = &setup.schema;
    let environment = Environment {
        schema,
        derived: &setup.derived,
        parameters: &scenario.parameters,
    };
    let plan = KeyPlan::compile(text, &environment);
    let plan = plan.map_err(|errors| told(text, errors, console))?;
    let mut record = vec![0; schema.fields.len()];
    for (name, value) in given {
        let Some(field) = schema.find(name) else {
            bail!("`{}` has no field `{name}`", path.display())
        };
        if let FieldValue::Unsigned(number) = value {
            bail!(
                "`{name}` can't be {number}: fields hold up to {}\nwithout `--scenario`, `be8` takes it",
                i64::MAX
            );
        }
        record[usize::from(field.0)] = schema.parse(field, value)?;
        check_time(schema, name, value)?;
    }
    refuse_missing(&plan, schema, given)?;
    let draws = DrawKey::new(seed, 0, Stream::Keys, 0).at(0);
    let row = Row {
        record: &record,
        index: 0,
        draws,
    };
    Ok(plan.describe(&row).0)
}

/// The plan was compiled for the scenario's times, and can't fail within them.
fn check_time(schema: &Schema, name: &str, value: &FieldValue) -> Result<()> {
    if let FieldValue::Time(count, unit) = value {
        let at = EpochNanos(count.saturating_mul(unit.nanos()));
        if at < schema.time_range.0 || at > schema.time_range.1 {
            bail!(
                "`{name}` lies outside the scenario's times\nleave out `--scenario`, or set `time.start` in the file"
            );
        }
    }
    Ok(())
}

fn refuse_missing(plan: &KeyPlan, schema: &Schema, given: &[(String, FieldValue)]) -> Result<()> {
    let missing = plan.fields().into_iter();
    let missing = missing.map(|field| schema.field(field).name.as_str());
    let missing = missing.filter(|name| !given.iter().any(|(given, _)| given == name));
    let missing: Vec<&str> = missing.collect();
    if missing.is_empty() {
        return Ok(());
    }
    bail!(
        "no value for `{}`\nadd `{}=...`",
        missing.join("`, `"),
        missing.join("=...` and `")
    )
}
