/*
 * messages.h - THE table of the messages about files, globals that were given, tuning and
 * heuristics
 *
 * E_ errors, W_ warnings, NOTE_ places that explain an error, H_ hints.  Errors hold the key words
 * that users of the language search for; rule numbers stand behind.
 * They are format strings and not an enum so that the compiler checks the arguments.
 */
#ifndef TILEC_NAMES_MESSAGES_H
#define TILEC_NAMES_MESSAGES_H

/* clang-format off */

/* kernels and names */
#define E_DEFINE             "`%s` cannot be defined so"
#define H_DEFINE             "--define NAME=VALUE, or MODULE.NAME=VALUE for a global of another file; VALUE is a number, a text in quotes, None, True, False, a dtype or a tuple of these"

/* decorators and heuristics (R340 to R346) */
#define E_UNCERTAIN          "what `%s` holds depends on more than its assignment"
#define E_IN_LOOP            "`%s` is changed here in a loop, which is not run before a launch: write it as a comprehension"
#define E_NOT_KNOWN          "what `%s` is cannot be known here"
#define E_NOT_READ           "`%s` cannot be read"
#define E_GIVEN_ARRAY        "`%s` is an array, which has no value here"
#define E_GIVEN_TYPE         "`%s` was given as a type, without a value"
#define E_GIVEN_NO_SHAPE     "the array was given without a shape"
#define E_GIVEN_ONLY_TYPE    "the array was given as a type only"
#define E_GIVEN_PROPERTY     "what `%s` of an array is cannot be told here"
#define E_GIVEN_DIMENSION    "the array has %d dimensions"
#define E_GIVEN_TOO_LARGE    "nothing is as large as this array"
#define E_GIVEN_NOT          "`%s` has no value"
#define E_GIVEN_KEY          "arguments are asked for by their names"
#define E_GIVEN_METHOD       "`args` has no `%s` here"
#define E_CONFIG_ATTRIBUTE   "what `%s` of a configuration is cannot be told here"
#define E_CONFIG_LIST        "this gives %s, where a list of configurations belongs"
#define E_CONFIG_OPEN        "`%s` changes here under a condition that only Python can decide"
#define E_CONFIG_NONE        "this gives no configuration"
#define E_CONFIG_ITEM        "this gives %s, where a triton.Config belongs"
#define E_DEVICE             "what `%s` of the device is cannot be known before a launch"
#define E_HEURISTIC_RESULT   "this gives %s, which no constexpr can be"
#define E_HEURISTIC_UNREAD   "what this gives cannot be read"


#define W_TUNED_NO_PARAM     "`%s` is tuned, but `%s` has no parameter of that name"                         /* R340 */
#define W_KEY_NO_PARAM       "the key `%s` is no parameter of `%s`"                                          /* R340 */
#define W_HEURISTIC_NO_PARAM "`%s` is computed, but `%s` has no parameter of that name"                      /* R346 */
#define H_PARAM_NEAR         "did you mean `%s`?"
#define H_PARAMS_ARE         "it has %s"
#define W_JIT_ABOVE          "@triton.jit stands above this, which tunes kernels and gets a plain function"
#define H_JIT_ABOVE          "@triton.jit stands right above the `def`"

/* clang-format on */

#endif
