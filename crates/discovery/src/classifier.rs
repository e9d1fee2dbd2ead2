//! A classifier from texts to actions, trained on the phrases at start-up. Softmax regression over the
//! features, with stochastic gradient descent in a fixed order, so that every run gives the same weights.

use crate::vocabulary::FeatureVector;

/// The number of passes over the phrases.
const EPOCHS: u32 = 5;
/// The initial learning rate. It decays to a tenth.
const STEP: f32 = 3.0;
/// With more classes than this, training takes too long at start-up. The search then uses the nearest phrases
/// instead.
pub(crate) const MAX_CLASSES: usize = 256;

/// A weight for each feature and class, rounded to a multiple of a unit. Takes half the memory of the learnt
/// weights.
#[derive(Debug)]
pub(crate) struct Classifier {
    classes: usize,
    /// The unit of the weights of each feature.
    units: Box<[f32]>,
    /// The weights of one feature are contiguous.
    weights: Box<[i16]>,
}

/// The weights while they are learnt. Those of one feature are contiguous.
struct Learner {
    classes: usize,
    weights: Vec<f32>,
}

impl Classifier {
    /// Trains on texts and the class of each.
    pub(crate) fn train(
        features: usize,
        classes: usize,
        texts: &[FeatureVector],
        class_of: &[usize],
    ) -> Self {
        let mut learner = Learner { classes, weights: vec![0.0; features * classes] };
        let mut order: Vec<usize> = (0..texts.len()).collect();
        let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
        let mut logits = vec![0.0; classes];
        for epoch in 0..EPOCHS {
            shuffle(&mut order, &mut seed);
            let step = STEP * 0.1f32.powf(f32::from(u8::try_from(epoch).unwrap_or(0)) / 4.0);
            for i in &order {
                if let (Some(text), Some(class)) = (texts.get(*i), class_of.get(*i)) {
                    learner.learn(text, *class, step, &mut logits);
                }
            }
        }
        learner.rounded()
    }

    /// Returns the logit of each class for which `open` is true, and negative infinity for the others.
    pub(crate) fn logits(&self, text: &FeatureVector, open: &[bool]) -> Vec<f32> {
        let mut logits = vec![0.0; self.classes];
        for (feature, weight) in text {
            let at = *feature as usize * self.classes;
            let row = self.weights.get(at..at + self.classes).unwrap_or_default();
            let unit = weight * self.units.get(*feature as usize).copied().unwrap_or_default();
            for (logit, w) in logits.iter_mut().zip(row) {
                *logit += unit * f32::from(*w);
            }
        }
        for (logit, open) in logits.iter_mut().zip(open) {
            if !open {
                *logit = f32::NEG_INFINITY;
            }
        }
        logits
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        size_of_val(&*self.units) + size_of_val(&*self.weights)
    }
}

impl Learner {
    fn learn(&mut self, text: &FeatureVector, class: usize, step: f32, logits: &mut [f32]) {
        logits.fill(0.0);
        self.add_logits(text, logits);
        softmax(logits);
        if let Some(own) = logits.get_mut(class) {
            *own -= 1.0;
        }
        for (feature, weight) in text {
            let at = *feature as usize * self.classes;
            let Some(row) = self.weights.get_mut(at..at + self.classes) else { continue };
            for (w, gradient) in row.iter_mut().zip(logits.iter()) {
                *w -= step * weight * gradient;
            }
        }
    }

    fn add_logits(&self, text: &FeatureVector, logits: &mut [f32]) {
        for (feature, weight) in text {
            let at = *feature as usize * self.classes;
            let row = self.weights.get(at..at + self.classes).unwrap_or_default();
            for (logit, w) in logits.iter_mut().zip(row) {
                *logit += weight * w;
            }
        }
    }

    fn rounded(self) -> Classifier {
        let mut units = Vec::with_capacity(self.weights.len() / self.classes.max(1));
        let mut weights = Vec::with_capacity(self.weights.len());
        for row in self.weights.chunks(self.classes.max(1)) {
            let most = row.iter().fold(0.0, |most: f32, weight| most.max(weight.abs()));
            let unit = most / f32::from(i16::MAX);
            units.push(unit);
            weights.extend(row.iter().map(|weight| rounded(weight / unit)));
        }
        Classifier { classes: self.classes, units: units.into(), weights: weights.into() }
    }
}

/// Returns the nearest integer; 0 for a feature whose weights are all 0.
#[expect(clippy::cast_possible_truncation, reason = "the largest weight of a feature has 32767 units")]
fn rounded(units: f32) -> i16 {
    units.round() as i16
}

/// Converts logits to probabilities, in place. A logit of negative infinity gives 0.
pub(crate) fn softmax(logits: &mut [f32]) {
    let most = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for logit in logits.iter_mut() {
        *logit = (*logit - most).exp();
        sum += *logit;
    }
    for logit in logits.iter_mut() {
        *logit /= sum;
    }
}

fn shuffle(order: &mut [usize], seed: &mut u64) {
    for i in (1..order.len()).rev() {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let pick = usize::try_from(*seed >> 33).unwrap_or(0) % (i + 1);
        order.swap(i, pick);
    }
}
