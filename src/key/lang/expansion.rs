//! How large derived fields get when those inside them are expanded.

use super::parser::parse;
use super::syntax::{Expr, ExprKind};
use std::collections::BTreeMap;

/// Parts of each derived field, given by name and expression, with all derived fields inside it expanded: literals, names, operators and functions.
/// A field that uses itself counts once there. O(length of all expressions).
pub fn expanded_sizes(derived: &[(String, String)]) -> Vec<u64> {
    let mut sizes = Sizes {
        places: (0..)
            .zip(derived)
            .map(|(at, (name, _))| (name.as_str(), at))
            .collect(),
        derived,
        found: vec![None; derived.len()],
    };
    (0..derived.len()).map(|at| sizes.of(at)).collect()
}

struct Sizes<'a> {
    places: BTreeMap<&'a str, usize>,
    derived: &'a [(String, String)],
    found: Vec<Option<u64>>,
}

impl Sizes<'_> {
    fn of(&mut self, at: usize) -> u64 {
        if let Some(size) = self.found[at] {
            return size;
        }
        // What a circle comes back to counts once; it has a complaint of its own.
        self.found[at] = Some(1);
        let (tree, _) = parse(&self.derived[at].1);
        let size = tree.map_or(1, |tree| self.parts(&tree));
        self.found[at] = Some(size);
        size
    }

    fn parts(&mut self, expr: &Expr) -> u64 {
        let named = match &expr.kind {
            ExprKind::Name(name) => self.places.get(name.as_str()).copied(),
            _ => None,
        };
        let own = 1u64.saturating_add(named.map_or(0, |at| self.of(at)));
        let inside = expr.operands().iter().map(|operand| self.parts(operand));
        inside.fold(own, u64::saturating_add)
    }
}

#[cfg(test)]
mod tests {
    use super::expanded_sizes;

    fn sizes(fields: &[(&str, &str)]) -> Vec<u64> {
        let fields = fields
            .iter()
            .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
        expanded_sizes(&fields.collect::<Vec<_>>())
    }

    #[test]
    fn a_name_counts_as_what_it_stands_for() {
        // `id` 1; `a + a` 3 with each `a` 1 + 1; a call, its two arguments, and the parts of one of them.
        let fields = [
            ("a", "id"),
            ("b", "a + a"),
            ("c", "lpad(b, 3)"),
            ("d", "'x' || -a"),
        ];
        assert_eq!(sizes(&fields), [1, 5, 8, 5]);
    }

    #[test]
    fn doubling_saturates_and_circles_end() {
        let mut fields = vec![("f0".to_owned(), "id".to_owned())];
        for at in 1..900 {
            fields.push((format!("f{at}"), format!("f{0} + f{0}", at - 1)));
        }
        fields.reverse();
        assert_eq!(expanded_sizes(&fields)[0], u64::MAX);
        assert_eq!(sizes(&[("a", "b"), ("b", "a")]), [3, 2]);
    }
}
