/*
 * python.c - arithmetic of Python that C lacks
 *
 * The command line's expressions and the constants of kernels are Python's; both compute here.
 */
#include <math.h>

#include "base.h"

double python_divmod(double a, double b, double *remainder)
{
    double quotient, whole;

    *remainder = fmod(a, b);
    quotient = (a - *remainder) / b;
    if (*remainder == 0) {
        *remainder = copysign(0, b);
    } else if ((*remainder < 0) != (b < 0)) {
        *remainder += b;
        quotient -= 1;
    }
    if (quotient == 0)
        return copysign(0, a / b);
    whole = floor(quotient);
    return quotient - whole > 0.5 ? whole + 1 : whole;
}
