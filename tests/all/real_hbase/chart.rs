//! The picture of predictions against measurements. Must not compare anything itself.

use super::{Compared, compared, folder, measured};
use std::fmt::Write;

/// Pixels of a decade, of the margins, and of a dot.
const DECADE: f64 = 72.0;
const MARGIN: f64 = 56.0;
const DOT: f64 = 3.5;

/// Kinds that are drawn, with their colours: of those that can't differ by a little there is nothing to see.
const DRAWN: [(&str, &str, &str); 6] = [
    ("throughput", "throughput, operations a second", "#0072b2"),
    ("mean", "mean and median, ms; backlogs", "#d55e00"),
    ("p90", "p90, ms", "#cc79a7"),
    ("p99", "p99, ms", "#882255"),
    ("file-size", "sizes of files, bytes", "#009e73"),
    ("splits", "splits, moves, rows between splits", "#999933"),
];

/// What else a reader has to know.
const NOTES: [&str; 2] = ["rings are known to differ", "grey: 10 % to each side"];

/// Where a quantity is drawn, by decades, and in which colour; none that is not drawn.
fn dot(it: &Compared) -> Option<(f64, f64, &'static str, &Compared)> {
    let (_, _, colour) = DRAWN.iter().find(|(kind, ..)| *kind == it.tolerance.kind)?;
    let (x, y) = (it.predicted.as_f64()?, it.measured.as_f64()?);
    (x > 0.0 && y > 0.0).then_some((x.log10(), y.log10(), colour, it))
}

/// Both axes are logarithmic and alike: what is on the diagonal is predicted exactly, the band is 10 % wide to each side.
fn picture(all: &[Compared]) -> String {
    let dots: Vec<_> = all.iter().filter_map(dot).collect();
    let ends = dots.iter().flat_map(|(x, y, ..)| [*x, *y]);
    let (low, high) = ends.fold((f64::MAX, f64::MIN), |(low, high), at| {
        (low.min(at), high.max(at))
    });
    let (low, high) = (low.floor(), high.ceil());
    let side = (high - low) * DECADE;
    let (width, height) = (side + 2.0 * MARGIN + 210.0, side + 2.0 * MARGIN);
    let x = |at: f64| MARGIN + (at - low) * DECADE;
    let y = |at: f64| MARGIN + (high - at) * DECADE;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <title>{} quantities, predicted and measured on HBase 2.6.1</title>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n",
        dots.len()
    );
    let band = 1.1_f64.log10();
    let corners = [
        (low, low - band),
        (high, high - band),
        (high, high + band),
        (low, low + band),
    ];
    let corners = corners.map(|(at, to)| format!("{:.1},{:.1}", x(at), y(to.clamp(low, high))));
    let corners = corners.join(" ");
    writeln!(text, "<polygon points=\"{corners}\" fill=\"#e8e8e8\"/>").unwrap();
    let mut decade = low;
    while decade <= high {
        let label = match decade {
            at if at < 0.0 => format!("{:.*}", -at as usize, 10f64.powf(at)),
            at => format!("{:.0}", 10f64.powf(at)),
        };
        let (left, top, at, down) = (x(low), y(high), x(decade), y(decade));
        let (right, bottom) = (x(high), y(low));
        writeln!(
            text,
            "<path d=\"M{at:.1} {top:.1}V{bottom:.1}M{left:.1} {down:.1}H{right:.1}\" stroke=\"#d0d0d0\" fill=\"none\"/>\n\
             <text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{label}</text>\n\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
            bottom + 18.0,
            left - 6.0,
            down + 4.0,
        )
        .unwrap();
        decade += 1.0;
    }
    let (left, right, top, bottom) = (x(low), x(high), y(high), y(low));
    writeln!(
        text,
        "<path d=\"M{left:.1} {bottom:.1}L{right:.1} {top:.1}\" stroke=\"#606060\"/>\n\
         <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">predicted</text>\n\
         <text x=\"{left:.1}\" y=\"{:.1}\">measured</text>",
        (left + right) / 2.0,
        bottom + 38.0,
        top - 14.0,
    )
    .unwrap();
    for (at, to, colour, it) in &dots {
        let (cx, cy, id) = (x(*at), y(*to), &it.id);
        let fill = match it.differs {
            Some(_) => format!("fill=\"#ffffff\" stroke=\"{colour}\" stroke-width=\"1.5\""),
            None => format!("fill=\"{colour}\" fill-opacity=\"0.75\""),
        };
        writeln!(
            text,
            "<circle cx=\"{cx:.1}\" cy=\"{cy:.1}\" r=\"{DOT}\" {fill}><title>{id}: {} predicted, {} measured</title></circle>",
            it.predicted, it.measured
        )
        .unwrap();
    }
    for (at, (_, words, colour)) in DRAWN.iter().enumerate() {
        let (cx, cy) = (right + 20.0, top + 20.0 * at as f64 + 6.0);
        writeln!(
            text,
            "<circle cx=\"{cx:.1}\" cy=\"{cy:.1}\" r=\"{DOT}\" fill=\"{colour}\"/><text x=\"{:.1}\" y=\"{:.1}\">{words}</text>",
            cx + 10.0,
            cy + 4.0
        )
        .unwrap();
    }
    for (at, words) in NOTES.iter().enumerate() {
        let (left, down) = (right + 17.0, top + 20.0 * (DRAWN.len() + at) as f64 + 22.0);
        writeln!(text, "<text x=\"{left:.1}\" y=\"{down:.1}\">{words}</text>").unwrap();
    }
    text + "</svg>\n"
}

#[test]
fn the_committed_picture_is_that_of_the_measurement() {
    if std::env::var_os("KEYHEAT_MEASURED").is_some() {
        return;
    }
    let file = folder().join("measured.svg");
    let text = picture(&compared(&measured()));
    snapbox::assert_data_eq!(text, snapbox::Data::read_from(&file, None).raw());
}
