// family.h - what the library's callers know: two function templates, whose specialisations are the kernels.
#pragma once

enum operation { SUM, LARGEST, NORM };

// over n numbers at x
template <int Operation> double reduce_(const double *x, long n);

// a constant of the kernel and b
template <int N> int add_(int b);
