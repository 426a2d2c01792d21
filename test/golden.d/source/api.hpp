#pragma once
struct args { double a[4]; int n; };
template <int N, bool B> struct traits {};
template <class T> int fwd(const args &x, args y);
template <class T> int count(int x);
