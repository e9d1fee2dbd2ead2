//! The program `toolcrib` with the pack `notes`.

fn main() -> std::process::ExitCode {
    toolcrib::run([notes::pack()])
}
