/*
 * main.c - a program with a kernel that was compiled ahead of time: nothing of tilec runs with it
 *
 * The Makefile and the CMakeLists.txt here make blur.o and blur.h of blur.py, and this program.
 */
#include "blur.h"

#include <stdio.h>

enum { HEIGHT = 480, WIDTH = 641 };

static uint8_t image[HEIGHT * WIDTH], out[HEIGHT * WIDTH];

int main(void)
{
    int wrong = 0, status, y, x;

    for (y = 0; y < HEIGHT; y++)
        for (x = 0; x < WIDTH; x++)
            image[y * WIDTH + x] = (uint8_t)(x * 7 + y * 13);
    status = blur(out, image, HEIGHT, WIDTH);
    if (status != TILEC_AOT_OK) {
        fprintf(stderr, "blur gave %d\n", status);
        return 1;
    }
    for (y = 0; y < HEIGHT; y++) {
        const uint8_t *row = image + y * WIDTH;
        for (x = 0; x < WIDTH; x++) {
            int left = row[x > 0 ? x - 1 : 0], right = row[x < WIDTH - 1 ? x + 1 : WIDTH - 1];
            wrong += out[y * WIDTH + x] != (left + row[x] + right) / 3;
        }
    }
    printf("%d pixels, %d of them wrong, with code for %s\n", HEIGHT * WIDTH, wrong, blur_cpu());
    return wrong > 0;
}
