//! Gives every sub-expression a type, resolves names, and proves that nothing can fail; collects all errors and notes.
//! Must not know what a region or a workload is.

use super::bytes::{Bytes, decimal, literal};
use super::code::IntOp;
use super::functions;
use super::parser::parse;
use super::plan::{Environment, KeyError, KeyNote};
use super::syntax::{Expr, ExprKind, MAX_DEPTH, Operator};
use super::typed::{Code, Spread, Typed};
use crate::record::{DerivedId, FieldId, FieldText, ValueType};
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

/// Sub-expressions of one key, derived fields expanded: more is a mistake (they double at every level).
const MAX_NODES: usize = 10_000;

/// Checks one key.
pub(super) struct Checker<'a> {
    pub environment: Environment<'a>,
    /// Names whose meaning is not known, which is not this key's fault.
    pub unreadable: &'a [String],
    pub errors: Vec<KeyError>,
    pub notes: Vec<KeyNote>,
    /// The key's own text, then those of the derived fields being expanded.
    pub texts: Vec<(Option<String>, &'a str)>,
    derived: BTreeMap<&'a str, Option<Rc<Expr>>>,
    pub renderers: BTreeMap<FieldId, Arc<FieldText>>,
    depth: usize,
    nodes: usize,
    /// Behind a hash, where rows are in no order that anybody scans.
    pub scattered: bool,
    /// Inside the argument of a hash, where order and width say nothing.
    pub hashing: usize,
    /// Draws handed out so far.
    pub draws: u32,
    /// MD5s so far.
    pub md5_sites: usize,
    /// Parameters that were named so far.
    pub parameters: BTreeMap<String, i64>,
}

/// A part of a key, in the order of its bytes.
#[derive(Debug, Clone)]
pub(super) struct Part {
    pub typed: Typed,
    /// The derived field whose text `span` points into.
    pub derived: Option<String>,
    pub span: Range<usize>,
    /// As written.
    pub text: String,
    /// A literal.
    pub literal: bool,
}

impl<'a> Checker<'a> {
    pub fn new(text: &'a str, environment: Environment<'a>) -> Self {
        Self {
            environment,
            unreadable: &[],
            errors: Vec::new(),
            notes: Vec::new(),
            texts: vec![(None, text)],
            derived: BTreeMap::new(),
            renderers: BTreeMap::new(),
            depth: 0,
            nodes: 0,
            scattered: false,
            hashing: 0,
            draws: 0,
            md5_sites: 0,
            parameters: BTreeMap::new(),
        }
    }

    fn enter(&mut self, expr: &Expr) -> Option<()> {
        self.depth += 1;
        self.nodes += 1;
        if self.depth > MAX_DEPTH {
            return self.error(
                &expr.span,
                format!("expression nested deeper than {MAX_DEPTH}"),
                "too deep here, derived fields expanded",
                Some("use fewer derived fields of derived fields"),
            );
        }
        if self.nodes > MAX_NODES {
            if self.nodes == MAX_NODES + 1 {
                self.error::<()>(
                    &expr.span,
                    format!("key of more than {MAX_NODES} parts, derived fields expanded"),
                    "one too many here",
                    Some("derived fields that use others twice double at every level"),
                );
            }
            return None;
        }
        Some(())
    }

    /// The parts of a key or concatenation, derived fields expanded.
    pub fn parts(&mut self, expr: &Expr) -> Option<Vec<Part>> {
        let entered = self.enter(expr);
        let result = entered.and_then(|()| self.parts_inside(expr));
        self.depth -= 1;
        result
    }

    fn parts_inside(&mut self, expr: &Expr) -> Option<Vec<Part>> {
        match &expr.kind {
            ExprKind::Concat(operands) => {
                // All operands are checked, even after an error.
                let parts = self.operands(operands);
                Some(parts.into_iter().collect::<Option<Vec<_>>>()?.concat())
            }
            ExprKind::Name(name) if self.environment.schema.find(name).is_none() => {
                if let Some((name, text)) = self
                    .environment
                    .derived
                    .iter()
                    .find(|(known, _)| known == name)
                {
                    return self.expand(name, text, expr);
                }
                let typed = self.name(name, expr)?;
                Some(vec![self.part(typed, expr)])
            }
            ExprKind::Binary(Operator::Add, left, right) => {
                let (left_parts, right_parts) = (self.parts(left), self.parts(right));
                let (mut left_parts, mut right_parts) = (left_parts?, right_parts?);
                let (a, b) = (kind_of(&left_parts), kind_of(&right_parts));
                if joins(a) && joins(b) {
                    self.note(
                        &expr.span,
                        "`+` between texts joins them, like `||`",
                        "read as `||`",
                        "write `||`: `+` adds integers",
                    );
                    left_parts.append(&mut right_parts);
                    return Some(left_parts);
                }
                if joins(a) || joins(b) {
                    return self.mixed_sum(expr, left, right);
                }
                let typed = self.arithmetic(
                    Operator::Add,
                    left_parts.remove(0).typed,
                    right_parts.remove(0).typed,
                    expr,
                    right,
                )?;
                Some(vec![self.part(typed, expr)])
            }
            ExprKind::Call {
                name,
                name_span,
                arguments,
            } => {
                if name.eq_ignore_ascii_case("delim") {
                    return self.delimited(arguments, expr);
                }
                let typed = functions::call(self, name, name_span, arguments, expr)?;
                Some(vec![self.part(typed, expr)])
            }
            _ => {
                let typed = self.value(expr)?;
                Some(vec![self.part(typed, expr)])
            }
        }
    }

    fn part(&self, typed: Typed, expr: &Expr) -> Part {
        Part {
            typed,
            derived: self.texts.last().and_then(|(name, _)| name.clone()),
            span: expr.span.clone(),
            text: self.written(&expr.span),
            literal: matches!(
                expr.kind,
                ExprKind::Text(_) | ExprKind::Bytes(_) | ExprKind::Int(_)
            ),
        }
    }

    fn operands(&mut self, operands: &[Expr]) -> Vec<Option<Vec<Part>>> {
        let outside = self.scattered;
        let mut found = Vec::new();
        for operand in operands {
            let parts = self.operand(operand);
            self.scattered |= parts.iter().flatten().any(scatters);
            found.push(parts);
        }
        self.scattered = outside;
        found
    }

    /// An operand of `||`: integers become decimal text.
    fn operand(&mut self, expr: &Expr) -> Option<Vec<Part>> {
        let mut parts = self.parts(expr)?;
        for part in &mut parts {
            self.join_operand(part, &expr.span)?;
        }
        Some(parts)
    }

    /// Makes text of an integer part.
    pub fn join_operand(&mut self, part: &mut Part, span: &Range<usize>) -> Option<()> {
        let Code::Int(code) = &part.typed.code else {
            if matches!(part.typed.code, Code::Double(_)) {
                return self.error(
                    span,
                    "a double has no bytes of its own",
                    "expected text or bytes",
                    Some("encode it: `of8(x)` keeps its order"),
                );
            }
            return Some(());
        };
        if !matches!(code.op, IntOp::Const(_)) {
            let range = code.range;
            let width = if range.low >= 0 && range.high <= i64::from(u32::MAX) {
                4
            } else {
                8
            };
            self.warning(
                span,
                format!("the integer `{}` becomes decimal text", part.text),
                "an int between `||`",
                &format!(
                    "say which bytes you mean: `be{width}({0})` or `text({0})`",
                    part.text
                ),
            );
        }
        let bytes = decimal(part.typed.clone())?;
        part.typed = bytes.typed();
        Some(())
    }

    fn mixed_sum(&mut self, expr: &Expr, left: &Expr, right: &Expr) -> Option<Vec<Part>> {
        let (a, b) = (self.written(&left.span), self.written(&right.span));
        self.error(
            &expr.span,
            "`+` between an integer and a text",
            "adding and joining are different things",
            Some(&format!(
                "to join them write `{a} || {b}`; to add numbers, both sides must be integers"
            )),
        )
    }

    fn delimited(&mut self, arguments: &[Expr], expr: &Expr) -> Option<Vec<Part>> {
        let [separator, rest @ ..] = arguments else {
            return self.error(
                &expr.span,
                "`delim` without arguments",
                "expected a separator and parts",
                Some("delim('#', a, b)"),
            );
        };
        if rest.is_empty() {
            return self.error(
                &expr.span,
                "`delim` with nothing to join",
                "expected parts after the separator",
                Some("delim('#', a, b)"),
            );
        }
        if !matches!(separator.kind, ExprKind::Text(_) | ExprKind::Bytes(_)) {
            self.error::<()>(
                &separator.span,
                "the separator of `delim` is not a literal",
                "expected a text or bytes literal",
                Some("delim('#', a, b)"),
            );
        }
        let separator = self.parts(separator)?;
        let operands = self.operands(rest);
        let mut parts: Vec<Part> = Vec::new();
        for operand in operands {
            if !parts.is_empty() {
                parts.extend(separator.iter().cloned());
            }
            parts.extend(operand?);
        }
        Some(parts)
    }

    fn expand(&mut self, name: &'a str, text: &'a str, expr: &Expr) -> Option<Vec<Part>> {
        if self
            .texts
            .iter()
            .any(|(open, _)| open.as_deref() == Some(name))
        {
            let cycle: Vec<&str> = self
                .texts
                .iter()
                .filter_map(|(open, _)| open.as_deref())
                .skip_while(|open| *open != name)
                .chain([name])
                .collect();
            let message = format!("derived field `{name}` uses itself: {}", cycle.join(" -> "));
            return self.error(
                &expr.span,
                message,
                "closes the circle",
                Some("a derived field may use stored fields and other derived fields only"),
            );
        }
        let tree = match self.derived.get(name) {
            Some(tree) => tree.clone(),
            None => {
                let (tree, errors) = parse(text);
                self.errors.extend(errors.into_iter().map(|error| KeyError {
                    derived: Some(name.to_owned()),
                    ..error
                }));
                let tree = tree.map(Rc::new);
                self.derived.insert(name, tree.clone());
                tree
            }
        }?;
        self.texts.push((Some(name.to_owned()), text));
        let parts = self.parts(&tree);
        self.texts.pop();
        let mut parts = parts?;
        let known = self.environment.derived.iter();
        if let Some(at) = known
            .map(|(known, _)| known)
            .position(|known| known == name)
        {
            for part in &mut parts {
                let needs = &mut part.typed.facts.needs;
                *needs = std::mem::take(needs).or_derived(DerivedId(at as u16));
            }
        }
        Some(parts)
    }

    /// The integer above `i64::MAX` that a sub-expression is, itself or by the name of a derived field.
    pub fn unsigned(&self, expr: &Expr) -> Option<u64> {
        let number = match &expr.kind {
            ExprKind::Unsigned(value) => *value,
            ExprKind::Name(name) => {
                let mut derived = self.environment.derived.iter();
                let (_, text) = derived.find(|(known, _)| known == name)?;
                text.trim().parse().ok()?
            }
            _ => return None,
        };
        i64::try_from(number).is_err().then_some(number)
    }

    /// The value of any sub-expression.
    pub fn check(&mut self, expr: &Expr) -> Option<Typed> {
        let mut parts = self.parts(expr)?;
        if parts.len() == 1 {
            return parts.pop().map(|part| part.typed);
        }
        let mut joined: Option<Bytes> = None;
        for part in parts {
            let next = Bytes::from_typed(part.typed)?;
            joined = Some(match joined {
                Some(before) => before.then(next),
                None => next,
            });
        }
        joined.map(Bytes::typed)
    }

    fn value(&mut self, expr: &Expr) -> Option<Typed> {
        match &expr.kind {
            ExprKind::Int(value) => Some(Typed::int(*value)),
            ExprKind::Unsigned(value) => self.error(
                &expr.span,
                format!("`{value}` does not fit 64 bits with a sign"),
                "greater than 9223372036854775807",
                Some(&format!(
                    "only `be8({value})` takes it, as it stands; for text write '{value}'"
                )),
            ),
            ExprKind::Text(text) => Some(literal(true, text.as_bytes())),
            ExprKind::Bytes(bytes) => Some(literal(false, bytes)),
            ExprKind::Name(name) => self.name(name, expr),
            ExprKind::Negative(operand) => {
                let value = self.check(operand)?;
                self.arithmetic(Operator::Subtract, Typed::int(0), value, expr, operand)
            }
            ExprKind::Binary(operator, left, right) => {
                let (a, b) = (self.check(left), self.check(right));
                self.arithmetic(*operator, a?, b?, expr, right)
            }
            ExprKind::Unreadable | ExprKind::Concat(_) | ExprKind::Call { .. } => None,
        }
    }
}

/// A hash of so many values that rows with the same one are few: behind it order hardly matters. Buckets are none.
fn scatters(part: &Part) -> bool {
    const MOST_BUCKETS: u64 = 65_536;
    let facts = &part.typed.facts;
    facts.spread == Spread::Hashed && facts.cardinality.is_none_or(|values| values > MOST_BUCKETS)
}

fn kind_of(parts: &[Part]) -> ValueType {
    match parts {
        [part] => part.typed.value_type(),
        _ => ValueType::Text,
    }
}

fn joins(value_type: ValueType) -> bool {
    matches!(value_type, ValueType::Text | ValueType::Bytes)
}
