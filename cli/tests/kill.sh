#!/usr/bin/env bash
# Kills runs of `bvtree cook` at random moments, and looks after each that nothing partial has a final name; at the end,
# that the next run finishes the rest and leaves no temporary file. `cli/tests/kill.sh [KILLS] [PROGRAM]`
set -euo pipefail
kills=${1:-100}
program=$(realpath "${2:-target/release/bvtree}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

mkdir in
for number in $(seq 40); do
    # A wavy sheet of some thousand triangles, another one each time.
    awk -v n="$number" 'BEGIN {
        side = 20 + n
        for (y = 0; y <= side; y++) for (x = 0; x <= side; x++) print "v", x, y, sin(x / n) * cos(y / 7)
        for (y = 0; y < side; y++) for (x = 1; x <= side; x++) { a = y * (side + 1) + x; print "f", a, a + 1, a + side + 2, a + side + 1 }
    }' > "in/$number.obj"
done

for number in $(seq "$kills"); do
    # Fresh now and then, so that there is something to cook.
    [ $((number % 5)) -ne 0 ] || rm -rf out
    "$program" cook in -o out --kind all -q >/dev/null 2>&1 &
    cook=$!
    sleep "0.$(printf '%03d' $((RANDOM % 200)))"
    kill -9 "$cook" 2>/dev/null || true
    wait "$cook" 2>/dev/null || true
    if compgen -G 'out/*.bvt' >/dev/null; then
        "$program" verify out -q || { echo "after kill $number"; exit 1; }
    fi
done

# Temporary files are abandoned when they are older than two seconds.
sleep 3
rm -f out/1.obb.bvt
"$program" cook in -o out --kind all -q
"$program" verify out -q
"$program" cook in -o out --kind all -q --check
[ "$(find out -name '*.bvt' | wc -l)" -eq 120 ]
[ "$(find out -name '*.tmp' | wc -l)" -eq 0 ]
echo "$kills kills: nothing partial, and the rest was finished"
