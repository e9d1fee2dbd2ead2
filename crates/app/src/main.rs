//! The binary `toolcrib`: the program with the packs that come with it.

use std::process::ExitCode;

fn main() -> ExitCode {
    toolcrib::run([toolcrib_media::pack(), toolcrib_game::pack()])
}
