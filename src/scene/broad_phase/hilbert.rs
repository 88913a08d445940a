//! Hilbert's space-filling curve. Successive cells on the curve are neighbours, so that the contents of a run of cells
//! have a small box; Morton's curve jumps.

/// The number of times that the cube is divided into octants.
const LEVELS: u32 = 10;
/// The number of cells along each axis.
pub(super) const CELLS: u32 = 1 << LEVELS;

/// The position of a cell on the curve, below `CELLS` cubed.
pub(super) fn position(cell: [u32; 3]) -> u64 {
    let (mut position, mut turn) = (0, 0);
    for level in (0..LEVELS).rev() {
        let [x, y, z] = cell.map(|coordinate| coordinate >> level & 1);
        let step = STEPS[usize::from(turn)][(x | y << 1 | z << 2) as usize];
        (position, turn) = (position << 3 | u64::from(step & 7), step >> 3);
    }
    position
}

/// How the curve passes through the eight octants of a cube: `STEPS[orientation][octant]`. Corners and octants are
/// numbered with one bit per axis. An orientation is `3 * entry + axis`: the number of the corner at which the curve
/// enters the cube, and the axis along which the corner at which it leaves the cube differs from that corner. In each
/// number of the table, the low three bits are the octant's position along the curve, and the bits above them the
/// curve's orientation within the octant.
///
/// The rules are those of Hamilton and Rau-Chaplin, "Compact Hilbert indices", 2008, section 2.
const STEPS: [[u8; 8]; 24] = {
    let mut steps = [[0; 8]; 24];
    let mut turn = 0;
    while turn < 24 {
        let (entry, axis) = ((turn / 3) as u8, (turn % 3) as u8);
        let mut octant = 0;
        while octant < 8 {
            let gray = rotated(octant as u8 ^ entry, 2 - axis);
            let number = gray ^ gray >> 1 ^ gray >> 2;
            let before = number.saturating_sub(1) & !1;
            let next_entry = entry ^ rotated(before ^ before >> 1, axis + 1);
            let next_axis = (axis + [1, 2, 2, 3, 3, 2, 2, 1][number as usize]) % 3;
            steps[turn][octant] = (3 * next_entry + next_axis) << 3 | number;
            octant += 1;
        }
        turn += 1;
    }
    steps
};

/// The lowest three bits, rotated left.
const fn rotated(bits: u8, by: u8) -> u8 {
    let by = by % 3;
    (bits << by | bits >> (3 - by)) & 7
}

#[cfg(test)]
mod tests {
    use super::{CELLS, position};

    /// An aligned cube of 16 by 16 by 16 cells is a run of the curve, in which each cell touches the next one.
    #[test]
    fn the_curve_never_jumps() {
        for corner in [[0; 3], [512, 304, CELLS - 16], [CELLS - 16; 3], [496, 512, 0]] {
            let cells = (0..4096_u32).map(|i| [corner[0] + i % 16, corner[1] + i / 16 % 16, corner[2] + i / 256]);
            let mut way: Vec<(u64, [u32; 3])> = cells.map(|cell| (position(cell), cell)).collect();
            way.sort_unstable();
            assert_eq!(way[0].0 % 4096, 0);
            for step in way.windows(2) {
                let [(from, p), (to, q)] = [step[0], step[1]];
                assert_eq!(from + 1, to);
                assert_eq!(p.iter().zip(q).map(|(p, q)| p.abs_diff(q)).sum::<u32>(), 1, "{p:?} {q:?}");
            }
        }
        assert_eq!(position([0; 3]), 0);
    }
}
