/* flock -n FD: the one form of util-linux's command that the volume lock needs. Debian's static
 * busybox is built without the applet. */
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>

int main(int argc, char **argv) {
    if (argc != 3 || strcmp(argv[1], "-n") != 0)
        return 64;
    return flock(atoi(argv[2]), LOCK_EX | LOCK_NB) == 0 ? 0 : 1;
}
