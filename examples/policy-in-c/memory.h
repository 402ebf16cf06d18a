// Memory for what the host passes in and for texts that are put together. Every call runs in a fresh instance, so
// nothing is ever given back.
#pragma once

#include "contract.h"

// As much memory, aligned to a power of two. Traps where there is no more: no answer is better than a wrong one.
void *take(uint32_t size, uint32_t align);

// A text that grows. Nothing else may take memory while it does.
struct writer {
    char *at;
    uint32_t length;
};

struct writer begin(void);
void put(struct writer *writer, struct text text);
void put_number(struct writer *writer, uint64_t number);
struct text written(const struct writer *writer);

// A string literal as a text, and as one in static data.
#define TEXT(literal) ((struct text)STATIC_TEXT(literal))
#define STATIC_TEXT(literal) {literal, sizeof(literal) - 1}
