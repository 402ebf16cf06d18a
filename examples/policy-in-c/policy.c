// A policy for applications whose `sequence` prints lines KEY=VALUE:
//
//     position=17
//     priority=2
//
// `position` is how much the data holds, a decimal number that grows with it; `none` says that there is no data.
// `priority`, 0 where it is missing, decides among equals: the largest starts first, then the first name. Other keys
// mean nothing; a line that is none, an empty value or a key given twice makes the output unreadable.
#include "memory.h"

#define POSITION TEXT("position")
#define PRIORITY TEXT("priority")

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

// Below zero if `a` comes first, by bytes.
static int compare(struct text a, struct text b) {
    for (uint32_t i = 0; i < a.length && i < b.length; i++) {
        if (a.at[i] != b.at[i]) return (unsigned char)a.at[i] < (unsigned char)b.at[i] ? -1 : 1;
    }
    return a.length == b.length ? 0 : a.length < b.length ? -1 : 1;
}

static struct text trimmed(struct text text) {
    while (text.length > 0 && is_blank(text.at[0])) text.at++, text.length--;
    while (text.length > 0 && is_blank(text.at[text.length - 1])) text.length--;
    return text;
}

// Takes what stands before `end` off the front of a text, and `end` too. What has no `end` is taken whole.
static struct text cut(struct text *rest, char end) {
    uint32_t i = 0;
    while (i < rest->length && rest->at[i] != end) i++;
    struct text front = {rest->at, i};
    uint32_t used = i < rest->length ? i + 1 : i;
    rest->at += used;
    rest->length -= used;
    return front;
}

// Digits alone, at most 2^64-1.
static bool number(struct text text, uint64_t *value) {
    *value = 0;
    for (uint32_t i = 0; i < text.length; i++) {
        uint64_t digit = (uint64_t)(text.at[i] - '0');
        if (digit > 9 || *value > (UINT64_MAX - digit) / 10) return false;
        *value = *value * 10 + digit;
    }
    return text.length > 0;
}

// A key: lower case letters, digits, `-`, `_` and `.`.
static bool is_key(struct text text) {
    for (uint32_t i = 0; i < text.length; i++) {
        char c = text.at[i];
        bool good = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
        if (!good) return false;
    }
    return text.length > 0;
}

// === sequence ===

// The values that were found; no address where there is none.
struct found {
    struct text position, priority;
};

static bool set(struct text *value, struct text text) {
    bool is_first = value->at == NULL;
    *value = text;
    return is_first;
}

// Reads the lines. What is wrong is said in `why`.
static bool lines(struct text output, struct found *found, struct text *why) {
    for (uint64_t at = 1; output.length > 0; at++) {
        struct text value = trimmed(cut(&output, '\n'));
        if (value.length == 0) continue;
        struct text key = cut(&value, '=');
        struct text error = {NULL, 0};
        if (!is_key(key) || value.length == 0) error = TEXT(" is not KEY=VALUE");
        else if (compare(key, POSITION) == 0 && !set(&found->position, value)) error = TEXT(" is a second position");
        else if (compare(key, PRIORITY) == 0 && !set(&found->priority, value)) error = TEXT(" is a second priority");
        if (error.length == 0) continue;
        struct writer writer = begin();
        put(&writer, TEXT("line "));
        put_number(&writer, at);
        put(&writer, error);
        *why = written(&writer);
        return false;
    }
    return true;
}

// What a whole output of a command that did not fail says; the answer is why, if that is nothing.
static struct text read_output(struct text output, struct reading *reading) {
    struct found found = {{NULL, 0}, {NULL, 0}};
    struct text why = {NULL, 0};
    uint64_t priority;
    if (!lines(output, &found, &why)) return why;
    if (found.position.at == NULL) return TEXT("there is no line position=NUMBER");
    if (found.priority.at != NULL && !number(found.priority, &priority)) return TEXT("the priority is no number below 2^64");
    if (compare(found.position, TEXT("none")) == 0) {
        reading->is = EMPTY;
        return why;
    }
    if (!number(found.position, &reading->at.position.ordinal)) return TEXT("the position is no number below 2^64");
    reading->is = AT;
    reading->at.position.is = ORDINAL;
    if (found.priority.at != NULL) {
        struct pair *fact = take(sizeof(struct pair), _Alignof(struct pair));
        *fact = (struct pair){PRIORITY, found.priority};
        reading->at.facts = (struct pairs){fact, 1};
    }
    return why;
}

// A string or a list comes as two parameters, a record as all of its fields.
EXPORT("clusterlabs:policy/sequence@0.1.0#read")
const struct sequence_answer *read(const char *settings, uint32_t settings_length, const char *replica,
                                   uint32_t replica_length, int32_t exit_code, const char *out, uint32_t out_length,
                                   const char *err, uint32_t err_length, bool truncated, const struct pair *extra,
                                   uint32_t extra_count) {
    (void)settings, (void)settings_length, (void)replica, (void)replica_length;
    (void)err, (void)err_length, (void)extra, (void)extra_count;
    static struct sequence_answer answer;
    answer.reading.is = UNREADABLE;
    if (exit_code != 0) answer.why = TEXT("the command failed");
    else if (truncated) answer.why = TEXT("the output was cut");
    else answer.why = read_output((struct text){out, out_length}, &answer.reading);
    return &answer;
}

// === seed ===

static uint64_t priority(const struct candidate *candidate) {
    uint64_t value = 0;
    for (uint32_t i = 0; i < candidate->facts.count; i++) {
        const struct pair *fact = &candidate->facts.at[i];
        if (compare(fact->name, PRIORITY) == 0 && number(fact->value, &value)) return value;
    }
    return 0;
}

// A history is none of this policy's positions: it counts as little as none.
static bool has_number(const struct candidate *candidate) {
    return candidate->position.is_some && candidate->position.value.is == ORDINAL;
}

// Above zero if `a` holds more.
static int by_position(const struct candidate *a, const struct candidate *b) {
    if (has_number(a) != has_number(b)) return has_number(a) ? 1 : -1;
    if (!has_number(a)) return 0;
    uint64_t x = a->position.value.ordinal, y = b->position.value.ordinal;
    return x == y ? 0 : x > y ? 1 : -1;
}

static bool is_better(const struct candidate *a, const struct candidate *b) {
    int more = by_position(a, b);
    if (more != 0) return more > 0;
    if (priority(a) != priority(b)) return priority(a) > priority(b);
    return compare(a->name, b->name) < 0;
}

static struct text reason(const struct candidate *best, uint32_t equals) {
    struct writer writer = begin();
    if (has_number(best)) {
        put(&writer, TEXT("position="));
        put_number(&writer, best->position.value.ordinal);
    } else {
        put(&writer, TEXT("no position"));
    }
    put(&writer, TEXT(", and of the members that hold as much, "));
    put_number(&writer, equals);
    put(&writer, TEXT(" in all, it has the largest priority, "));
    put_number(&writer, priority(best));
    put(&writer, TEXT(", or else the first name"));
    return written(&writer);
}

EXPORT("clusterlabs:policy/seed@0.1.0#choose")
const struct seed_answer *choose(const char *settings, uint32_t settings_length, const struct candidate *candidates,
                                 uint32_t count) {
    (void)settings, (void)settings_length;
    static struct seed_answer answer;
    if (count == 0) {
        answer.proposal.is = REFUSE;
        answer.why = TEXT("there is no candidate");
        return &answer;
    }
    const struct candidate *best = candidates;
    for (uint32_t i = 1; i < count; i++) {
        if (is_better(&candidates[i], best)) best = &candidates[i];
    }
    uint32_t equals = 0;
    for (uint32_t i = 0; i < count; i++) equals += by_position(&candidates[i], best) == 0;
    answer.proposal.is = REPLICA;
    answer.proposal.replica = best->name;
    answer.why = reason(best, equals);
    return &answer;
}

// === metadata ===

EXPORT("clusterlabs:policy/metadata@0.1.0#describe")
const struct description *describe(void) {
    static const struct description description = {
        .name = STATIC_TEXT("key-value"),
        .version = STATIC_TEXT("0.1.0"),
        .summary = STATIC_TEXT("Any application whose sequence prints position=NUMBER, and priority=NUMBER to prefer a member."),
        .settings_schema = STATIC_TEXT("{\"type\":\"object\",\"additionalProperties\":false}"),
    };
    return &description;
}

// The schema leaves nothing to be wrong.
EXPORT("clusterlabs:policy/metadata@0.1.0#check")
const struct list *check(const char *settings, uint32_t settings_length) {
    (void)settings, (void)settings_length;
    static const struct list problems = {NULL, 0};
    return &problems;
}
