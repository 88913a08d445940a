//! What the CPU's float units have met: the exception flags of the SSE control and status register (Intel SDM, volume
//! 1, section 10.2.3), which stay set until they are cleared. Each thread has its own.

use std::arch::asm;
use std::hint::black_box;

/// An operand that was denormal, and a result that was too small for a normal number.
const DENORMAL: u32 = 1 << 1;
const UNDERFLOW: u32 = 1 << 4;
const ALL: u32 = 0x3f;

fn read() -> u32 {
    let mut word = 0_u32;
    // SAFETY: stores the register to a place that lives as long as the instruction.
    unsafe { asm!("stmxcsr [{}]", in(reg) &raw mut word, options(nostack)) };
    word
}

fn clear() {
    let word = read() & !ALL;
    // SAFETY: loads the register from a place that lives as long as the instruction, with all that it controls as it
    // was.
    unsafe { asm!("ldmxcsr [{}]", in(reg) &raw const word, options(nostack)) };
}

/// What the work met on this thread: nothing where all is well.
pub fn met<T>(work: impl FnOnce() -> T) -> Option<&'static str> {
    clear();
    black_box(work());
    match read() & (DENORMAL | UNDERFLOW) {
        0 => None,
        DENORMAL => Some("a denormal operand"),
        UNDERFLOW => Some("an underflow"),
        _ => Some("denormal operands and underflows"),
    }
}

#[test]
fn denormals_are_noticed() {
    // Hidden from the compiler inside, where the flags have been cleared.
    let [tiny, third, one, denormal] = [1e-30_f32, 1.0 / 3.0, 1.0, 1e-40];
    assert_eq!(met(|| black_box(third) * black_box(one)), None);
    assert_eq!(met(|| black_box(tiny) * black_box(tiny)), Some("an underflow"));
    assert_eq!(met(|| black_box(denormal) + black_box(one)), Some("a denormal operand"));
    assert_eq!(met(|| black_box(denormal) * black_box(third)), Some("denormal operands and underflows"));
    // Moving one does no harm.
    assert_eq!(met(|| black_box(denormal)), None);
}
