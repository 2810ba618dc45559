//! The walk over an expression's tree that gives every part its type, code and facts.

use super::complaints::{Complaints, type_name};
use super::functions::{self, Argument, Call, Function};
use crate::key::code::{Code, Facts, Op, Order, Randomness, Trend};
use crate::key::formats::Transform;
use crate::key::lang::{Expr, ExprKind, KeyError, MAX_DEPTH, parse};
use crate::key::operator::Operator;
use crate::key::segment::Segment;
use crate::record::{DerivedId, FieldId, FieldKind, FieldText, Schema, ValueType};
use crate::text::nearest;
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
    /// The first of those of each identifier: by the derived field that it stands in, and by what it says.
    identifiers: BTreeMap<(Option<String>, String), u32>,
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
            identifiers: BTreeMap::new(),
        }
    }

    fn error<T>(
        &mut self,
        span: &Range<usize>,
        message: impl Into<String>,
        label: &str,
        help: impl Into<String>,
    ) -> Option<T> {
        let error = KeyError::new(span, message, label, help);
        self.complaints.error(error)
    }

    /// Refuses to go deeper, or on, than anybody means to.
    fn enter(&mut self, expr: &Expr) -> Option<()> {
        self.depth += 1;
        self.nodes += 1;
        if self.depth > MAX_DEPTH {
            let message = format!("expression nested deeper than {MAX_DEPTH}");
            let label = "too deep here, derived fields expanded";
            let help = "use fewer derived fields of derived fields";
            return self.error(&expr.span, message, label, help);
        }
        if self.nodes == MAX_NODES + 1 {
            let message = format!("key of more than {MAX_NODES} parts, derived fields expanded");
            let label = "one too many here";
            let help = "derived fields that use others twice double at every level";
            return self.error(&expr.span, message, label, help);
        }
        (self.nodes <= MAX_NODES).then_some(())
    }

    /// The parts of a key or concatenation, derived fields expanded.
    pub fn parts(&mut self, expr: &Expr) -> Option<Vec<Segment>> {
        let entered = self.enter(expr);
        let parts = entered.and_then(|()| self.parts_inside(expr));
        self.depth -= 1;
        parts
    }

    fn parts_inside(&mut self, expr: &Expr) -> Option<Vec<Segment>> {
        let code = match &expr.kind {
            ExprKind::Concat(operands) => {
                // All operands are checked, even after an error.
                let parts = self.operands(operands);
                return Some(parts.into_iter().collect::<Option<Vec<_>>>()?.concat());
            }
            ExprKind::Name(name) => {
                let stored = self.environment.schema.find(name).is_some();
                let mut derived = self.environment.derived.iter();
                let found = derived.find(|(known, _)| !stored && known == name);
                if let Some((name, text)) = found {
                    return self.expand(name, text, expr);
                }
                self.name(name, &expr.span)?
            }
            ExprKind::Binary(Operator::Add, sides) => return self.sum(expr, sides),
            ExprKind::Binary(operator, sides) => {
                let [a, b] = [0, 1].map(|at| self.check(&sides[at]));
                self.arithmetic(*operator, a?, b?, &expr.span, &sides[1].span)?
            }
            ExprKind::Negative(operand) => {
                let (zero, value) = (Code::constant(0), self.check(operand)?);
                self.arithmetic(Operator::Subtract, zero, value, &expr.span, &operand.span)?
            }
            ExprKind::Call {
                name,
                name_span,
                arguments,
            } => match functions::find(name) {
                Some(Function { build: None, .. }) => return self.delimited(arguments, expr),
                Some(function) => {
                    let code = self.call(function, arguments, expr)?;
                    return Some(self.reversed_parts(code, expr));
                }
                None => {
                    // Mistakes inside the arguments are told as well.
                    for argument in arguments {
                        self.check(argument);
                    }
                    let message = format!("unknown function `{name}`");
                    let help = functions::instead(name);
                    return self.error(name_span, message, "no such function", help);
                }
            },
            ExprKind::Int(value) => Code::constant(*value),
            ExprKind::Unsigned(value) => {
                let message = format!("`{value}` does not fit 64 bits with a sign");
                let label = "greater than 9223372036854775807";
                let help =
                    format!("only `be8({value})` takes it, as it stands; for text write '{value}'");
                return self.error(&expr.span, message, label, help);
            }
            ExprKind::Text(text) => Code::literal(ValueType::Text, text.as_bytes()),
            ExprKind::Bytes(bytes) => Code::literal(ValueType::Bytes, bytes),
            ExprKind::Unreadable => return None,
        };
        Some(vec![self.part(code, expr)])
    }

    /// What is reversed as a whole is its parts from the last one on, each reversed; of anything else the one part.
    fn reversed_parts(&self, mut code: Code, expr: &Expr) -> Vec<Segment> {
        let joined = |code: &Code| {
            let reverses = matches!(
                code.op,
                Op::Map(Transform::ReverseBytes | Transform::ReverseChars)
            );
            reverses && matches!(code.operands[0].op, Op::Concat)
        };
        if !joined(&code) {
            return vec![self.part(code, expr)];
        }
        let parts = std::mem::take(&mut code.operands[0].operands).into_iter();
        let fields = &self.environment.schema.fields;
        let reversed = parts.rev().map(|part| {
            let is_literal = part.as_literal().is_some();
            let name = match part.op {
                Op::Field(slot, _) => Some(format!("reverse({})", fields[slot].name)),
                _ => None,
            };
            let reversed = part.reversed(code.value_type);
            let text = reversed.as_literal().map(|it| std::str::from_utf8(it));
            let text = text.and_then(Result::ok).map(|it| format!("'{it}'"));
            let part = self.part(reversed, expr);
            Segment {
                is_literal,
                expression: name.or(text).unwrap_or(part.expression.clone()),
                ..part
            }
        });
        reversed.collect()
    }

    fn part(&self, mut code: Code, expr: &Expr) -> Segment {
        let expression = self.complaints.written(&expr.span);
        let derived = self.environment.derived.iter();
        let derived = (0..).zip(derived.map(|(_, text)| text));
        for (at, _) in derived.filter(|(_, text)| is_written_as(&expression, text)) {
            let needs = &mut code.facts.needs;
            *needs = std::mem::take(needs).or_derived(DerivedId(at));
        }
        Segment {
            expression,
            derived: self.complaints.derived(),
            span: expr.span.clone(),
            is_rest: false,
            is_literal: matches!(
                expr.kind,
                ExprKind::Text(_) | ExprKind::Bytes(_) | ExprKind::Int(_)
            ),
            is_prefix_free: code.shape.min < code.shape.max
                && matches!(&code.op, Op::Field(_, text) if text.is_prefix_free()),
            code,
        }
    }

    /// `+` adds integers; texts it joins.
    fn sum(&mut self, expr: &Expr, [left, right]: &[Expr; 2]) -> Option<Vec<Segment>> {
        let (left_parts, right_parts) = (self.parts(left), self.parts(right));
        let (mut left_parts, mut right_parts) = (left_parts?, right_parts?);
        // Several parts are texts or bytes in any case.
        let are_text = |parts: &[Segment]| !matches!(parts, [part] if part.code.is_number());
        match (are_text(&left_parts), are_text(&right_parts)) {
            (true, true) => {
                let message = "`+` between texts joins them, like `||`";
                let help = "write `||`: `+` adds integers";
                let text = KeyError::new(&expr.span, message, "read as `||`", help);
                self.complaints.lint(false, text);
                left_parts.append(&mut right_parts);
                Some(left_parts)
            }
            (false, false) => {
                let (a, b) = (left_parts.remove(0).code, right_parts.remove(0).code);
                let sum = self.arithmetic(Operator::Add, a, b, &expr.span, &right.span)?;
                Some(vec![self.part(sum, expr)])
            }
            _ => {
                let [a, b] = [left, right].map(|side| self.complaints.written(&side.span));
                let help = format!(
                    "to join them write `{a} || {b}`; to add numbers, both sides must be integers"
                );
                let label = "adding and joining are different things";
                let message = "`+` between an integer and a text";
                self.error(&expr.span, message, label, help)
            }
        }
    }

    /// `a operator b`, both integers; `whole` is the place of all, `right` that of `b`.
    fn arithmetic(
        &mut self,
        operator: Operator,
        a: Code,
        b: Code,
        whole: &Range<usize>,
        right: &Range<usize>,
    ) -> Option<Code> {
        let mut types = [a.value_type, b.value_type].into_iter();
        if let Some(other) = types.find(|of| *of != ValueType::Int) {
            let (sign, found) = (operator.sign(), type_name(other));
            let message = format!("`{sign}` takes integers, found {found}");
            let label = "expected integers on both sides";
            let help = "texts and bytes are joined by `||`";
            return self.error(whole, message, label, help);
        }
        if matches!(operator, Operator::Divide | Operator::Remainder) && b.range.contains(0) {
            let text = self.complaints.written(right);
            let found = match b.range.single() {
                Some(_) => "is 0".to_owned(),
                None => format!("may be 0: it takes {}", b.range),
            };
            let message = format!("division by `{text}`, which {found}");
            let help = "add what keeps it from 0, for example `x + 1`";
            return self.error(right, message, "may be 0", help);
        }
        let mut range = operator.range(a.range, b.range);
        if operator == Operator::Remainder {
            // Of Java's absolute values only the least integer is negative, so only its remainder can be.
            if let (Op::Abs | Op::Abs32, Some(n)) = (&a.op, b.range.single()) {
                range.low = range.low.max(a.range.low.min(0).wrapping_rem(n));
            }
            if range.low < 0 {
                let message = "`%` of a possibly negative number is negative, as in Java";
                let help = "for a bucket from 0 to n - 1 write `pmod(x, n)`";
                let label = format!("takes {range}");
                let complaints = &mut self.complaints;
                complaints.lint(true, KeyError::new(whole, message, label, help));
            }
        }
        Some(match a.as_constant().zip(b.as_constant()) {
            Some(_) => Code::binary(operator, a, b),
            None => Code::int(Op::Binary(operator), vec![a, b], range),
        })
    }

    fn operands(&mut self, operands: &[Expr]) -> Vec<Option<Vec<Segment>>> {
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
    fn operand(&mut self, expr: &Expr) -> Option<Vec<Segment>> {
        let parts = self.parts(expr)?.into_iter();
        parts.map(|part| self.joinable(part, &expr.span)).collect()
    }

    /// A part as text or bytes.
    pub fn joinable(&mut self, part: Segment, span: &Range<usize>) -> Option<Segment> {
        let code = &part.code;
        if code.value_type == ValueType::Int && code.as_constant().is_none() {
            let fits = code.range.within(0, u32::MAX.into());
            let (width, text) = (if fits { 4 } else { 8 }, &part.expression);
            let message = format!("the integer `{text}` becomes decimal text");
            let help = format!("say which bytes you mean: `be{width}({text})` or `text({text})`");
            let lint = KeyError::new(span, message, "an int between `||`", help);
            self.complaints.lint(true, lint);
        }
        match part.code.into_bytes() {
            Some(code) => Some(Segment { code, ..part }),
            None => self.error(
                span,
                "a double has no bytes of its own",
                "expected text or bytes",
                "encode it: `of8(x)` keeps its order",
            ),
        }
    }

    fn delimited(&mut self, arguments: &[Expr], expr: &Expr) -> Option<Vec<Segment>> {
        let (place, message, expected) = match arguments {
            [] => (
                expr,
                "`delim` without arguments",
                "expected a separator and parts",
            ),
            [_] => (
                expr,
                "`delim` with nothing to join",
                "expected parts after the separator",
            ),
            [separator, ..] => (
                separator,
                "the separator of `delim` is not a literal",
                "expected a text or bytes literal",
            ),
        };
        let literal = |it: &Expr| matches!(it.kind, ExprKind::Text(_) | ExprKind::Bytes(_));
        if arguments.len() < 2 || !literal(&arguments[0]) {
            self.error::<()>(&place.span, message, expected, "delim('#', a, b)");
        }
        let [separator, rest @ ..] = arguments else {
            return None;
        };
        if rest.is_empty() {
            return None;
        }
        let separator = self.parts(separator)?;
        let parts: Option<Vec<_>> = self.operands(rest).into_iter().collect();
        Some(parts?.join(&separator[..]))
    }

    fn name(&mut self, name: &str, span: &Range<usize>) -> Option<Code> {
        let (schema, parameters) = (self.environment.schema, self.environment.parameters);
        if self.unreadable.iter().any(|unreadable| unreadable == name) {
            return None;
        }
        if let Some(id) = schema.find(name) {
            return Some(self.field(id));
        }
        if let Some(&value) = parameters.get(name) {
            self.parameters.insert(name.to_owned(), value);
            return Some(Code::constant(value));
        }
        if name == "LONG_MAX" {
            return Some(Code::constant(i64::MAX));
        }
        let fields = schema.fields.iter().filter(|field| field.has_name());
        let fields = fields.map(|field| &field.name);
        let derived = self.environment.derived.iter().map(|(name, _)| name);
        let readable = fields.chain(derived).chain(parameters.keys());
        let mut known: Vec<&str> = readable.map(String::as_str).collect();
        for unreadable in self.unreadable {
            if !known.contains(&unreadable.as_str()) {
                known.push(unreadable);
            }
        }
        let help = match nearest(name, known.iter().copied()) {
            _ if functions::find(name).is_some() => {
                format!("`{name}` is a function: write `{name}(...)`")
            }
            Some(near) => format!("did you mean `{near}`?"),
            None if name.to_ascii_lowercase().contains("max") => {
                "`LONG_MAX` is Java's `Long.MAX_VALUE`, and `rev_ts(ts)` what a time leaves of it"
                    .to_owned()
            }
            None if known.is_empty() => "there are no fields; texts are quoted: 'text'".to_owned(),
            None => format!("known: {}", known.join(", ")),
        };
        let message = format!("unknown name `{name}`");
        self.error(span, message, "no field, derived field or parameter", help)
    }

    /// The value of a field.
    fn field(&mut self, id: FieldId) -> Code {
        let schema = self.environment.schema;
        let (domain, stored) = (schema.domain(id), schema.field(id));
        let slot = usize::from(id.0);
        let is_number = matches!(domain.value_type, ValueType::Int | ValueType::Double);
        // Digits of one length are in the order of the numbers.
        let one_length = domain.shape.fixed().is_some();
        let in_order = one_length && matches!(stored.kind, FieldKind::Digits { .. });
        let trend = Trend {
            exact: is_number || stored.literals.is_empty(),
            ..Trend::SAME
        };
        let facts = Facts {
            order: Order::Rising.kept(domain.follows_time),
            cardinality: domain.cardinality,
            unit: domain.time_unit,
            ..Facts::of_field(id, (is_number || in_order).then_some(trend))
        };
        let op = if is_number {
            Op::Slot(slot)
        } else {
            let text = self.texts.entry(id);
            let text = text.or_insert_with(|| Arc::new(schema.text(id)));
            Op::Field(slot, text.clone())
        };
        Code::field(op, domain, facts)
    }

    fn expand(&mut self, name: &'a str, text: &'a str, expr: &Expr) -> Option<Vec<Segment>> {
        let open = self.complaints.texts.iter();
        let open = open.filter_map(|(open, _)| open.as_deref());
        let mut cycle: Vec<&str> = open.skip_while(|open| *open != name).collect();
        if !cycle.is_empty() {
            cycle.push(name);
            let message = format!("derived field `{name}` uses itself: {}", cycle.join(" -> "));
            let label = "closes the circle";
            let help = "a derived field may use stored fields and other derived fields only";
            return self.error(&expr.span, message, label, help);
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
                let needs = &mut part.code.facts.needs;
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
    fn check(&mut self, expr: &Expr) -> Option<Code> {
        let parts = self.parts(expr)?.into_iter();
        Some(Code::joined(parts.map(|part| part.code).collect()))
    }

    fn call(
        &mut self,
        function: &'static Function,
        arguments: &[Expr],
        expr: &Expr,
    ) -> Option<Code> {
        let build = function.build?;
        let (least, most) = function.arity();
        if arguments.len() < least || arguments.len() > most {
            let expected = match least == most {
                true => least.to_string(),
                false => format!("{least} to {most}"),
            };
            let (name, found) = (function.name, arguments.len());
            let s = if most == 1 { "" } else { "s" };
            let message = format!("`{name}` takes {expected} argument{s}, found {found}");
            let (label, help) = ("wrong number of arguments", function.help());
            return self.error(&expr.span, message, label, help);
        }
        let mut values = Vec::new();
        for (argument, kind) in arguments.iter().zip(function.arguments) {
            if let (Argument::Wide, Some(value)) = (kind, self.unsigned(argument)) {
                return Some(Code::literal(ValueType::Bytes, &value.to_be_bytes()));
            }
            let hashed = usize::from(*kind == Argument::Unordered);
            self.complaints.hashing += hashed;
            let value = match (kind, &argument.kind) {
                (Argument::Literal, ExprKind::Text(text)) => {
                    Some(Code::literal(ValueType::Text, text.as_bytes()))
                }
                (Argument::Literal, _) => None,
                _ => self.check(argument),
            };
            self.complaints.hashing -= hashed;
            values.push((value, argument.span.clone()));
        }
        let mut known = self.identifier_draws(function, expr);
        build(&mut Call {
            function,
            values,
            span: &expr.span,
            complaints: &mut self.complaints,
            draws: known.as_mut().unwrap_or(&mut self.draws),
            schema: self.environment.schema,
        })
    }

    /// The draws of an identifier that has been met before: an operation has one, however often the key names it, so that a salt in front is that of the very identifier behind it.
    fn identifier_draws(&mut self, function: &Function, expr: &Expr) -> Option<u32> {
        if !matches!(function.name, "uuid4" | "uuid7" | "ulid" | "ksuid") {
            return None;
        }
        let (derived, text) = self.complaints.texts.last()?;
        let said: String = text.get(expr.span.clone())?.split_whitespace().collect();
        let identifier = (derived.clone(), said);
        let known = self.identifiers.get(&identifier).copied();
        self.identifiers.entry(identifier).or_insert(self.draws);
        known
    }
}

/// Do two texts say the same, blanks apart? Blanks within quotes are a part of it.
fn is_written_as(expression: &str, other: &str) -> bool {
    let without_blanks = |text: &str| -> String { text.split_whitespace().collect() };
    let quotes = [expression, other].iter().any(|text| text.contains('\''));
    expression == other.trim() || !quotes && without_blanks(expression) == without_blanks(other)
}

/// A hash of so many values that rows with the same one are few: behind it order hardly matters. Buckets are none.
fn scatters(part: &Segment) -> bool {
    const MOST_BUCKETS: u64 = 65_536;
    let facts = &part.code.facts;
    let many = facts.cardinality.is_none_or(|values| values > MOST_BUCKETS);
    facts.randomness == Randomness::Hashed && many
}

#[cfg(test)]
#[path = "checker_tests.rs"]
mod tests;
