//! Sorts tasks topologically by their dependencies.

use std::collections::BTreeSet;

/// Returns the positions in an order in which each follows all its dependencies, otherwise in the given
/// order. The error is a cycle: each position depends on the next one, and the last one equals the first.
/// Ignores positions that do not exist.
pub fn order(depends_on: &[Vec<usize>]) -> Result<Vec<usize>, Vec<usize>> {
    let mut waiting: BTreeSet<usize> = (0..depends_on.len()).collect();
    let mut sorted = Vec::with_capacity(depends_on.len());
    let needs = |at: usize| depends_on.get(at).map(Vec::as_slice).unwrap_or_default();
    while !waiting.is_empty() {
        let ready = waiting.iter().copied().find(|at| !needs(*at).iter().any(|on| waiting.contains(on)));
        let Some(ready) = ready else { return Err(circle(&waiting, needs)) };
        waiting.remove(&ready);
        sorted.push(ready);
    }
    Ok(sorted)
}

/// Returns a cycle. Each waiting position depends on another waiting one, so following the dependencies leads
/// into a cycle.
fn circle<'d>(waiting: &BTreeSet<usize>, needs: impl Fn(usize) -> &'d [usize]) -> Vec<usize> {
    let mut path: Vec<usize> = Vec::new();
    let mut next = waiting.first().copied();
    while let Some(at) = next {
        let before = path.iter().position(|seen| *seen == at);
        path.push(at);
        if let Some(start) = before {
            return path.split_off(start);
        }
        next = needs(at).iter().copied().find(|on| waiting.contains(on));
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_depend_on_comes_first() {
        assert_eq!(order(&[]), Ok(vec![]));
        assert_eq!(order(&[vec![], vec![], vec![]]), Ok(vec![0, 1, 2]));
        assert_eq!(order(&[vec![2], vec![0, 2], vec![]]), Ok(vec![2, 0, 1]));
        assert_eq!(order(&[vec![3], vec![], vec![1], vec![1]]), Ok(vec![1, 2, 3, 0]));
    }

    #[test]
    fn a_circle_is_shown_without_what_leads_to_it() {
        assert_eq!(order(&[vec![0]]), Err(vec![0, 0]));
        assert_eq!(order(&[vec![1], vec![2], vec![1], vec![]]), Err(vec![1, 2, 1]));
        assert_eq!(order(&[vec![2], vec![0], vec![1]]), Err(vec![0, 2, 1, 0]));
    }
}
