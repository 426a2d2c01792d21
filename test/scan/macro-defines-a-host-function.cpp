#define MAIN(name) int name(int n) { return n; }
MAIN(start)
//= host
