/* runtime_mha.c - calls mini-aiter's attention forward, and compares it with the same in doubles: runtime_mha DTYPE HDIM MASK SPLITS
 *
 * For programs of another machine, on which check.py does not run. Prints the kernels that ran. SPLITS 0: not split. The log of the sum is asked for, too. */
#include "mini_mha.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADS = 2, Q = 5, K = 7, MAX = 256 };

static float q[HEADS][Q][MAX], k[HEADS][K][MAX], v[HEADS][K][MAX], out[HEADS][Q][MAX], lse[HEADS][Q];

/* what both DTYPEs have exactly, so that nothing is rounded on the way in */
static float next(void) {
  static unsigned seed = 1;
  seed = seed * 1103515245U + 12345U;
  return (float)((int)(seed >> 16 & 63) - 32) / 32;
}

static void fill(float *to, int rows, int hdim) {
  for (int i = 0; i < rows * hdim; i++)
    to[i] = next();
}

/* how far row I of head H is from what it should be */
static double wrong(const float *fq, const float *fk, const float *fv, const float *got, int h, int i,
                    int hdim, double scale, int mask) {
  double p[K], sum = 0, worst = 0;
  int keys = mask == 1 ? i + 1 : mask == 2 ? i + 1 + K - Q : K;
  for (int j = 0; j < keys; j++) {
    double s = 0;
    for (int d = 0; d < hdim; d++)
      s += (double)fq[(h * Q + i) * hdim + d] * fk[(h * K + j) * hdim + d];
    sum += p[j] = exp(s * scale);
  }
  for (int d = 0; d < hdim; d++) {
    double o = 0;
    for (int j = 0; j < keys; j++)
      o += p[j] / sum * fv[(h * K + j) * hdim + d];
    worst = fmax(worst, fabs(o - got[(h * Q + i) * hdim + d]));
  }
  return fmax(worst, fabs(log(sum) - (&lse[0][0])[h * Q + i]));
}

int main(int argc, char **argv) {
  char names[1024] = "";
  if (argc != 5)
    return 2;
  int hdim = atoi(argv[2]), mask = atoi(argv[3]), splits = atoi(argv[4]);
  mini_mha_problem p = {argv[1], 1,    HEADS,  HEADS, Q,    K,     hdim,
                        0.125F,  mask, splits, 0,     NULL, names, sizeof names};
  float *fq = &q[0][0][0], *fk = &k[0][0][0], *fv = &v[0][0][0], *got = &out[0][0][0];
  fill(fq, HEADS * Q, hdim);
  fill(fk, HEADS * K, hdim);
  fill(fv, HEADS * K, hdim);
  float ms = (splits ? mini_mha_fwd_splitkv : mini_mha_fwd)(&p, fq, fk, fv, got, &lse[0][0]);
  if (!(ms >= 0)) {
    printf("%g: %s\n", (double)ms, mini_mha_last_error());
    return 1;
  }
  double worst = 0;
  for (int h = 0; h < HEADS; h++)
    for (int i = 0; i < Q; i++)
      worst = fmax(worst, wrong(fq, fk, fv, got, h, i, hdim, 0.125, mask));
  printf("%s\n", names);
  if (!(worst < (strcmp(argv[1], "bf16") == 0 ? 0.02 : 1e-5))) {
    printf("wrong by %g\n", worst);
    return 1;
  }
  return 0;
}
