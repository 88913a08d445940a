#!/usr/bin/env bash
# Cooks onto disks that fail: full, with a quota, read-only, shares whose calls fail now and then and that know no locks. After each failure
# nothing partial has a final name; once the disk is well again, the next run finishes the rest and leaves no temporary file.
# `cli/tests/disks.sh [PROGRAM]`, as root (it mounts a tmpfs) and with a C compiler (for calls that fail).
set -euo pipefail
program=$(realpath "${1:-target/release/bvtree}")
folder=$(mktemp -d)
trap 'umount -l "$folder/out" 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
mkdir in out

for number in $(seq 40); do
    awk -v n="$number" 'BEGIN {
        side = 10 + n
        for (y = 0; y <= side; y++) for (x = 0; x <= side; x++) print "v", x, y, sin(x / n) * cos(y / 7)
        for (y = 0; y < side; y++) for (x = 1; x <= side; x++) { a = y * (side + 1) + x; print "f", a, a + 1, a + side + 2, a + side + 1 }
    }' > "in/$number.obj"
done

fail() { echo "$1"; exit 1; }
final() { find out -name '*.bvt' | wc -l; }
cook() { "$program" cook in -o out --kind all -q > cook.log 2>&1; }
# Whatever has a final name is whole.
nothing_partial() {
    [ "$(final)" -eq 0 ] || "$program" verify out -q || fail "$1: something partial"
}
# The disk is well again.
finishes() {
    # Temporary files are abandoned when they are older than two seconds.
    sleep 3
    rm -f out/1.obb.bvt
    cook || { cat cook.log; fail "$1: the next run fails too"; }
    "$program" verify out -q
    "$program" cook in -o out --kind all -q --check || fail "$1: something is still to be done"
    [ "$(final)" -eq 120 ] || fail "$1: $(final) files"
    [ "$(find out -name '*.tmp' | wc -l)" -eq 0 ] || fail "$1: temporary files stay"
    echo "$1: nothing partial, and the rest was finished"
}

# Full at the first file, in the middle, and nearly at the end.
for size in 4k 300k 1500k 4M 9M; do
    mount -t tmpfs -o "size=$size" tmpfs out
    if cook; then fail "full at $size: it all fits"; fi
    [ "$size" = 4k ] || grep -q 'No space left on device' cook.log || { cat cook.log; fail "full at $size: another reason"; }
    nothing_partial "full at $size"
    mount -o remount,size=100M out
    finishes "full at $size"
    umount out
done

# Read-only from the start, and from the middle on.
mount -t tmpfs -o ro tmpfs out
if cook; then fail "read-only: nothing is said"; fi
grep -q 'Read-only file system' cook.log || { cat cook.log; fail "read-only: another reason"; }
umount out
mount -t tmpfs tmpfs out
cook &
while [ "$(final)" -lt 10 ]; do sleep 0.01; done
# Refused while a file is being written, so often.
until mount -o remount,ro out 2>/dev/null || ! kill -0 $! 2>/dev/null; do :; done
wait $! && result=0 || result=$?
nothing_partial "read-only midway (exit code $result)"
mount -o remount,rw out
finishes "read-only midway"
umount out

# Calls that fail now and then.
cat > calls.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
static int fails(const char *call) {
    const char *calls = getenv("FAILING");
    static unsigned state;
    if (!calls || !strstr(calls, call)) return 0;
    if (!state) state = atoi(getenv("SEED")) * 2654435761u + 1;
    state = state * 1664525u + 1013904223u;
    if (state >> 24 >= (unsigned)atoi(getenv("CHANCE"))) return 0;
    errno = atoi(getenv("ERROR"));
    return 1;
}
#define REAL(name, type) ((type)dlsym(RTLD_NEXT, #name))
int fsync(int fd) { return fails("sync") ? -1 : REAL(fsync, int (*)(int))(fd); }
int fdatasync(int fd) { return fails("sync") ? -1 : REAL(fdatasync, int (*)(int))(fd); }
int rename(const char *a, const char *b) { return fails("rename") ? -1 : REAL(rename, int (*)(const char *, const char *))(a, b); }
int flock(int fd, int how) { return fails("lock") ? -1 : REAL(flock, int (*)(int, int))(fd, how); }
ssize_t write(int fd, const void *bytes, size_t size) {
    if (fd > 2 && fails("write")) return -1;
    return REAL(write, ssize_t (*)(int, const void *, size_t))(fd, bytes, size > 4096 && fails("short") ? 4096 : size);
}
C
cc -shared -fPIC -O1 -o calls.so calls.c -ldl
# Of quotas EDQUOT, of shares ESTALE, ETIMEDOUT, EIO and ENOLCK.
for case in 122:write 122:write,sync 116:write,rename 110:sync,rename 5:write,sync,rename,short 37:lock 4:short; do
    error=${case%%:*} calls=${case#*:} failures=0
    for seed in $(seq 10); do
        rm -rf out/* out/.bvtree*
        LD_PRELOAD=$folder/calls.so FAILING=$calls SEED=$seed CHANCE=16 ERROR=$error "$program" cook in -o out --kind all -q --jobs 1 \
            > cook.log 2>&1 || failures=$((failures + 1))
        nothing_partial "$calls fail with $error, seed $seed"
    done
    finishes "$calls fail with $error ($failures of 10 cooks failed)"
done

# Whoever says that a file is on disk has asked the disk: where it always says no, no cook goes well and no file gets its name.
rm -rf out/* out/.bvtree*
if LD_PRELOAD=$folder/calls.so FAILING=sync SEED=1 CHANCE=256 ERROR=5 "$program" cook in -o out --kind all -q --jobs 1 > cook.log 2>&1; then
    fail "no sync succeeds: nothing is said"
fi
[ "$(final)" -eq 0 ] || fail "no sync succeeds: $(final) files have their names"
echo "no sync succeeds: no file has its name"
