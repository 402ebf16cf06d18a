// The part of wit/policy.wit that this policy uses, as C: how the canonical ABI of the component model lays it out in
// memory. Records are structs, a variant is its number followed by the union of its payloads, a string or a list is
// a pointer and a count. On wasm32 C aligns all of it as the canonical ABI does; the assertions at the end hold it to
// that.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EXPORT(name) __attribute__((export_name(name)))

// UTF-8, not ended by a zero.
struct text {
    const char *at;
    uint32_t length;
};

struct pair {
    struct text name, value;
};

struct pairs {
    const struct pair *at;
    uint32_t count;
};

// A list of which this policy looks at nothing.
struct list {
    const void *at;
    uint32_t count;
};

enum position_case { HISTORY, ORDINAL };

struct position {
    uint8_t is; // enum position_case
    union {
        struct list history;
        uint64_t ordinal;
    };
};

// === sequence ===

enum reading_case { AT, EMPTY, UNREADABLE };

struct reading {
    uint8_t is; // enum reading_case
    struct {
        struct position position;
        struct pairs facts;
    } at;
};

struct sequence_answer {
    struct reading reading;
    struct text why;
};

// === seed ===

struct candidate {
    struct text name;
    struct {
        bool is_some;
        uint32_t value;
    } ordinal;
    struct {
        bool is_some;
        uint64_t value;
    } created_at;
    struct {
        bool is_some;
        struct position value;
    } position;
    struct pairs facts;
    struct pairs extra;
};

enum proposal_case { REPLICA, REFUSE };

struct seed_answer {
    struct {
        uint8_t is; // enum proposal_case
        struct text replica;
    } proposal;
    struct text why;
};

// === metadata ===

struct description {
    struct text name, version, summary, settings_schema;
};

_Static_assert(sizeof(struct position) == 16, "position");
_Static_assert(sizeof(struct sequence_answer) == 40, "the answer of sequence");
_Static_assert(offsetof(struct sequence_answer, why) == 32, "the answer of sequence");
_Static_assert(sizeof(struct candidate) == 72, "candidate");
_Static_assert(offsetof(struct candidate, position) == 32, "candidate");
_Static_assert(sizeof(struct seed_answer) == 20, "the answer of seed");
_Static_assert(sizeof(struct description) == 32, "description");
