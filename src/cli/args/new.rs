//! The arguments of `keyheat new`. Must not know what stands in a template.

use super::super::templates::TEMPLATES;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct NewArguments {
    /// The file to write: `.toml` is added where it is missing; a folder in front is made
    #[arg(value_name = "NAME", required_unless_present = "list")]
    pub name: Option<PathBuf>,
    /// The design question to start from
    #[arg(
        short,
        long,
        value_name = "TEMPLATE",
        default_value = TEMPLATES[0].name,
        hide_possible_values = true,
        value_parser = names()
    )]
    pub template: String,
    /// List the templates
    #[arg(long, conflicts_with_all = ["name", "template"])]
    pub list: bool,
}

fn names() -> PossibleValuesParser {
    let value = |template: &super::super::templates::Template| {
        PossibleValue::new(template.name).help(template.about)
    };
    TEMPLATES.iter().map(value).into()
}
