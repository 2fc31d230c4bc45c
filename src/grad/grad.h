/*
 * grad.h - reverse mode: from a kernel the kernel of its gradients, which src/grad_print/ writes as
 * Triton source
 *
 * docs/gradients.md has the design.  The forward is computed again; behind it stand its ops once
 * more from the last to the first, each handing the gradient of its result to its operands by the
 * rule that adjoints.h names.  All in one function, so that passes drop what no gradient needs.
 * ../grad_facts/facts.h has what is known of the forward.
 */
#ifndef TILEC_GRAD_GRAD_H
#define TILEC_GRAD_GRAD_H

#include "../grad_facts/facts.h"

/* grad.c: behind the kernel, the module's as lowered, the gradients of wish->of with respect to
 * wish->wrt, in place of what the kernel does; ../grad_gather/gather.c goes on from there.  False:
 * a diagnostic, with the place of what cannot be derived. */
bool grad_begin(Module *m, const GradWish *wish, Arena *a, Diags *d, Grad *out);

/* --- inside of this folder, and for what prints --- */

const char *grad_free_name(Grad *g, const char *name); /* of a parameter: or name_2, .. */
Value *grad_new_parameter(Grad *g, const char *name, const Type *type); /* of such a name */
/* New ops have the place of this one of the forward. */
void grad_stand_for(Grad *g, const Op *op);
/* The value that stands for one of the forward where the builder is. */
Value *grad_value(const Grad *g, Value *v);
Value *grad_adjoint(const Grad *g, const Value *v); /* NULL: zero so far */
void grad_set_adjoint(Grad *g, const Value *v, Value *d);
void grad_add(Grad *g, Value *v, Value *d);              /* to its adjoint; d may be NULL */
Value *grad_not_rounded(Builder *b, Value *d, DType to); /* in a wider type: as it was before */
bool grad_is_effect(const Op *op);  /* of the forward, which has it alone: stores, what it says */
void grad_block(Grad *g, Block *b); /* its ops, from the last to the first */
void grad_name(const Grad *g, const Value *v, Value *d); /* as its gradient, unless it has a name */

/* rules.c, rules_math.c: the gradient of operand i, from d, that of the result; see adjoints.h */
typedef Value *(*GradRule)(Grad *g, const Op *op, int i, Value *d);
GradRule grad_rule(OpCode code); /* of an op whose kind is GRAD_RULE */
#define RULE(op, function) Value *function(Grad *g, const Op *o, int i, Value *d);
#define OWN(op, where)
#define ZERO(op, why)
#define REFUSED(op, why)
#include "../grad_facts/adjoints.h"
/* 1 / (1 + exp(z)) by its own gradient, which stays finite where exp(z) does not: hands it to z.
 * False: the op is nothing of the kind. */
bool grad_logistic(Grad *g, const Op *op, Value *d);

/* rules.c: of the largest or smallest element with its index: its gradient to that element,
 * whatever is equal to it, as torch.max(dim).  False: the op is nothing of the kind. */
bool grad_winner(Grad *g, const Op *op);
bool grad_is_winner(const Op *op);

/* rules.c: arithmetic where the builder is, without what changes nothing */
Value *grad_number(Grad *g, const Value *like, double x); /* in its type and shape */
bool grad_is_number(const Value *v, double x);
Value *grad_binary(Grad *g, OpCode code, Value *x, Value *y);
Value *grad_negated(Grad *g, Value *x);
Value *grad_scaled(Grad *g, Value *x, double by);

/* quotients.c: of what is divided by one value for each row; NULL: it is nothing of the kind */
Value *grad_sum_of_quotient(Grad *g, Value *x, int axis);
Value *grad_sum_of_quotients(Grad *g, Value *x, Value *y); /* x + y, by the same */
Value *grad_times_result(Grad *g, const Op *o, Value *d);  /* d times the op's */

/* combine.c: of a reduction or scan by any function, of one tile or several, which have gradients:
 * hands them to its operands */
void grad_combining(Grad *g, const Op *op);

/* rounds.c: one `while` that gradients go through becomes a `for`, behind one that counts its
 * rounds; false: there is none */
bool grad_count_rounds(Grad *g);

/* anchor.c: maxima become what the forward stored of them; true: something has changed */
bool grad_measure_from_saved(Grad *g);
bool grad_measure_from_end(Grad *g); /* or what loops say in the end */
void grad_put_ends(Grad *g);         /* when all is derived: what they say, which is known */

/* means.c */
/* The mean of x along the axis, if v is what is left when it has been taken off, 0 outside of the
 * mask, so that its sum is 0 where what is added to the needs holds; NULL: it is no such tile.
 * mask: NULL, v has none but its own. */
Value *grad_mean_taken_off(Grad *g, const Value *v, int axis, const Value *mask);
/* Where the forward adds up what rounding left in a mean, and stores both, the mean is what is
 * stored; before anything is derived. */
bool grad_take_means_as_stored(Grad *g);

/* saved.c */
void grad_find_saved(Grad *g); /* before anything is derived: what the forward stores, once */
/* Each element of its array, outside of loops?  What that takes is needed then. */
bool grad_is_stored_once(Grad *g, const Op *store);
/* Can it be computed there, too? Then it is, or is what it was. */
bool grad_can_stand(const Value *v, const Op *at);
Value *grad_stand(Builder *b, Value *v, const Op *at);
void grad_load_saved(Grad *g); /* behind: where that spares a pass over lanes or rounds */

/* memory.c */
bool grad_check_memory(Grad *g);   /* what is read and written suits; refused otherwise */
bool grad_check_in_place(Grad *g); /* when all is derived: what was overwritten is not read */
void grad_load(Grad *g, const Op *op);
void grad_store(Grad *g, const Op *op);
/* Is it computed step by step from the array, or carried by a loop around the access? */
bool grad_can_rebase(const Value *pointer);
Value *grad_rebase(Grad *g, Value *pointer, const GradArray *to);

/* linear.c: the sum, by others that are known where that can be; of gradients alone */
Value *grad_sum_along(Grad *g, Value *v, int axis);

/* meet.c */
Value *grad_drop(Grad *g, Value *v, unsigned axes);
/* The gradient before it was rounded to the type of what was loaded; sums are in no less than fp32.
 */
Value *grad_widened(Grad *g, Value *d);
/* Hands d to the elements that were loaded, or to the sum of the rounds that meet there. */
void grad_add_to_array(Grad *g, const Op *load, Value *d);
/* Those whose sums this loop carries: from where on, and, where `sum` is the result, the end. */
GradMeetings grad_meetings_in(Grad *g, const Op *loop);
Value *grad_meeting_begins(Grad *g, const GradMeeting *m);
void grad_meeting_ends(Grad *g, GradMeeting *m, const Op *loop);

/* parts.c: `programs` are the axes whose programs do not meet */
bool grad_can_have_parts(const Grad *g, const GradOps *loads, unsigned programs);
void grad_make_parts(Grad *g, GradArray *a);
/* i64, along these; of those that walk over others, where all axes of these are among them. */
Value *grad_program_number(const Grad *g, Builder *b, unsigned axes);
/* Does the mask keep the pointer within the row? */
bool grad_is_in_row(Grad *g, const GradArray *a, Value *pointer, Value *mask);
/* Are these all elements of the row?  What must hold for that is added to what the array needs. */
bool grad_fills_row(Grad *g, const GradArray *a, Value *pointer, Value *mask);

/* walk.c */
void grad_choose_walk(Grad *g); /* when it is known which arrays have parts */
bool grad_is_walked(const Grad *g, const GradArray *a); /* has each derived program one row? */
/* The same as what is the same for all programs that are walked over, in front of the loop over
 * them; NULL: it is not. */
Value *grad_in_front(const Grad *g, Value *v);
void grad_walk_programs(Grad *g); /* when all is derived: the loop */
/* In front of a store or an atomic: what it stores is added to what is there; `waits`: for what
 * other threads of the program added. */
void grad_add_in_memory(Grad *g, Op *op, bool waits);

/* loop.c */
void grad_loop(Grad *g, Op *op);

/* tape.c */
bool grad_can_go_back(Grad *g, const Op *loop); /* else refused */
GradRounds grad_write_tapes(Grad *g, const Op *loop, const bool *is_sum);
Value *grad_turned_counter(Grad *g, const GradRounds *r, Value *back);
/* What carried value i is where the round with this counter begins; `from`: where the loop does. */
Value *grad_round_begins(Grad *g, const GradRounds *r, const Op *loop, int i, Value *counter,
                         Value *from);
void grad_drop_tapes(Grad *g); /* that nothing reads */
/* Which round it is in which the counter has this value. */
Value *grad_round_of(Builder *b, const Op *loop, Value *counter);
GradTape *grad_new_tape(Grad *g, const Op *forward, int i, Value *limit, GradTapeKind kind);
Value *grad_tape_place(Builder *b, const GradTape *t, Value *round, const Type *shape);
void grad_put_barrier(Grad *g, Builder *b); /* threads of a program read what others wrote */

/* points.c: where not each round is kept */
Value *grad_rounds_apart(Grad *g, Builder *b, Value *rounds); /* how many to a point */
/* In front of the rounds of the forward's loop: what each of the points begins with. */
void grad_write_points(const GradRounds *r);
/* In a round of the backward: the forward's rounds once more, for those that are read next. */
void grad_go_again(Grad *g, GradRounds *r, const Op *loop, Value *back, Value *counter);

/* fused.c */
void grad_drop_effects(Grad *g, const GradOps *effects); /* of the forward, but those that stay */
bool grad_check_fused(Grad *g);  /* when it is known who adds to what; refused otherwise */
bool grad_keep_forward(Grad *g); /* a copy, before it is changed; false: it must be the only one */
void grad_put_forward(Grad *g);  /* in front of the backward */
bool grad_share_loads(Grad *g);  /* of both; true: there were some */
void grad_store_sums_last(Grad *g); /* where gradients need not wait for them */

/* branch.c */
typedef VEC(Value *) GradValues;
/* Active values that ops in its regions use, and that do not stand there themselves. */
GradValues grad_from_outside(Grad *g, const Op *op);
void grad_without_effects(Grad *g, const Op *op, Op *copy); /* what it holds, of a copy of op */
void grad_compute_again(Grad *g,
                        const Block *b); /* its ops where the builder is, but for effects */
void grad_branch(Grad *g, Op *op);

#endif
