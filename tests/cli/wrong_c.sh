#!/bin/sh
# wrong_c.sh TILEC SOURCE - mistakes of programs in C, and what they are told: the rows of wrong_c.txt,
# each a case of one program; that without a mistake is told nothing
. "$(dirname "$0")/expect.inc"
build=$(dirname "$tilec")
table=$source/tests/cli/wrong_c.txt
{
    cat <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tilec_call.h>

static float x[1000], y[1000], out[1000];

static void hear(void *user, const char *text)
{
    fputs(text, user);
}

#define CALL(grid, first, count)                                                                   \
    tilec_call_with(file, "add_kernel", TILEC_GRID(grid),                                          \
                    TILEC_OPTIONS(.on_message = hear, .user = stderr), &error, first,              \
                    TILEC_ARRAY(y, 1000), TILEC_ARRAY(out, 1000), count, TILEC_NAMED(BLOCK, 256))

int main(int argc, char **argv)
{
    tilec_context *ctx = NULL;
    tilec_file *file = NULL, *other = NULL;
    char *error = NULL;
    tilec_status status = TILEC_OK;
    tilec_arg X = TILEC_ARRAY(x, 1000), N = tilec_int(1000);

    if (argc < 3 || tilec_open("", &ctx, &error) || tilec_load_file(ctx, argv[1], &file, &error))
        return 99;
    switch (atoi(argv[2])) {
    case 0:
        status = CALL(4, X, N);
        break;
END
    grep -v '^#' "$table" | awk -F' [|] ' '{ print "    case " NR ": {"; print $3; print "break; }" }'
    cat <<'END'
    }
    fprintf(stderr, "%s", error ? error : "");
    tilec_free(error);
    tilec_unload(other);
    tilec_unload(file);
    tilec_close(ctx);
    return status;
}
END
} >"$folder/wrong.c"
expect 0 err "" cc -std=c11 -w -I"$source/include" "$folder/wrong.c" -o "$folder/wrong" -L"$build" \
    -ltilec -Wl,-rpath,"$build"
expect 0 err "" "$folder/wrong" "$source/kernels/add.py" 0
silent
row=0
grep -v '^#' "$table" >"$folder/rows"
while IFS='|' read -r told status _; do
    row=$((row + 1))
    told=${told% }
    # shellcheck disable=SC2086 # a number between blanks
    expect $status err "$told" "$folder/wrong" "$source/kernels/add.py" $row
done <"$folder/rows"
# what nobody receives goes to stderr where it is asked for; a launch in elements is one in threads
cat >"$folder/silent.c" <<'END'
#include <stdlib.h>
#include <tilec_call.h>

int main(int argc, char **argv)
{
    static float x[4000], out[4000];
    tilec_context *ctx = NULL;
    tilec_file *file = NULL;

    return argc < 3 || tilec_open("", &ctx, NULL) || tilec_load_file(ctx, argv[1], &file, NULL) ||
           tilec_call(file, "add_kernel", TILEC_GRID(atoi(argv[2])), NULL, TILEC_ARRAY(x, 4000),
                      TILEC_ARRAY(x, 4000), TILEC_ARRAY(out, 4000), TILEC_VALUE(4000), TILEC_NAMED(BLOCK, 256));
}
END
expect 0 err "" cc -std=c11 -I"$source/include" "$folder/silent.c" -o "$folder/silent" -L"$build" -ltilec -Wl,-rpath,"$build"
expect 0 err "" "$folder/silent" "$source/kernels/add.py" 15
silent
export TILEC_MESSAGES=1
expect 0 err "15 programs along axis 0, with 256 elements each, reach 3840 of the 4000" "$folder/silent" "$source/kernels/add.py" 15
expect 0 err "" "$folder/silent" "$source/kernels/add.py" 16
silent
expect 0 err "the grid has 4000 programs along axis 0, as many as there are elements, and each program works on 256" \
    "$folder/silent" "$source/kernels/add.py" 4000
printf '#include <tilec_call.h>\nfloat x[4];\ntilec_arg f(void) { return TILEC_ARRAY(x); }\n' >"$folder/bare.c"
expect 1 err "the extents stand behind the pointer: TILEC_ARRAY(x, rows, columns)" cc -std=c11 -c \
    -I"$source/include" "$folder/bare.c" -o "$folder/bare.o"
finish
