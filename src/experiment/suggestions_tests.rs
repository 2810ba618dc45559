//! Which keys a file suggests, and that one is recommended where the file has none that is good.
