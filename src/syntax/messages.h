/*
 * messages.h - THE table of messages about the text of a file: lexer, parser, scan for kernels
 *
 * Format strings, so that the compiler checks the arguments; see lower/messages.h for the
 * lowering's.
 */
#ifndef TILEC_SYNTAX_MESSAGES_H
#define TILEC_SYNTAX_MESSAGES_H

/* clang-format off */

/* files */
#define E_FILE_NOT_TEXT      "this is not a text file: byte %ld is 0"
#define H_FILE_UTF16         "it begins as UTF-16 does: an editor can save it as UTF-8"
#define H_FILE_EMPTY         "the file is empty"
#define H_FILE_ONE_LINE      "it is one line of %d bytes: a program that loads a text gives all of it and its length; a path is for tilec_load_file()"
#define E_FILE_NO_KERNEL     "there is no function with @triton.jit in this file"
#define NOTE_FOREIGN_JIT     "this is not Triton's: no import gives it that meaning; write @triton.jit"
#define NOTE_ENDLESS_STRING  "this string has no end, and what stands behind it is part of it"
#define H_FILE_NOTHING       "it has no functions: a kernel is written in Python, `@triton.jit` and below it `def kernel(x, n):`"
#define H_FILE_HAS           "it has %s: a kernel is a function decorated with @triton.jit"

#define E_FUNCTION_TEXT      "this function has %ld KiB of text, and at most %d are read"

/* tokens */
#define E_CHARACTER          "this character has no meaning here"
#define E_QUESTION           "this character has no meaning here; a choice is written `a if c else b`"
#define E_BACKSLASH          "only a new line may follow a backslash"
#define E_IMAGINARY          "imaginary numbers are not supported: keep the two parts in names of their own"
#define E_NUMBER             "this is not a number"
#define E_NUMBER_FLOAT       "this is not a number: floats have no suffix, leave the `f` out"
#define E_NUMBER_INT         "this is not a number: integers have no suffix, leave it out"
#define E_NUMBER_UNIT        "this is not a number: write it out, as in 1000 or 1 << 10"
#define E_NUMBER_COMPLEX     "there are no complex numbers: keep real and imaginary parts apart"
#define E_NUMBER_NAME        "this is not a number; a product is written `2 * x`"
#define E_NUMBER_MINUS       "this is not a number; a minus is written `-`"
#define E_LEADING_ZERO       "a number cannot begin with 0; octal is 0o..."
#define E_INTEGER_SIZE       "this integer needs more than 127 bits"
#define E_STRING_END         "this string has no end"
#define E_STRING_TRANSPOSE   "this string has no end; a transpose is written `x.T`"
#define E_TRIPLE_STRING_END  "this triple-quoted string has no end"
#define E_SINGLE_BRACE       "a single `}` in an f-string; a brace in its text is `}}`"
#define E_FORMAT_CONVERSION  "expected `r`, `s` or `a` behind `!`"

/* lines and blocks */
#define E_BLOCKS_DEEP        "blocks are nested too deeply"
#define E_DEDENT             "this indentation matches no block above"
#define E_INDENT             "this line is indented more than the block that it is in%s"
#define TAB_COUNTS           "; a tab goes on to the next multiple of 8 columns"
#define E_BLOCK_MISSING      "an indented block has to follow this `:`"

/* expressions and statements */
#define E_EXPECTED           "expected %s, found %s%s"
#define E_EXPECTED_NAME      "expected %s, found `%.40s`%s"
#define E_UNCLOSED           "this `%c` is never closed"
#define E_CLOSES_NOTHING     "this `%c` closes nothing"
#define E_WALRUS_STATEMENT   "`:=` stands inside of expressions; a statement writes `%s = ...`"
#define E_ASSIGN_IN_TEST     "expected `:`, found `=`; the comparison is `==`"
#define E_ASSIGN_TO          "this expression cannot be assigned to"
#define E_ASSIGN_POINTER     "a product cannot be assigned to; names are bound without types: leave `%.40s*` out"
#define E_ASSIGN_STARRED     "a starred name stands among several; memory is written by tl.store(pointer, value)"
#define E_ASSIGN_CALL        "a call cannot be assigned to; memory is written by tl.store(pointer + i, value)"
#define E_ASSIGN_COMPARISON  "a comparison cannot be assigned to; is one `=` too many?"
#define E_ASSIGN_SEVERAL     "only one name can be assigned to here"
#define E_NESTED_DEEP        "this is nested too deeply"
#define E_BRANCHES           "an `if` has at most %d branches"
#define E_LOOP_SLICE         "numbers are counted by `range(start, end)`"
#define E_POSITIONAL         "positional argument follows keyword argument"
#define E_LEVELS             "this expression has too many levels; give parts of it names"

/* parameters */
#define E_PARAM_TWICE        "there are two parameters `%s`"
#define E_PARAM_STARS        "there is a `*` before this one"                                        /* R19 */
#define E_PARAM_DICT         "`**` parameters are not supported"                                     /* R19 */
#define E_PARAM_DEFAULT      "`%s` needs a default, since a parameter before it has one"
#define E_TYPE_PARAMS        "type parameters are not supported"

#endif
