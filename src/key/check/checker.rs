//! The walk over an expression's tree that gives every part its type, code and facts.

use super::complaints::Complaints;
use super::functions::{self, Argument, Call, Function};
use super::names;
use super::operators::arithmetic;
use super::typed::{Bytes, Typed, constant};
use crate::key::code::Randomness;
use crate::key::lang::{Expr, ExprKind, KeyError, MAX_DEPTH, parse};
use crate::key::values::Operator;
use crate::record::{DerivedId, FieldId, FieldText, Schema, ValueType};
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

/// Sub-expressions of one key, derived fields expanded: more is a mistake (they double at every level).
const MAX_NODES: usize = 10_000;

/// What an expression may refer to.
#[derive(Debug, Clone, Copy)]
pub struct Environment<'a> {
    /// Stored fields.
    pub schema: &'a Schema,
    /// Derived (`expr`) fields by name, in file order: they expand in place.
    pub derived: &'a [(String, String)],
    /// `[parameter]`s.
    pub parameters: &'a BTreeMap<String, i64>,
}

/// Checks one key.
pub struct Checker<'a> {
    pub complaints: Complaints<'a>,
    /// Parameters that were named so far.
    pub parameters: BTreeMap<String, i64>,
    environment: Environment<'a>,
    /// Names whose meaning is not known, which is not this key's fault.
    unreadable: &'a [String],
    /// Trees of the derived fields met so far.
    derived: BTreeMap<&'a str, Option<Rc<Expr>>>,
    texts: BTreeMap<FieldId, Arc<FieldText>>,
    depth: usize,
    nodes: usize,
    /// Draws of each operation handed out so far.
    draws: u32,
}

/// A part of a key, in the order of its bytes.
#[derive(Debug, Clone)]
pub struct Part {
    pub typed: Typed,
    pub written: Written,
}

/// How and where a part of a key is written.
#[derive(Debug, Clone)]
pub struct Written {
    pub expression: String,
    /// The derived field whose text `span` points into.
    pub derived: Option<String>,
    pub span: Range<usize>,
    /// Is it a literal?
    pub literal: bool,
}

impl<'a> Checker<'a> {
    pub fn new(text: &'a str, environment: Environment<'a>, unreadable: &'a [String]) -> Self {
        Self {
            complaints: Complaints::new(text),
            parameters: BTreeMap::new(),
            environment,
            unreadable,
            derived: BTreeMap::new(),
            texts: BTreeMap::new(),
            depth: 0,
            nodes: 0,
            draws: 0,
        }
    }

    fn enter(&mut self, expr: &Expr) -> Option<()> {
        self.depth += 1;
        self.nodes += 1;
        if self.depth > MAX_DEPTH {
            return self.complaints.error(
                &expr.span,
                format!("expression nested deeper than {MAX_DEPTH}"),
                "too deep here, derived fields expanded",
                "use fewer derived fields of derived fields",
            );
        }
        if self.nodes == MAX_NODES + 1 {
            self.complaints.error::<()>(
                &expr.span,
                format!("key of more than {MAX_NODES} parts, derived fields expanded"),
                "one too many here",
                "derived fields that use others twice double at every level",
            );
        }
        (self.nodes <= MAX_NODES).then_some(())
    }

    /// The parts of a key or concatenation, derived fields expanded.
    pub fn parts(&mut self, expr: &Expr) -> Option<Vec<Part>> {
        let entered = self.enter(expr);
        let result = entered.and_then(|()| self.parts_inside(expr));
        self.depth -= 1;
        result
    }

    fn parts_inside(&mut self, expr: &Expr) -> Option<Vec<Part>> {
        let derived = self.environment.derived;
        let typed = match &expr.kind {
            ExprKind::Concat(operands) => {
                // All operands are checked, even after an error.
                let parts = self.operands(operands);
                return Some(parts.into_iter().collect::<Option<Vec<_>>>()?.concat());
            }
            ExprKind::Name(name) => {
                let stored = self.environment.schema.find(name).is_some();
                let found = derived.iter().find(|(known, _)| !stored && known == name);
                if let Some((name, text)) = found {
                    return self.expand(name, text, expr);
                }
                self.name(name, &expr.span)?
            }
            ExprKind::Binary(Operator::Add, sides) => return self.sum(expr, sides),
            ExprKind::Binary(operator, sides) => {
                let [a, b] = [0, 1].map(|at| self.check(&sides[at]));
                let complaints = &mut self.complaints;
                arithmetic(complaints, *operator, a?, b?, &expr.span, &sides[1].span)?
            }
            ExprKind::Negative(operand) => {
                let (zero, value) = (Typed::constant(0), self.check(operand)?);
                let (whole, right) = (&expr.span, &operand.span);
                let complaints = &mut self.complaints;
                arithmetic(complaints, Operator::Subtract, zero, value, whole, right)?
            }
            ExprKind::Call {
                name,
                name_span,
                arguments,
            } => match functions::find(name) {
                Some(Function { build: None, .. }) => return self.delimited(arguments, expr),
                Some(function) => self.call(function, arguments, expr)?,
                None => {
                    // Mistakes inside the arguments are told as well.
                    for argument in arguments {
                        self.check(argument);
                    }
                    let help = functions::instead(name);
                    let message = format!("unknown function `{name}`");
                    return self
                        .complaints
                        .error(name_span, message, "no such function", help);
                }
            },
            ExprKind::Int(value) => Typed::constant(*value),
            ExprKind::Unsigned(value) => {
                return self.complaints.error(
                    &expr.span,
                    format!("`{value}` does not fit 64 bits with a sign"),
                    "greater than 9223372036854775807",
                    format!("only `be8({value})` takes it, as it stands; for text write '{value}'"),
                );
            }
            ExprKind::Text(text) => Typed::Bytes(Bytes::literal(true, text.as_bytes())),
            ExprKind::Bytes(bytes) => Typed::Bytes(Bytes::literal(false, bytes)),
            ExprKind::Unreadable => return None,
        };
        Some(vec![self.part(typed, expr)])
    }

    fn part(&self, typed: Typed, expr: &Expr) -> Part {
        let literal = matches!(
            expr.kind,
            ExprKind::Text(_) | ExprKind::Bytes(_) | ExprKind::Int(_)
        );
        let written = Written {
            expression: self.complaints.written(&expr.span),
            derived: self.complaints.derived(),
            span: expr.span.clone(),
            literal,
        };
        Part { typed, written }
    }

    /// `+` adds integers; texts it joins.
    fn sum(&mut self, expr: &Expr, [left, right]: &[Expr; 2]) -> Option<Vec<Part>> {
        let (left_parts, right_parts) = (self.parts(left), self.parts(right));
        let (mut left_parts, mut right_parts) = (left_parts?, right_parts?);
        let complaints = &mut self.complaints;
        match (are_text(&left_parts), are_text(&right_parts)) {
            (true, true) => {
                complaints.lint(
                    false,
                    &expr.span,
                    "`+` between texts joins them, like `||`",
                    "read as `||`",
                    "write `||`: `+` adds integers",
                );
                left_parts.append(&mut right_parts);
                Some(left_parts)
            }
            (false, false) => {
                let (a, b) = (left_parts.remove(0).typed, right_parts.remove(0).typed);
                let sum = arithmetic(complaints, Operator::Add, a, b, &expr.span, &right.span)?;
                Some(vec![self.part(sum, expr)])
            }
            _ => {
                let [a, b] = [left, right].map(|side| complaints.written(&side.span));
                let help = format!(
                    "to join them write `{a} || {b}`; to add numbers, both sides must be integers"
                );
                complaints.error(
                    &expr.span,
                    "`+` between an integer and a text",
                    "adding and joining are different things",
                    help,
                )
            }
        }
    }

    fn operands(&mut self, operands: &[Expr]) -> Vec<Option<Vec<Part>>> {
        let outside = self.complaints.scattered;
        let mut found = Vec::new();
        for operand in operands {
            let parts = self.operand(operand);
            self.complaints.scattered |= parts.iter().flatten().any(scatters);
            found.push(parts);
        }
        self.complaints.scattered = outside;
        found
    }

    /// An operand of `||`: integers become decimal text.
    fn operand(&mut self, expr: &Expr) -> Option<Vec<Part>> {
        let mut parts = self.parts(expr)?;
        for part in &mut parts {
            part.typed = Typed::Bytes(self.joinable(part, &expr.span)?);
        }
        Some(parts)
    }

    /// A part as text or bytes.
    pub fn joinable(&mut self, part: &Part, span: &Range<usize>) -> Option<Bytes> {
        if let Typed::Int(code) = &part.typed
            && constant(code).is_none()
        {
            let width = if code.range.within(0, u32::MAX.into()) {
                4
            } else {
                8
            };
            let text = &part.written.expression;
            self.complaints.lint(
                true,
                span,
                format!("the integer `{text}` becomes decimal text"),
                "an int between `||`",
                format!("say which bytes you mean: `be{width}({text})` or `text({text})`"),
            );
        }
        match part.typed.clone().into_bytes() {
            Some(bytes) => Some(bytes),
            None => self.complaints.error(
                span,
                "a double has no bytes of its own",
                "expected text or bytes",
                "encode it: `of8(x)` keeps its order",
            ),
        }
    }

    fn delimited(&mut self, arguments: &[Expr], expr: &Expr) -> Option<Vec<Part>> {
        let mut wrong = |span: &Range<usize>, message: &str, expected: &str| -> Option<()> {
            let complaints = &mut self.complaints;
            complaints.error(
                span,
                message,
                format!("expected {expected}"),
                "delim('#', a, b)",
            )
        };
        let Some((separator, rest)) = arguments.split_first() else {
            wrong(
                &expr.span,
                "`delim` without arguments",
                "a separator and parts",
            );
            return None;
        };
        if rest.is_empty() {
            wrong(
                &expr.span,
                "`delim` with nothing to join",
                "parts after the separator",
            );
            return None;
        }
        if !matches!(separator.kind, ExprKind::Text(_) | ExprKind::Bytes(_)) {
            let message = "the separator of `delim` is not a literal";
            wrong(&separator.span, message, "a text or bytes literal");
        }
        let separator = self.parts(separator)?;
        let mut parts: Vec<Part> = Vec::new();
        for operand in self.operands(rest) {
            if !parts.is_empty() {
                parts.extend(separator.iter().cloned());
            }
            parts.extend(operand?);
        }
        Some(parts)
    }

    fn name(&mut self, name: &str, span: &Range<usize>) -> Option<Typed> {
        let Environment {
            schema,
            derived,
            parameters,
        } = self.environment;
        if self.unreadable.iter().any(|unreadable| unreadable == name) {
            return None;
        }
        if let Some(id) = schema.find(name) {
            let texts = self.texts.entry(id);
            let text = || texts.or_insert_with(|| Arc::new(schema.text(id))).clone();
            return Some(names::field(schema, id, text));
        }
        if let Some(&value) = parameters.get(name) {
            self.parameters.insert(name.to_owned(), value);
            return Some(Typed::constant(value));
        }
        if name == "LONG_MAX" {
            return Some(Typed::constant(i64::MAX));
        }
        let fields = schema.fields.iter().map(|field| &field.name);
        let derived = derived.iter().map(|(name, _)| name);
        let readable = fields.chain(derived).chain(parameters.keys());
        let mut known: Vec<&str> = readable.map(String::as_str).collect();
        for unreadable in self.unreadable {
            if !known.contains(&unreadable.as_str()) {
                known.push(unreadable);
            }
        }
        let (message, help) = (
            format!("unknown name `{name}`"),
            names::instead(name, &known),
        );
        let label = "no field, derived field or parameter";
        self.complaints.error(span, message, label, help)
    }

    fn expand(&mut self, name: &'a str, text: &'a str, expr: &Expr) -> Option<Vec<Part>> {
        let open = self.complaints.texts.iter();
        let open = open.filter_map(|(open, _)| open.as_deref());
        let mut cycle: Vec<&str> = open.skip_while(|open| *open != name).collect();
        if !cycle.is_empty() {
            cycle.push(name);
            let message = format!("derived field `{name}` uses itself: {}", cycle.join(" -> "));
            return self.complaints.error(
                &expr.span,
                message,
                "closes the circle",
                "a derived field may use stored fields and other derived fields only",
            );
        }
        let tree = match self.derived.get(name) {
            Some(tree) => tree.clone(),
            None => {
                let (tree, errors) = parse(text);
                let derived = Some(name.to_owned());
                let errors = errors.into_iter().map(|error| KeyError {
                    derived: derived.clone(),
                    ..error
                });
                self.complaints.errors.extend(errors);
                let tree = tree.map(Rc::new);
                self.derived.insert(name, tree.clone());
                tree
            }
        }?;
        self.complaints.texts.push((Some(name.to_owned()), text));
        let parts = self.parts(&tree);
        self.complaints.texts.pop();
        let mut parts = parts?;
        let mut known = self.environment.derived.iter();
        if let Some(at) = known.position(|(known, _)| known == name) {
            for part in &mut parts {
                let needs = &mut part.typed.facts_mut().needs;
                *needs = std::mem::take(needs).or_derived(DerivedId(at as u16));
            }
        }
        Some(parts)
    }

    /// The integer above `i64::MAX` that a sub-expression is, itself or by the name of a derived field.
    fn unsigned(&self, expr: &Expr) -> Option<u64> {
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
    fn check(&mut self, expr: &Expr) -> Option<Typed> {
        let mut parts = self.parts(expr)?;
        if parts.len() == 1 {
            return parts.pop().map(|part| part.typed);
        }
        let parts = parts.into_iter().map(|part| match part.typed {
            Typed::Bytes(bytes) => Some(bytes),
            _ => None,
        });
        Bytes::joined(parts.collect::<Option<_>>()?).map(Typed::Bytes)
    }

    fn call(
        &mut self,
        function: &'static Function,
        arguments: &[Expr],
        expr: &Expr,
    ) -> Option<Typed> {
        let build = function.build?;
        let (least, most) = function.arity();
        if arguments.len() < least || arguments.len() > most {
            let expected = match least == most {
                true => least.to_string(),
                false => format!("{least} to {most}"),
            };
            let (name, found) = (function.name, arguments.len());
            let s = if most == 1 { "" } else { "s" };
            return self.complaints.error(
                &expr.span,
                format!("`{name}` takes {expected} argument{s}, found {found}"),
                "wrong number of arguments",
                function.help(),
            );
        }
        let mut values = Vec::new();
        for (argument, kind) in arguments.iter().zip(function.arguments) {
            let value = match kind {
                Argument::Wide => match self.unsigned(argument) {
                    Some(value) => {
                        return Some(Typed::Bytes(Bytes::literal(false, &value.to_be_bytes())));
                    }
                    None => self.check(argument),
                },
                Argument::Value | Argument::Optional => self.check(argument),
                Argument::Hashed => {
                    self.complaints.hashing += 1;
                    let value = self.check(argument);
                    self.complaints.hashing -= 1;
                    value
                }
                Argument::Literal => match &argument.kind {
                    ExprKind::Text(text) => {
                        Some(Typed::Bytes(Bytes::literal(true, text.as_bytes())))
                    }
                    _ => None,
                },
            };
            values.push((value, argument.span.clone()));
        }
        build(&mut Call {
            function,
            values,
            span: &expr.span,
            complaints: &mut self.complaints,
            draws: &mut self.draws,
            schema: self.environment.schema,
        })
    }
}

/// A hash of so many values that rows with the same one are few: behind it order hardly matters. Buckets are none.
fn scatters(part: &Part) -> bool {
    const MOST_BUCKETS: u64 = 65_536;
    let facts = part.typed.facts();
    let many = facts.cardinality.is_none_or(|values| values > MOST_BUCKETS);
    facts.randomness == Randomness::Hashed && many
}

/// Texts or bytes, which several parts are in any case.
fn are_text(parts: &[Part]) -> bool {
    match parts {
        [part] => matches!(part.typed.value_type(), ValueType::Text | ValueType::Bytes),
        _ => true,
    }
}
