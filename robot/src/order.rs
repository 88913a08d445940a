//! The order in which pairs are tested: those first that most often collide for the least work.

/// An order of pairs, by their index, learnt from earlier tests.
#[derive(Debug)]
pub struct PairOrder {
    order: Vec<u32>,
    habits: Vec<Habit>,
}

/// What the last narrow-phase tests of a pair have shown.
#[derive(Clone, Copy, Debug, Default)]
struct Habit {
    /// The share of recent tests that found a collision.
    hits: f32,
    /// The mean work of recent tests.
    work: f32,
    tests: u8,
}

/// The number of recent tests over which a habit averages: a smaller number adapts faster while the robot moves, a
/// larger one distinguishes rare collisions from frequent ones.
const MEMORY: u8 = 16;

impl Habit {
    fn learn(&mut self, is_hit: bool, work: u64) {
        self.tests = (self.tests + 1).min(MEMORY);
        let share = 1.0 / f32::from(self.tests);
        self.hits += share * (f32::from(u8::from(is_hit)) - self.hits);
        self.work += share * (work as f32 - self.work);
    }

    /// Tests in descending order of this rate take the least expected work until one hits, if pairs are independent.
    fn rate(&self) -> f32 {
        self.hits / (1.0 + self.work)
    }
}

impl PairOrder {
    pub fn new(count: usize) -> Self {
        Self { order: (0..count as u32).collect(), habits: vec![Habit::default(); count] }
    }

    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// The pair at a place of the order.
    pub fn at(&self, place: usize) -> usize {
        self.order[place] as usize
    }

    /// Whether most of the last tests of a pair found a collision.
    pub fn expects_hit(&self, pair: usize) -> bool {
        self.habits[pair].hits > 0.5
    }

    /// Notes whether a pair collided, and the work of the test.
    pub fn learn(&mut self, pair: usize, collides: bool, work: u64) {
        self.habits[pair].learn(collides, work);
    }

    /// Moves the pair at a place of the order, which has just collided, ahead of the first earlier pair that has a
    /// lower rate, if there is one.
    pub fn promote(&mut self, place: usize) {
        let rate = self.habits[self.at(place)].rate();
        let is_slower = |&pair: &u32| self.habits[pair as usize].rate() < rate;
        let to = self.order[..place].iter().position(is_slower).unwrap_or(place);
        self.order[to..=place].rotate_right(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests pairs in order until one hits, for some rounds, and returns the order.
    fn learnt(rounds: usize, pairs: &[(usize, u64)]) -> Vec<usize> {
        let mut order = PairOrder::new(pairs.len());
        for round in 1..=rounds {
            for place in 0..order.len() {
                let (every, work) = pairs[order.at(place)];
                let collides = round % every == 0;
                order.learn(order.at(place), collides, work);
                if collides {
                    order.promote(place);
                    break;
                }
            }
        }
        (0..order.len()).map(|place| order.at(place)).collect()
    }

    #[test]
    fn frequent_collisions_are_first_and_cheap_ones_before_them() {
        assert_eq!(learnt(200, &[(1000, 10), (3, 10), (1, 10)])[0], 2, "what always collides");
        assert_eq!(learnt(200, &[(2, 100), (3, 4), (7, 1000)])[..2], [1, 0], "the cheaper of two");
        assert_eq!(learnt(9, &[(10, 1), (10, 1), (10, 1)]), [0, 1, 2], "nothing is known");
    }
}
