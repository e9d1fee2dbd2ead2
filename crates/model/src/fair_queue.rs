//! A queue that takes one item of each workspace in turn, so that no workspace waits for all items of
//! another.

use std::collections::{HashMap, VecDeque};

use crate::Id;

/// A round-robin queue over workspaces, first in first out within each. A workspace without items takes no
/// memory.
pub struct FairQueue<T> {
    waiting: HashMap<Id, VecDeque<T>>,
    /// The workspaces that have items, the next one first.
    turns: VecDeque<Id>,
    len: usize,
    /// The maximum number of items of one workspace.
    most: usize,
}

impl<T> FairQueue<T> {
    /// Creates a queue that holds at most `most` items of each workspace.
    pub fn new(most: usize) -> Self {
        Self { waiting: HashMap::new(), turns: VecDeque::new(), len: 0, most }
    }

    /// Appends an item to the items of its workspace. Returns the item as the error if that workspace is
    /// full.
    pub fn push(&mut self, workspace: Id, item: T) -> Result<(), T> {
        let queue = self.waiting.entry(workspace).or_default();
        if queue.len() >= self.most {
            return Err(item);
        }
        if queue.is_empty() {
            self.turns.push_back(workspace);
        }
        queue.push_back(item);
        self.len += 1;
        Ok(())
    }

    /// Removes and returns the first item of the next workspace.
    pub fn pop(&mut self) -> Option<T> {
        let workspace = self.turns.pop_front()?;
        let queue = self.waiting.get_mut(&workspace)?;
        let item = queue.pop_front()?;
        if queue.is_empty() {
            self.waiting.remove(&workspace);
        } else {
            self.turns.push_back(workspace);
        }
        self.len -= 1;
        Some(item)
    }

    /// Removes the leading items of a workspace for which `is_gone` is true. Its last item always stays.
    pub fn discard_first(&mut self, workspace: Id, is_gone: impl Fn(&T) -> bool) {
        let Some(queue) = self.waiting.get_mut(&workspace) else { return };
        while queue.len() > 1 && queue.front().is_some_and(&is_gone) {
            queue.pop_front();
            self.len -= 1;
        }
    }

    /// Returns the number of items of all workspaces.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether the queue has no items.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_workspace_has_its_turn() {
        let [a, b, c] = [1, 2, 3].map(Id::from_u128);
        let mut queue = FairQueue::new(4);
        for n in 0..4 {
            queue.push(a, n).unwrap();
        }
        assert_eq!(queue.push(a, 99), Err(99));
        queue.push(b, 10).unwrap();
        assert_eq!([queue.pop(), queue.pop()], [Some(0), Some(10)]);
        // A later workspace waits for one item of each earlier workspace, not for all of them.
        queue.push(c, 20).unwrap();
        queue.push(b, 11).unwrap();
        let rest: Vec<i32> = std::iter::from_fn(|| queue.pop()).collect();
        assert_eq!(rest, [1, 20, 11, 2, 3]);
        assert!(queue.is_empty() && queue.waiting.is_empty() && queue.turns.is_empty());
        queue.push(a, 5).unwrap();
        assert_eq!((queue.len(), queue.pop(), queue.pop()), (1, Some(5), None));
    }

    #[test]
    fn the_first_ones_that_are_gone_are_discarded_and_one_stays() {
        let mut queue = FairQueue::new(9);
        for n in [1, 2, 3, 1] {
            queue.push(Id::nil(), n).unwrap();
        }
        queue.discard_first(Id::nil(), |n| *n < 3);
        assert_eq!(queue.len(), 2);
        queue.discard_first(Id::nil(), |_| true);
        assert_eq!((queue.len(), queue.pop(), queue.pop()), (1, Some(1), None));
    }
}
