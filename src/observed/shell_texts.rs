//! Rows of what the HBase shell writes line by line: `status 'detailed'` and a scan of `hbase:meta`; and what the shell of
//! Accumulo does: `getsplits` and `listtablets`. Must not know what names mean.

use super::file::{ObservedError, ObservedFile};
use super::format::{Format, Part, Row};
use super::keys::{after_inclusive, base64_inclusive};
use crate::keyspace::RowKey;

/// `status 'detailed'` of HBase 2 and 3: servers, behind each its regions, a name in quotes and a line of `name=value` for each.
pub(super) fn status(file: &ObservedFile, format: &Format) -> Result<Vec<Row>, ObservedError> {
    let mut lines = file.lines();
    let mut last = 1;
    let (mut rows, mut server, mut region): (Vec<Row>, _, _) = (Vec::new(), None, None);
    // What stands before, regions in transition, may look alike.
    lines.find(|(_, line)| line.ends_with(" live servers"));
    for (at, line) in lines {
        last = at;
        let text = line.trim_start();
        if line.ends_with(" dead servers") && region.is_none() {
            return Ok(rows);
        } else if let Some(name) = text.strip_prefix('"').and_then(|it| it.strip_suffix('"')) {
            region = Some(undumped(name));
        } else if let Some(name) = region.take() {
            let pairs = text.split(", ").filter_map(|pair| pair.split_once('='));
            let mut row = format.row(at, pairs);
            let counts = row.get(Part::Reads).zip(row.get(Part::Writes));
            if counts.is_none() {
                return Err(format.is_cut(file, at));
            }
            row.parts.push((Part::Name, name));
            row.parts
                .extend(Option::clone(&server).map(|it| (Part::Server, it)));
            rows.push(row);
        } else if let Some((host, code)) = text.split_once(' ').filter(|it| is_number(it.1)) {
            // As everywhere else: host, port, start code.
            server = host
                .rsplit_once(':')
                .map(|(host, port)| format!("{host},{port},{code}"));
        }
    }
    Err(format.is_cut(file, last))
}

fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// What Ruby's `dump` wrote: a backslash stands before `"`, `#` and itself.
fn undumped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        plain.extend(match letter {
            '\\' => letters.next(),
            _ => Some(letter),
        });
    }
    plain
}

/// A scan of `hbase:meta`: of each region `regioninfo`, and behind it its server. On a terminal cells are wrapped, each piece filling its column.
pub(super) fn meta(file: &ObservedFile, format: &Format) -> Result<Vec<Row>, ObservedError> {
    let mut lines = file.lines();
    let heading = lines.find_map(|(_, line)| line.find("COLUMN+CELL"));
    let wrapped = heading.filter(|at| *at > "ROW  ".len());
    let (mut cells, mut is_whole, mut last): (Vec<(usize, String)>, _, _) = (Vec::new(), false, 1);
    for (at, line) in lines {
        (is_whole, last) = (is_whole || line.ends_with("row(s)"), at);
        let cell = match wrapped {
            Some(column) => line.get(column..).unwrap_or_default(),
            None => line
                .find(" column=")
                .map_or("", |column| &line[column + 1..]),
        };
        match cells.last_mut() {
            Some((_, above)) if !cell.starts_with("column=") => above.push_str(cell),
            _ => cells.push((at, cell.to_owned())),
        }
    }
    if !is_whole {
        return Err(format.is_cut(file, last));
    }
    let mut rows: Vec<Row> = Vec::new();
    for (at, cell) in &cells {
        let value = |start| {
            Some(
                cell.strip_prefix(start)?
                    .split_once(", value=")?
                    .1
                    .trim_end(),
            )
        };
        if let Some(info) = value("column=info:regioninfo,") {
            let of = |start, end| Some(info.split_once(start)?.1.split_once(end)?.0.to_owned());
            let name = of("NAME => '", "', STARTKEY => '").zip(of("ENDKEY => '", "'}"));
            let (name, end) = name.ok_or_else(|| format.is_cut(file, *at))?;
            let parts = vec![(Part::Name, name), (Part::End, end)];
            rows.push(Row {
                line: Some(*at),
                parts,
            });
        } else if let Some((server, row)) = value("column=info:sn,").zip(rows.last_mut()) {
            row.parts.push((Part::Server, server.to_owned()));
        }
    }
    Ok(rows)
}

/// Tablets as Accumulo's `getsplits -v` lists them: `ID   (after, up to]`, each beginning where the one before ends.
pub(super) fn split_list(file: &ObservedFile, format: &Format) -> Result<Vec<Row>, ObservedError> {
    let (mut rows, mut before, mut last) = (Vec::new(), String::new(), 1);
    for (at, line) in file.lines() {
        last = at;
        let opening = match at {
            1 => " (-inf, ".to_owned(),
            _ => format!(" ({before}, "),
        };
        let end = line.split_once(&opening[..]).map_or("", |it| it.1);
        let is_last = end.starts_with("+inf)");
        let Some(end) = end.strip_suffix(']').or(is_last.then_some("")) else {
            break;
        };
        let parts = vec![(Part::Start, before), (Part::End, end.to_owned())];
        rows.push(Row {
            line: Some(at),
            parts,
        });
        if is_last {
            return Ok(rows);
        }
        before = end.to_owned();
    }
    Err(format.is_cut(file, last))
}

/// Whether lines are split points.
pub(super) fn is_split_points(head: &str) -> bool {
    // The last one may be cut.
    let whole = head.rsplit_once('\n').map_or("", |it| it.0);
    let first = whole.lines().next().unwrap_or_default();
    !first.contains([' ', ',', ';', '\t', '{', '[']) && first_keys(whole).is_some()
}

/// The first keys of regions behind split points, one a line as it is or in base64, in whichever they stand in their order.
fn first_keys(text: &str) -> Option<Vec<RowKey>> {
    [after_inclusive, base64_inclusive].iter().find_map(|read| {
        let keys = text.lines().map(|line| read(line).ok());
        let keys: Vec<RowKey> = keys.collect::<Option<_>>()?;
        (keys.len() > 1 && keys.is_sorted_by(|a, b| a < b)).then_some(keys)
    })
}

/// Regions between split points.
pub(super) fn split_points(
    file: &ObservedFile,
    format: &Format,
) -> Result<Vec<Row>, ObservedError> {
    let keys = first_keys(&file.text).ok_or_else(|| format.is_cut(file, file.lines().count()))?;
    let mut before = String::new();
    let ends = keys.iter().map(RowKey::to_string).chain([String::new()]);
    let row = |(line, end): (usize, String)| Row {
        line: Some(line),
        parts: vec![
            (Part::Start, std::mem::replace(&mut before, end.clone())),
            (Part::End, end),
        ],
    };
    Ok((1..).zip(ends).map(row).collect())
}

/// Tablets as Accumulo's `listtablets` lists them, each beginning where the one before ends: keys may hold blanks, other columns don't.
pub(super) fn accumulo_list(
    file: &ObservedFile,
    format: &Format,
) -> Result<Vec<Row>, ObservedError> {
    let names = file.text.split_whitespace().take(9);
    let (mut rows, mut table, mut before, mut last) = (Vec::new(), "", "-INF", 1);
    for (at, line) in file.lines().skip(1) {
        last = at;
        if let Some(name) = line.strip_prefix("TABLE: ") {
            (table, before) = (name, "-INF");
            continue;
        }
        let end = names
            .clone()
            .fold(line, |rest, _| behind_word(rest))
            .strip_prefix(before);
        let Some(end) = end.map(str::trim).filter(|it| !it.is_empty()) else {
            break;
        };
        let words = line
            .split_whitespace()
            .map(|it| it.trim_start_matches("CURRENT:"));
        let mut row = format.row(at, names.clone().zip(words));
        let parts = [
            (Part::Table, table),
            (Part::Start, before),
            (Part::End, end),
        ];
        row.parts
            .extend(parts.map(|(part, text)| (part, text.to_owned())));
        rows.push(row);
        before = end;
    }
    match before {
        "+INF" => Ok(rows),
        _ => Err(format.is_cut(file, last)),
    }
}

fn behind_word(text: &str) -> &str {
    text.split_once(' ').map_or("", |it| it.1.trim_start())
}
