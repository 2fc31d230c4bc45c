/*
 * commands.h - the commands, a file each, on what src/cli has
 */
#ifndef TILEC_COMMANDS_COMMANDS_H
#define TILEC_COMMANDS_COMMANDS_H

#include "../cli/call.h"

/* commands.c: a whole command line, argv[1] the command.  Prints what stops it; what it holds
 * stays.  From one thread, and one at a time. */
CliCode command_line(int argc, char **argv);

/* run.c, dump.c, devices.c, test.c, list.c, report_page.c and others: each prints its result on
 * stdout */
void command_run(Cli *c, int argc, char **argv); /* files are written before times are taken */
/* `argv` behind the command's name, as for all three. */
void command_dump(Cli *c, int argc, char **argv);
void command_grad(Cli *c, int argc, char **argv);
void command_debug(Cli *c, int argc, char **argv);
void command_report(Cli *c, int argc, char **argv);  /* writes a page, or prints */
void command_build(Cli *c, int argc, char **argv);   /* writes two files */
void command_devices(Cli *c, int argc, char **argv); /* works without a kernel's file */
void command_list(Cli *c, int argc, char **argv);
void command_test(Cli *c, int argc, char **argv); /* the exit code is 1 when a call fails */

/* widen.c: arrays of floats become ones of fp64 with the same values and strides, each in memory of
 * its own; in a copy of the arguments */
void args_widen(Cli *c, Arguments *a);

/* proof.c: `tilec grad --check` of a call whose file is open: what was derived */
const tilec_derived *proof_run(Cli *c, const Options *o, const GradNames *wrt);

#endif
