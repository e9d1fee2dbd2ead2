//! Prepares the files of `web/` for the binary: our modules without their comments, each file compressed.

#[path = "src/comments.rs"]
mod comments;

use std::{
    env,
    fmt::Write as _,
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use flate2::{Compression, GzBuilder};

/// What only the authors and the package of the elements need.
const NOT_SERVED: [&str; 4] = [".d.ts", ".md", ".json", "web/LICENSE"];

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=web");
    let out = env::var_os("OUT_DIR").map(PathBuf::from).ok_or(io::ErrorKind::NotFound)?;
    let mut paths = Vec::new();
    find(Path::new("web"), &mut paths)?;
    paths.sort_unstable();
    let mut table = "&[\n".to_owned();
    for (n, path) in paths.iter().enumerate() {
        let name = path.strip_prefix("web/").unwrap_or(path);
        let file = out.join(format!("{n}.gz"));
        fs::write(&file, gzipped(&comments::served(name, fs::read(path)?))?)?;
        writeln!(table, "    ({name:?}, include_bytes!(r#\"{}\"#)),", file.display())
            .map_err(io::Error::other)?;
    }
    table.push(']');
    fs::write(out.join("files.rs"), table)
}

fn find(folder: &Path, paths: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.display().to_string().replace('\\', "/");
        if path.is_dir() {
            find(&path, paths)?;
        } else if !NOT_SERVED.iter().any(|end| name.ends_with(end)) {
            paths.push(name);
        }
    }
    Ok(())
}

fn gzipped(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzBuilder::new().write(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    encoder.finish()
}
