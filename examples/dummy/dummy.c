/* The application and its commands in one program: `dummy serve` is the application, every other
 * first argument is a command. The README describes them. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <arpa/nameser.h>
#include <err.h>
#include <fcntl.h>
#include <pthread.h>
#include <resolv.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define PORT 8080
#define LOCK_DESCRIPTOR 9
#define TURN_MICROSECONDS 500000
#define MOST_PEERS 64
#define TEXT 4096

/* Files of the container: they are gone after a restart. Files of the volume have relative paths:
 * main changes to their folder. */
#define RUN "/run/dummy"
#define PID RUN "/pid"
#define ROLE RUN "/role"
#define PROGRESS RUN "/progress"
#define BUSY RUN "/busy"

/* === Files === */

static bool read_text(const char *path, char text[TEXT]) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = file < 0 ? -1 : read(file, text, TEXT - 1);
    text[length > 0 ? length : 0] = 0;
    close(file);
    return length >= 0;
}

static bool read_line(const char *path, char line[TEXT]) {
    bool is_read = read_text(path, line);
    line[strcspn(line, "\n")] = 0;
    return is_read;
}

static long long number(void) {
    char line[TEXT];
    read_line("sequence", line);
    return atoll(line);
}

/* Replaces a file. After a power cut it has the old text or the new one, and nothing else. */
__attribute__((format(printf, 2, 3))) static bool store(const char *path, const char *format, ...) {
    char new_path[64];
    va_list values;
    snprintf(new_path, sizeof new_path, "%s.new", path);
    int file = open(new_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    int folder = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    va_start(values, format);
    bool is_stored = vdprintf(file, format, values) > 0 && dprintf(file, "\n") > 0 && fsync(file) == 0 &&
                     rename(new_path, path) == 0 && fsync(folder) == 0;
    va_end(values);
    close(file);
    close(folder);
    return is_stored;
}

/* One process at a time reads the number and then replaces it. The kernel ends the exclusion when
 * the returned descriptor is closed or its process dies. */
static int exclude_others(void) {
    int busy = open(BUSY, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    flock(busy, LOCK_EX);
    return busy;
}

/* Tests count the commands that began by these lines. */
static void note(const char *command) {
    int log = open("log", O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    dprintf(log, "%s %lld epoch %s attempt %s\n", command, number(), getenv("RSS_EPOCH") ?: "-",
            getenv("RSS_ATTEMPT") ?: "-");
    close(log);
}

/* === Faults === */

static bool has_fault(const char *command, const char *kind, char text[TEXT]) {
    char path[64];
    snprintf(path, sizeof path, "fault/%s-%s", command, kind);
    return read_text(path, text);
}

/* Shows progress to `status` meanwhile. */
static void wait_slowly(int seconds) {
    for (int second = 1; second <= seconds; second++) {
        store(PROGRESS, "%d of %d", second, seconds);
        sleep(1);
    }
    unlink(PROGRESS);
}

static void apply_faults(const char *command) {
    char text[TEXT];
    if (has_fault(command, "clings", text) && fork() == 0) {
        close(LOCK_DESCRIPTOR);
        sleep(3600);
        _exit(0);
    }
    if (has_fault(command, "noise", text)) {
        fputs(text, stdout);
        fflush(stdout);
    }
    while (has_fault(command, "hang", text)) sleep(1);
    if (has_fault(command, "slow", text)) wait_slowly(atoi(text));
    if (has_fault(command, "exit", text)) exit(atoi(text));
}

/* === Other members === */

/* The IPv4 addresses of a name, which may need a search domain of /etc/resolv.conf. getaddrinfo of a
 * static program would load libraries that the container does not have. */
static int resolve(const char *name, struct in_addr addresses[], int most) {
    unsigned char answer[TEXT];
    if (inet_pton(AF_INET, name, addresses) == 1) return 1;
    int length = res_search(name, ns_c_in, ns_t_a, answer, sizeof answer), found = 0;
    if (length < NS_HFIXEDSZ || length > (int)sizeof answer) return 0;
    const unsigned char *at = answer + NS_HFIXEDSZ, *end = answer + length;
    /* The query asked one question, which the answer repeats. */
    at += dn_skipname(at, end) + NS_QFIXEDSZ;
    for (int records = answer[6] << 8 | answer[7]; records > 0 && found < most; records--) {
        int name_length = at < end ? dn_skipname(at, end) : -1;
        if (name_length < 0 || at + name_length + NS_RRFIXEDSZ > end) break;
        at += name_length;
        int type = at[0] << 8 | at[1], data_length = at[8] << 8 | at[9];
        at += NS_RRFIXEDSZ;
        if (type == ns_t_a && data_length == NS_INADDRSZ && at + NS_INADDRSZ <= end)
            memcpy(&addresses[found++], at, NS_INADDRSZ);
        at += data_length;
    }
    return found;
}

/* The kernel accepts connections to a frozen member, which never answers. */
static void limit_waits(int stream) {
    struct timeval second = {.tv_sec = 1};
    setsockopt(stream, SOL_SOCKET, SO_RCVTIMEO, &second, sizeof second);
    setsockopt(stream, SOL_SOCKET, SO_SNDTIMEO, &second, sizeof second);
}

/* Receives until the text has this part, or the stream ends. */
static void receive(int stream, char text[TEXT], const char *last_part) {
    size_t used = 0;
    ssize_t got = 0;
    do {
        used += got;
        text[used] = 0;
    } while (!(last_part && strstr(text, last_part)) &&
             (got = recv(stream, text + used, TEXT - 1 - used, 0)) > 0);
}

/* One line of a running member's state. */
static bool fetch(struct in_addr address, const char *file, char line[TEXT]) {
    struct sockaddr_in place = {.sin_family = AF_INET, .sin_port = htons(PORT), .sin_addr = address};
    int stream = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    char answer[TEXT] = "";
    limit_waits(stream);
    if (connect(stream, (struct sockaddr *)&place, sizeof place) == 0 &&
        dprintf(stream, "GET /%s HTTP/1.0\r\n\r\n", file) > 0)
        receive(stream, answer, NULL);
    close(stream);
    char *body = strstr(answer, "\r\n\r\n");
    char *end = body ? strchr(body + 4, '\n') : NULL;
    /* A line without its end is of a member that died while it answered. */
    if (strncmp(answer, "HTTP/1.0 200 ", 13) != 0 || !end) return false;
    *end = 0;
    strcpy(line, body + 4);
    return true;
}

/* === The application === */

static void raise_number(const char *theirs) {
    int busy = exclude_others();
    if (atoll(theirs) > number()) store("sequence", "%s", theirs);
    close(busy);
}

static _Noreturn void *follow(void *service) {
    struct in_addr peers[MOST_PEERS];
    char theirs[TEXT], their_group[TEXT], group[TEXT];
    for (;;) {
        usleep(TURN_MICROSECONDS);
        int count = resolve(service, peers, MOST_PEERS);
        read_line("group", group);
        for (int peer = 0; peer < count; peer++) {
            if (fetch(peers[peer], "sequence", theirs) && atoll(theirs) > number() &&
                fetch(peers[peer], "group", their_group) && strcmp(their_group, group) == 0)
                raise_number(theirs);
        }
    }
}

static void answer_request(int client) {
    char request[TEXT], line[TEXT];
    limit_waits(client);
    receive(client, request, "\r\n\r\n");
    const char *file = strncmp(request, "GET /sequence ", 14) == 0 ? "sequence"
                       : strncmp(request, "GET /group ", 11) == 0  ? "group"
                                                                   : NULL;
    if (file && read_line(file, line))
        dprintf(client, "HTTP/1.0 200 OK\r\n\r\n%s\n", line);
    else
        dprintf(client, "HTTP/1.0 404 Not Found\r\n\r\n");
    close(client);
}

static void serve(void) {
    struct sockaddr_in place = {.sin_family = AF_INET, .sin_port = htons(PORT)};
    int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
    char *service = getenv("SERVICE_NAME");
    pthread_t follower;
    /* A process list tells the application from a command by this name. */
    prctl(PR_SET_NAME, "dummy-server");
    setsockopt(server, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(server, (struct sockaddr *)&place, sizeof place) != 0 || listen(server, MOST_PEERS) != 0)
        err(1, "failed to serve on port %d", PORT);
    if (!store(PID, "%d", getpid())) err(1, "failed to write %s", PID);
    if (service && pthread_create(&follower, NULL, follow, service) != 0) err(1, "failed to make a thread");
    for (;;) {
        int client = accept4(server, NULL, NULL, SOCK_CLOEXEC);
        if (client >= 0) answer_request(client);
    }
}

/* Its process number, 0 if it does not run. A process that nobody has reaped yet does not run. */
static pid_t running(void) {
    char line[TEXT], path[64];
    if (!read_line(PID, line)) return 0;
    pid_t pid = atoi(line);
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    read_line(path, line);
    const char *name_end = strrchr(line, ')');
    return name_end && strncmp(name_end, ") Z", 3) != 0 ? pid : 0;
}

/* === Commands === */

static int crash(void) {
    char line[TEXT];
    if (read_line(PID, line) && atoi(line) > 1) kill(-atoi(line), SIGKILL);
    unlink(PID);
    unlink(ROLE);
    return 0;
}

/* Starts the application, which inherits the volume lock and none of the caller's streams. */
static int launch(const char *role) {
    char line[TEXT];
    crash();
    if (!store(ROLE, "%s", role)) err(1, "failed to write %s", ROLE);
    if (fork() == 0) {
        int null = open("/dev/null", O_RDWR | O_CLOEXEC), log = open("/proc/1/fd/1", O_WRONLY | O_CLOEXEC);
        setsid();
        dup2(null, 0);
        dup2(log < 0 ? null : log, 1);
        dup2(1, 2);
        execl("/proc/self/exe", "dummy", "serve", NULL);
        _exit(127);
    }
    for (int tries = 0; tries < 50; tries++) {
        usleep(20000);
        if (fetch((struct in_addr){htonl(INADDR_LOOPBACK)}, "sequence", line) && running()) return 0;
        usleep(80000);
    }
    errx(1, "the application does not answer on port %d: read the container's log", PORT);
}

static int seed(void) {
    char text[TEXT];
    if (running()) errx(1, "the application runs already: stop it first");
    if (!read_line("group", text) || !*text) {
        read_line("/proc/sys/kernel/random/uuid", text);
        if (!store("group", "%s", text)) err(1, "failed to write group");
    }
    if (number() == 0 && !store("sequence", "1")) err(1, "failed to write sequence");
    if (!has_fault("seed", "late", text)) return launch("primary");
    if (fork() != 0) errx(1, "failed: the fault seed-late asks for it");
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int stream = 0; stream < 3; stream++) dup2(null, stream);
    sleep(atoi(text));
    return launch("primary");
}

static void copy(char *peers[]) {
    struct in_addr address;
    char theirs[TEXT], group[TEXT];
    for (; *peers; peers++) {
        if (resolve(*peers, &address, 1) && fetch(address, "sequence", theirs) &&
            fetch(address, "group", group)) {
            if (store("group", "%s", group) && store("sequence", "%s", theirs)) return;
            err(1, "failed to store the state of %s", *peers);
        }
    }
    errx(1, "none of the named members answers on port %d: name one that runs", PORT);
}

/* In a set without primaries a secondary is given no peer, and starts from its own state. */
static int join(const char *role, char *peers[]) {
    if (running()) return store(ROLE, "%s", role) ? 0 : 1;
    if (*peers) copy(peers);
    else if (strcmp(role, "primary") == 0) errx(1, "no member was named: name one that runs");
    return launch(role);
}

static int status(void) {
    char role[TEXT], line[TEXT];
    /* The role is read first: a `crash` after that is seen as a stopped member, not as one without a role. */
    read_line(ROLE, role);
    if (!running()) {
        if (!read_line(PROGRESS, line)) return 7;
        printf("rss.progress=%s\n", line);
        return 1;
    }
    read_line("group", line);
    printf("rss.group=%s\n%s at %lld\n", line, role, number());
    return strcmp(role, "primary") == 0 ? 8 : strcmp(role, "secondary") == 0 ? 0 : 1;
}

static int stop(void) {
    pid_t pid = running();
    if (pid) kill(pid, SIGTERM);
    while (running()) usleep(50000);
    unlink(PID);
    unlink(ROLE);
    return 0;
}

/* A write by a client of a running primary. */
static int add(const char *summand) {
    char role[TEXT];
    if (!running()) errx(1, "the application does not run: start it first");
    read_line(ROLE, role);
    if (strcmp(role, "primary") != 0) errx(1, "this member is no primary: write to one");
    int busy = exclude_others();
    long long sum = number() + (summand ? atoll(summand) : 1);
    if (!store("sequence", "%lld", sum)) err(1, "failed to write sequence");
    close(busy);
    printf("%lld\n", sum);
    return 0;
}

int main(int argc, char *argv[]) {
    const char *command = argc > 1 ? argv[1] : "";
    struct stat volume;
    bool has_volume = stat("/data", &volume) == 0 && S_ISDIR(volume.st_mode);
    mkdir(RUN, 0755);
    if (!has_volume) mkdir("/state", 0755);
    if (chdir(has_volume ? "/data" : "/state") != 0) err(1, "failed to find the state");
    /* A peer that closes its connection early ends no process. */
    signal(SIGPIPE, SIG_IGN);
    /* A name service that is away must not use up the timeouts of the commands. */
    setenv("RES_OPTIONS", "timeout:1 attempts:2", 1);

#define IS(name) (strcmp(command, name) == 0)
    if (IS("sequence") || IS("seed") || IS("primary") || IS("secondary")) note(command);
    apply_faults(command);
    if (IS("serve")) serve();
    if (IS("status")) return status();
    if (IS("sequence")) return printf("%lld\n", number()), 0;
    if (IS("seed")) return seed();
    if (IS("primary") || IS("secondary")) return join(command, argv + 2);
    if (IS("stop")) return stop();
    if (IS("write")) return add(argv[2]);
    if (IS("crash")) return crash();
    errx(64, "usage: dummy serve|status|sequence|seed|primary|secondary|stop|write|crash");
}
