//! Blocks are asked for and given back in many orders, and what is written to one is never seen in another.

use super::*;

/// Pages of this process, of which there are so many.
struct Few(Vec<Vec<u128>>, usize);

const PAGE: usize = 1 << 12;

impl Source for Few {
    fn more(&mut self, least: usize) -> Option<(*mut u8, usize)> {
        let bytes = least.next_multiple_of(PAGE);
        self.1 = self.1.checked_sub(bytes)?;
        // It stays where it is: the list of lists moves, and not what is in them.
        self.0.push(vec![0; bytes / LEAST]);
        Some((self.0.last_mut()?.as_mut_ptr().cast(), bytes))
    }
}

fn blocks(bytes: usize) -> Blocks<Few> {
    Blocks::new(Few(Vec::new(), bytes))
}

fn layout(size: usize) -> Layout {
    Layout::from_size_align(size, 8).expect("a layout")
}

/// A block, and the byte that all of it is filled with.
struct Held {
    block: *mut u8,
    size: usize,
    mark: u8,
}

impl Held {
    fn filled(block: *mut u8, size: usize, mark: u8) -> Self {
        assert!(!block.is_null() && block.addr().is_multiple_of(LEAST), "{block:?} of {size}");
        // SAFETY: it was given out with this size.
        unsafe { block.write_bytes(mark, size) };
        Self { block, size, mark }
    }

    fn holds(&self, bytes: usize) {
        // SAFETY: as above.
        let found = unsafe { std::slice::from_raw_parts(self.block, bytes.min(self.size)) };
        assert!(
            found.iter().all(|byte| *byte == self.mark),
            "{:?} of {} was overwritten",
            self.block,
            self.size
        );
    }
}

#[test]
fn what_is_written_to_a_block_stays_until_it_is_given_back() {
    let (memory, mut held, mut random) = (blocks(64 << 20), Vec::<Held>::new(), 7_u64);
    let mut chance = |most: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % most
    };
    for step in 0..20_000_usize {
        let most = 1 << chance(14);
        let size = 1 + chance(most);
        let mark = (step % 251) as u8;
        match chance(3) {
            0 if !held.is_empty() => {
                let old = held.swap_remove(chance(held.len()));
                old.holds(old.size);
                // SAFETY: it was given out with this layout, and is not used any more.
                unsafe { memory.dealloc(old.block, layout(old.size)) };
            }
            1 if !held.is_empty() => {
                let old = held.swap_remove(chance(held.len()));
                // SAFETY: as above; the new one is as large as asked for.
                let block = unsafe { memory.realloc(old.block, layout(old.size), size) };
                Held { block, size, mark: old.mark }.holds(old.size);
                held.push(Held::filled(block, size, mark));
            }
            // SAFETY: no size is 0.
            _ => held.push(Held::filled(unsafe { memory.alloc(layout(size)) }, size, mark)),
        }
    }
    assert!(held.len() > 50, "{} at the end", held.len());
    held.iter().for_each(|held| held.holds(held.size));
}

#[test]
fn what_is_given_back_is_used_again_so_a_loop_does_not_use_up_memory() {
    let memory = blocks(4 * PAGE);
    for size in [1, 16, 17, 100, 1000, PAGE].into_iter().cycle().take(10_000) {
        // SAFETY: it is given back as it was given out.
        unsafe {
            let block = memory.alloc(layout(size));
            assert!(!block.is_null(), "{size}");
            memory.dealloc(block, layout(size));
        }
    }
}

#[test]
fn what_there_is_not_is_not_given() {
    let memory = blocks(PAGE);
    // SAFETY: no size is 0.
    let given =
        |size, align| unsafe { memory.alloc(Layout::from_size_align(size, align).expect("a layout")) };
    assert!(given(2 * PAGE, 8).is_null() && given(isize::MAX as usize - 15, 16).is_null());
    assert!(given(8, 32).is_null(), "no block is aligned to more than 16");
    assert!(!given(8, 16).is_null());
}
