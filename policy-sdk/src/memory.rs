//! Memory of a component. The allocator of the standard library is made for programs that run for long; it would be an
//! eighth of a small policy, all of which a host compiles. An instance lives for one call.
//!
//! Blocks come in powers of two, and what is given back is given out again as it is.
// An allocator hands out addresses.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout};
use std::cell::UnsafeCell;
use std::ptr::{copy_nonoverlapping, null_mut};

/// The least block in bytes. It has room for an address, and all blocks are aligned to it; what has to be aligned to more
/// gets none.
const LEAST: usize = 16;

/// Where memory comes from.
pub(crate) trait Source {
    /// At least so many bytes, aligned to [`LEAST`], that nobody else has: where they begin, and how many there are.
    fn more(&mut self, least: usize) -> Option<(*mut u8, usize)>;
}

/// Blocks of the memory that a source has.
pub(crate) struct Blocks<S>(UnsafeCell<Free<S>>);

struct Free<S> {
    source: S,
    /// What was not given out yet.
    fresh: (*mut u8, usize),
    /// The first block of each power of two that was given back. In each stands the address of the next.
    returned: [*mut u8; usize::BITS as usize],
}

// SAFETY: a component has one thread. Tests have one of these for each thread.
unsafe impl<S> Sync for Blocks<S> {}

impl<S> Blocks<S> {
    pub(crate) const fn new(source: S) -> Self {
        Self(UnsafeCell::new(Free { source, fresh: (null_mut(), 0), returned: [null_mut(); _] }))
    }
}

/// Which power of two a block for this has.
fn power(layout: Layout) -> Option<usize> {
    let size = layout.size().max(LEAST).checked_next_power_of_two()?;
    (layout.align() <= LEAST).then_some(size.trailing_zeros() as usize)
}

impl<S: Source> Free<S> {
    fn take(&mut self, power: usize) -> Option<*mut u8> {
        let (first, size) = (&mut self.returned[power], 1 << power);
        if !first.is_null() {
            let block = *first;
            // SAFETY: it was given back as a block of this power, and then the address of the next was written to it.
            *first = unsafe { block.cast::<*mut u8>().read() };
            return Some(block);
        }
        if self.fresh.1 < size {
            // What is left is less than this block, and lost.
            self.fresh = self.source.more(size)?;
        }
        let (block, left) = self.fresh;
        // SAFETY: `left` bytes are there, and `size` is no more.
        self.fresh = (unsafe { block.add(size) }, left - size);
        Some(block)
    }
}

// SAFETY: a block is in one hand at a time: fresh, given out, or returned. It is as large and as aligned as asked for.
unsafe impl<S: Source> GlobalAlloc for Blocks<S> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: there is one thread, and nothing below allocates.
        let free = unsafe { &mut *self.0.get() };
        power(layout).and_then(|power| free.take(power)).unwrap_or(null_mut())
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as above.
        let free = unsafe { &mut *self.0.get() };
        if let Some(power) = power(layout) {
            // SAFETY: it was given out for this layout, so it has this power, and nobody uses it any more.
            unsafe { block.cast::<*mut u8>().write(free.returned[power]) };
            free.returned[power] = block;
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: whoever calls this makes sure that there is such a layout.
        let wanted = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        if power(wanted) == power(layout) {
            return block;
        }
        // SAFETY: both blocks have room for what is copied, and are not the same one.
        unsafe {
            let new = self.alloc(wanted);
            if !new.is_null() {
                copy_nonoverlapping(block, new, layout.size().min(size));
                self.dealloc(block, layout);
            }
            new
        }
    }
}

/// The pages of the component.
#[cfg(target_arch = "wasm32")]
struct Pages;

#[cfg(target_arch = "wasm32")]
impl Source for Pages {
    fn more(&mut self, least: usize) -> Option<(*mut u8, usize)> {
        const PAGE: usize = 64 << 10;
        let pages = least.div_ceil(PAGE);
        let before = core::arch::wasm32::memory_grow(0, pages);
        (before != usize::MAX).then(|| (std::ptr::with_exposed_provenance_mut(before * PAGE), pages * PAGE))
    }
}

#[cfg(target_arch = "wasm32")]
#[global_allocator]
static MEMORY: Blocks<Pages> = Blocks::new(Pages);

#[cfg(test)]
mod tests;
