//! Which operations are imported.

/// The names and paths that are included and excluded.
pub struct OperationSelection<'a> {
    include: &'a [String],
    exclude: &'a [String],
    /// For each entry of `include`, whether an operation matched it.
    used: Vec<bool>,
}

impl<'a> OperationSelection<'a> {
    /// Creates a selection. An empty `include` selects all operations.
    pub fn new(include: &'a [String], exclude: &'a [String]) -> Self {
        Self { include, exclude, used: vec![false; include.len()] }
    }

    /// Returns whether an operation is imported that has these names.
    pub fn selects(&mut self, names: &[&str]) -> bool {
        let matches = |pattern: &String| names.iter().any(|name| matches(pattern, name));
        let mut included = self.include.is_empty();
        for (pattern, used) in self.include.iter().zip(&mut self.used) {
            if matches(pattern) {
                included = true;
                *used = true;
            }
        }
        included && !self.exclude.iter().any(matches)
    }

    /// Returns the entries of `include` that matched no operation.
    pub fn unused(&self) -> impl Iterator<Item = &str> {
        let entries = self.include.iter().zip(&self.used);
        entries.filter(|(_, used)| !**used).map(|(pattern, _)| pattern.as_str())
    }
}

/// Returns whether a name is the pattern, or begins with what stands before its `*`.
fn matches(pattern: &str, name: &str) -> bool {
    pattern.strip_suffix('*').map_or(pattern == name, |beginning| name.starts_with(beginning))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_matched_whole_or_by_their_beginning() {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let (include, exclude) = (words(&["get*", "/pets*", "none"]), words(&["getSecret"]));
        let mut selection = OperationSelection::new(&include, &exclude);
        assert!(selection.selects(&["getPet", "/x"]) && selection.selects(&["addPet", "/pets/{id}"]));
        assert!(!selection.selects(&["getSecret", "/pets"]) && !selection.selects(&["pets", "/pet"]));
        assert_eq!(selection.unused().collect::<Vec<_>>(), ["none"]);
        assert!(OperationSelection::new(&[], &exclude).selects(&["any"]));
    }
}
