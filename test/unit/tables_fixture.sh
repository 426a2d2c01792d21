# tables_fixture.sh - the tables of a dispatcher of six kernels in a linked file: source it behind common.sh.
# shellcheck shell=sh

# relocations FILE: how many relocations are applied in the entries of its two tables of six, when it is loaded
relocations() {
  readelf -sW "$1" | awk '$8 ~ /ckjit_t[01]$/ { print $2, $3 }' | sort -u >tables
  [ "$(wc -l <tables)" = 2 ] || fail "$1: tables: $(cat tables)"
  count_=0
  readelf -rW "$1" | awk '$3 ~ /^R_/ { print $1 }' >places
  while read -r at_ size_; do
    [ "$size_" -ge 80 ] || fail "$1: a table of six has $size_ bytes"
    while read -r place_; do
      if [ $((0x$place_)) -ge $((0x$at_ + 32)) ] && [ $((0x$place_)) -lt $((0x$at_ + size_)) ]; then count_=$((count_ + 1)); fi
    done <places
  done <tables
  echo $count_
}

# main.cpp, a program that calls each of the six kernels through the dispatcher
tables_main() {
  cat >main.cpp <<'CPP'
#include <cstdio>
extern "C" int call(int, char *);
int main() {
  static char text[1000];
  for (int i = 1; i <= 6; i++) {
    int r = call(i, text);
    printf("%d %s\n", r, text);
  }
}
CPP
}
