#include "memory.h"

// Given by the linker: where static data and the stack end.
extern unsigned char __heap_base;

static const uint32_t PAGE = 65536;

static uintptr_t next;

void *take(uint32_t size, uint32_t align) {
    if (next == 0) next = (uintptr_t)&__heap_base;
    uint64_t at = ((uint64_t)next + align - 1) & ~((uint64_t)align - 1);
    uint64_t end = at + size;
    uint64_t have = (uint64_t)__builtin_wasm_memory_size(0) * PAGE;
    if (end > UINT32_MAX) __builtin_trap();
    if (end > have) {
        uint32_t pages = (uint32_t)((end - have + PAGE - 1) / PAGE);
        if (__builtin_wasm_memory_grow(0, pages) == SIZE_MAX) __builtin_trap();
    }
    next = (uintptr_t)end;
    return (void *)(uintptr_t)at;
}

// The host asks for memory through this.
EXPORT("cabi_realloc")
void *cabi_realloc(const unsigned char *old, uint32_t had, uint32_t align, uint32_t size) {
    unsigned char *fresh = take(size, align);
    for (uint32_t i = 0; i < had && i < size; i++) fresh[i] = old[i];
    return fresh;
}

struct writer begin(void) {
    return (struct writer){take(0, 1), 0};
}

void put(struct writer *writer, struct text text) {
    char *to = take(text.length, 1);
    for (uint32_t i = 0; i < text.length; i++) to[i] = text.at[i];
    writer->length += text.length;
}

void put_number(struct writer *writer, uint64_t number) {
    char digits[20];
    uint32_t first = sizeof(digits);
    do {
        digits[--first] = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    put(writer, (struct text){digits + first, (uint32_t)sizeof(digits) - first});
}

struct text written(const struct writer *writer) {
    return (struct text){writer->at, writer->length};
}
