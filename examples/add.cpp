/*
 * add.cpp - examples/add.c in C++17: load kernels/add.py and add two arrays
 *
 *     c++ -std=c++17 add.cpp $(pkg-config --cflags --libs tilec) && ./a.out kernels/add.py
 */
#include <iostream>
#include <tilec.hpp>
#include <vector>

int main(int argc, char **argv)
try {
    const int n = 100000, block = 1024;
    std::vector<float> x(n), y(n, 0.5f), out(n);

    for (int i = 0; i < n; i++)
        x[static_cast<std::size_t>(i)] = static_cast<float>(i);

    tilec::context context;
    tilec::file file = context.load(argc > 1 ? argv[1] : "kernels/add.py");
    file["add_kernel"](tilec::grid(tilec::cdiv(n, block)), x, y, out, n,
                       tilec::named("BLOCK", block));

    std::cout << x.back() << " + " << y.back() << " = " << out.back() << "\n";
    return 0;
} catch (const tilec::error &e) {
    std::cerr << tilec_status_text(e.status()) << ": " << e.what() << "\n";
    return 1;
}
