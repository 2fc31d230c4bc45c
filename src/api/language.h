/*
 * language.h - the language that files of kernels are in, for front_parse()
 */
#ifndef TILEC_API_LANGUAGE_H
#define TILEC_API_LANGUAGE_H

#include "../names/front.h"

extern const Language triton_language;

#endif
