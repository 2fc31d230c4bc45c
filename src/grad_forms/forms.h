/*
 * forms.h - before gradients are derived: what is done in a form that has none, or of which less is
 * known, is put in another that gives the same
 *
 * Each takes and gives IR as lowered, with helpers inlined.
 */
#ifndef TILEC_GRAD_FORMS_FORMS_H
#define TILEC_GRAD_FORMS_FORMS_H

#include "../ir/analysis.h"
#include "../opt/opt.h"

/* sort.c: before equal values are merged: what sorts floats by their bits becomes a permutation */
void forms_permute_sorted(Func *f);

/* split.c: what takes parts of tiles by their bits becomes sums */
void forms_sum_parts_of_tiles(Func *f);

/* slices.c: slices at known places become sums of one element, or gathers */
void forms_take_slices(Func *f);

/* arms.c: branches that choose what is loaded become masks, and those of numbers that are not
 * negative say x > 0 for x != 0; false: there is nothing of the kind */
bool forms_mask_arms(Func *f);

/* count.c: each `while` that counts becomes a `for` */
void forms_count_rounds(Func *f);

/* upwards.c: each loop that counts down counts up; false: there is none */
bool forms_count_upwards(Func *f);

/* stepped.c: what each round of a loop moves on by the same follows its counter */
void forms_place_by_counters(Func *f);

/* offsets.c: pointers that some rounds of a loop move on become numbers */
void forms_count_offsets(Func *f);

/* reversed.c: programs that only ask for num_programs - 1 - program_id ask for program_id */
void forms_number_from_the_first(Func *f);

#endif
