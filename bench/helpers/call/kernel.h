// kernel.h - a kernel function of CK's shape: a stream by reference, arguments of a few hundred
// bytes by value; with -DSMALL they are a number.
#pragma once
struct stream {
  void *id;
};
struct kernel_args {
#ifndef SMALL
  const void *pointers[12];
  int sizes[40];
#endif
  float scale;
};
template <int D> struct traits {};
template <class T> float kernel_(const stream &s, kernel_args a);
