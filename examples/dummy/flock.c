/* flock -n -s|-x FD: the one form of util-linux's command that the volume lock needs. Debian's
 * static busybox is built without the applet. */
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>

int main(int argc, char **argv) {
    if (argc != 4 || strcmp(argv[1], "-n") != 0)
        return 64;
    int kind = strcmp(argv[2], "-s") == 0 ? LOCK_SH : LOCK_EX;
    return flock(atoi(argv[3]), kind | LOCK_NB) == 0 ? 0 : 1;
}
