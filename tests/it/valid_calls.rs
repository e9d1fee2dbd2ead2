//! Repairs leave valid arguments alone, whatever the action.

use toolcrib_registry::{TextRepair, coerce, parse_lenient};

use crate::{
    formats::catalog,
    inputs::{Chance, sound},
};

/// Valid inputs for each action.
const INPUTS: usize = 200;

#[test]
fn valid_arguments_are_never_changed() {
    let catalog = catalog();
    for (seed, meta) in catalog.registry().tools().enumerate() {
        let mut chance = Chance::new(seed as u64);
        for _ in 0..INPUTS {
            let valid = sound(meta.input.value(), &mut chance);
            if !meta.input.check(&mut valid.clone()).is_empty() {
                continue;
            }
            let mut read = valid.clone();
            assert_eq!(coerce(meta.input.value(), &mut read), [""; 0], "{}: {valid}", meta.spec.name);
            assert_eq!(read, valid);
            let (parsed, repair) = parse_lenient(&valid.to_string()).unwrap();
            assert_eq!((&parsed, repair), (&valid, TextRepair::None), "{}", meta.spec.name);
        }
    }
}
