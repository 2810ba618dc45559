//! Any part of compiled code, for walks over all of it. Must not know what the parts mean.

use super::code::{BytesCode, Coordinate, DoubleCode, IntCode, IntOp};
use crate::record::FieldId;

/// A compiled sub-expression.
#[derive(Debug, Clone, Copy)]
pub(super) enum Node<'a> {
    Int(&'a IntCode),
    Double(&'a DoubleCode),
    Bytes(&'a BytesCode),
}

impl<'a> Node<'a> {
    /// Calls `visit` with each direct operand, in the order in which they run.
    pub fn operands(self, visit: &mut dyn FnMut(Node<'a>)) {
        match self {
            Self::Int(code) => int_operands(code, visit),
            Self::Double(DoubleCode::Slot(_)) => {}
            Self::Double(DoubleCode::Int(value)) => visit(Node::Int(value)),
            Self::Bytes(code) => bytes_operands(code, visit),
        }
    }

    /// The slot that it reads itself.
    pub fn slot(self) -> Option<FieldId> {
        match self {
            Self::Int(IntCode {
                op: IntOp::Slot(slot),
                ..
            })
            | Self::Double(DoubleCode::Slot(slot))
            | Self::Bytes(BytesCode::Field(slot, _)) => Some(FieldId(*slot as u16)),
            _ => None,
        }
    }

    /// Does it, or an operand, read the slot?
    pub fn mentions(self, field: FieldId) -> bool {
        self.any(&mut |node| node.slot() == Some(field))
    }

    /// Is it made of no slot but this?
    pub fn is_of(self, field: FieldId) -> bool {
        !self.any(&mut |node| node.slot().is_some_and(|slot| slot != field) || node.draws())
    }

    /// Adds the slots that it reads, each once.
    pub fn slots(self, slots: &mut Vec<FieldId>) {
        if let Some(slot) = self.slot()
            && !slots.contains(&slot)
        {
            slots.push(slot);
        }
        self.operands(&mut |operand| operand.slots(slots));
    }

    fn draws(self) -> bool {
        matches!(
            self,
            Self::Int(IntCode {
                op: IntOp::Random { .. } | IntOp::RoundRobin { .. },
                ..
            }) | Self::Bytes(
                BytesCode::Uuid4 { .. }
                    | BytesCode::Uuid7 { .. }
                    | BytesCode::Ulid { .. }
                    | BytesCode::Ksuid { .. }
            )
        )
    }

    fn any(self, wanted: &mut dyn FnMut(Node<'a>) -> bool) -> bool {
        if wanted(self) {
            return true;
        }
        let mut found = false;
        self.operands(&mut |operand| found = found || operand.any(wanted));
        found
    }
}

fn int_operands<'a>(code: &'a IntCode, visit: &mut dyn FnMut(Node<'a>)) {
    match &code.op {
        IntOp::Const(_) | IntOp::Slot(_) | IntOp::Random { .. } | IntOp::RoundRobin { .. } => {}
        IntOp::Add(a, b)
        | IntOp::Subtract(a, b)
        | IntOp::Multiply(a, b)
        | IntOp::Divide(a, b)
        | IntOp::Remainder(a, b)
        | IntOp::Pmod(a, b) => [a, b]
            .into_iter()
            .for_each(|operand| visit(Node::Int(operand))),
        IntOp::Floor(a, _)
        | IntOp::Abs(a)
        | IntOp::Abs32(a)
        | IntOp::BitReverse63(a)
        | IntOp::BitReverse64(a) => visit(Node::Int(a)),
        IntOp::Hash(_, of) | IntOp::Salt { of, .. } => visit(Node::Bytes(of)),
        IntOp::Snowflake {
            millis,
            datacenter,
            worker,
            sequence,
        } => [millis, datacenter, worker, sequence]
            .into_iter()
            .for_each(|part| visit(Node::Int(part))),
    }
}

fn bytes_operands<'a>(code: &'a BytesCode, visit: &mut dyn FnMut(Node<'a>)) {
    match code {
        BytesCode::Literal(_) | BytesCode::Field(..) | BytesCode::Uuid4 { .. } => {}
        BytesCode::Int(_, value) => visit(Node::Int(value)),
        BytesCode::Double(_, value) => visit(Node::Double(value)),
        BytesCode::Map(_, of) | BytesCode::Md5 { of, .. } => visit(Node::Bytes(of)),
        BytesCode::Concat(parts) => parts.iter().for_each(|part| visit(Node::Bytes(part))),
        BytesCode::Uuid7 { millis: time, .. }
        | BytesCode::Ulid { millis: time, .. }
        | BytesCode::Ksuid { seconds: time, .. } => visit(Node::Int(time)),
        BytesCode::Morton(coordinates) => {
            for coordinate in coordinates {
                visit(match coordinate {
                    Coordinate::Cell(value) => Node::Int(value),
                    Coordinate::Degrees { value, .. } => Node::Double(value),
                });
            }
        }
    }
}

impl BytesCode {
    /// Calls `change` with every integer in it, outer ones first.
    pub fn each_int(&mut self, change: &mut dyn FnMut(&mut IntCode)) {
        match self {
            Self::Literal(_) | Self::Field(..) | Self::Uuid4 { .. } => {}
            Self::Int(_, value) => value.each_int(change),
            Self::Double(_, value) => value.each_int(change),
            Self::Map(_, of) | Self::Md5 { of, .. } => of.each_int(change),
            Self::Concat(parts) => parts.iter_mut().for_each(|part| part.each_int(change)),
            Self::Uuid7 { millis: time, .. }
            | Self::Ulid { millis: time, .. }
            | Self::Ksuid { seconds: time, .. } => time.each_int(change),
            Self::Morton(coordinates) => {
                for coordinate in coordinates {
                    match coordinate {
                        Coordinate::Cell(value) => value.each_int(change),
                        Coordinate::Degrees { value, .. } => value.each_int(change),
                    }
                }
            }
        }
    }
}

impl DoubleCode {
    fn each_int(&mut self, change: &mut dyn FnMut(&mut IntCode)) {
        if let Self::Int(value) = self {
            value.each_int(change);
        }
    }
}

impl IntCode {
    fn each_int(&mut self, change: &mut dyn FnMut(&mut IntCode)) {
        change(self);
        match &mut self.op {
            IntOp::Const(_) | IntOp::Slot(_) | IntOp::Random { .. } | IntOp::RoundRobin { .. } => {}
            IntOp::Add(a, b)
            | IntOp::Subtract(a, b)
            | IntOp::Multiply(a, b)
            | IntOp::Divide(a, b)
            | IntOp::Remainder(a, b)
            | IntOp::Pmod(a, b) => {
                a.each_int(change);
                b.each_int(change);
            }
            IntOp::Floor(a, _)
            | IntOp::Abs(a)
            | IntOp::Abs32(a)
            | IntOp::BitReverse63(a)
            | IntOp::BitReverse64(a) => a.each_int(change),
            IntOp::Hash(_, of) | IntOp::Salt { of, .. } => of.each_int(change),
            IntOp::Snowflake {
                millis,
                datacenter,
                worker,
                sequence,
            } => {
                for part in [millis, datacenter, worker, sequence] {
                    part.each_int(change);
                }
            }
        }
    }
}
