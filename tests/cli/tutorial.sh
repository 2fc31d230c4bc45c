#!/bin/sh
# tutorial.sh TILEC SOURCE - the lessons of docs/tutorial: their calls, their exercises and the answers
#
# What the pages show, cli.documents runs.
. "$(dirname "$0")/expect.inc"
cp -r "$source/docs/tutorial" "$folder/tutorial"
cd "$folder/tutorial" || exit 1

calls() {
    sed -n '/^# tilec: call/,/^[^#]/p' "$1" | grep '^#'
}

expect 0 out ", 0 failed" "$tilec" test .
expect 0 out ", 0 failed" "$tilec" test solutions
for file in [0-9]*.py; do
    lesson=${file%.py}
    [ -s "$lesson.md" ] || wrong "$lesson has no text"
    grep -qE 'picture [a-z]+( access| programs|.n)|pictures/' "$lesson.md" || wrong "$lesson has no picture"
    grep -qF "($lesson.md)" README.md || wrong "README.md does not lead to $lesson.md"
    # an exercise can be read and run as it stands, is not right, and asks for what the solution gives
    expect 1 out "FAIL  exercises/$file" "$tilec" test "exercises/$file"
    ! grep -qE 'is not defined|line is no Python' "$folder/out" || wrong "exercise $lesson cannot be run"
    calls "exercises/$file" >"$folder/asked"
    calls "solutions/$file" | cmp -s - "$folder/asked" || wrong "the solution of $lesson has other calls"
done
[ "$(ls exercises/*.py solutions/*.py | wc -l)" = $(($(ls [0-9]*.py | wc -l) * 2)) ] ||
    wrong "an exercise without a lesson, or without a solution"
finish
