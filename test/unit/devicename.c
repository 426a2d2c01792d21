/* devicename.c - what a kernel is called on the device, of its symbol on the host. */
// tier: check
#include "core/base/base.h"
#include "core/device/devicename.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  static const struct {
    const char *symbol, *name; /* NULL: it is not certain; "": the same */
  } rows[] = {
      {"_Z4plainPi", ""},
      {"cfun", ""},
      {"_ZL2stPKic", "_Z2stPKic"},
      {"_ZL3sttIiEvPT_c", "_Z3sttIiEvPT_c"},
      {"_ZN2nsL5innerILi3ELb1EEEvv", "_ZN2ns5innerILi3ELb1EEEvv"},
      {"_ZN30_GLOBAL__N__e64bfebd_4_a_cu_go5anon2ENS_1SEd", ""},
      {"_ZL4variIfJLi1ELin2EEEvPT_DpT_", "_Z4variIfJLi1ELin2EEEvPT_DpT_"},
      {"_Z2enILN2ns1EE1EJiSsEEvDpT0_", ""},
      {"_Z3defIiEvPT_S0_i", ""},
      {"_ZNSt3any4castIA3_FvRKiOfEEEvM1aT_", ""},
      {"_Z2ttI1WEvS_IiEDn", ""},
      {"_Z1kPi6__half13__nv_bfloat16", ""},
      {"_ZL4L123v", "_Z4L123v"},
      {"_Z1aI5codecEvPNT_4wordES1_", ""}, /* names of a template's parameter */
      {"_Z1cI5codecS0_EvNT0_4wordENT_6rebindIS1_E5otherEPNS4_IiE5otherE", ""},
      {"_Z1gIJ5codecNS0_2inEEEvDpPKNT_4wordEDpS2_", ""},
      {"_Z1kI1aEvNT_1bT_E", NULL},     /* one is not within a name */
      {"_Z1kIZ4mainEUlvE_EvT_", NULL}, /* a closure */
      {"_ZL1kIN3nsUt_EEvT_", NULL},    /* a type without a name */
      {"_Z1kIZ1fvE1sEvT_", NULL},      /* a function's own */
      {"_Z4packIiJLi4EEEvPT_DpSt17integral_constantIiXT0_EE", ""},
      {"_Z1kIXadL_Z1fvEEEvv", NULL},              /* a function's address */
      {"_Z1kIiEvDTcl1fIT_EEE", NULL},             /* an expression */
      {"_Z1kB5cxx11v", NULL},                     /* a tag */
      {"_Z1kDv4_f", NULL},                        /* a vendor's type */
      {"_ZN12_GLOBAL__N_11kEv", NULL},            /* cudafe++ names such a namespace */
      {"_Z1kI17__nv_dl_wrapper_tI1aEEvT_", NULL}, /* nvcc's for closures */
      {"_Z1kI18__nv_hdl_wrapper_tI1aEEvT_", NULL},
      {"_Z1kI10._anon_107EvT_Pi", NULL}, /* gcc's for `using t = struct {}` */
      {"_Z1k3a$bPi", ""},
      {"_Z1kiPK", NULL}, /* no end */
      {"_Z99k", NULL},
      {"_Z1kI", NULL},
      {"_ZN1k", NULL},
      {"_Z", NULL},
      {"_Z0v", NULL},
      {"k.cold", NULL},
      {"", NULL},
  };
  int bad = 0;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char *name = devicename(rows[i].symbol);
    const char *want = rows[i].name && !*rows[i].name ? rows[i].symbol : rows[i].name;
    if (!name != !want || (name && strcmp(name, want) != 0)) {
      fprintf(stderr, "%s: %s\n", rows[i].symbol, name ? name : "(none)");
      bad = 1;
    }
    free(name);
  }
  static const char *const begins[][2] = {{"_Z1kIZ4mainEUlvE_EvT_", "_Z1k"},
                                          {"_ZL1kIi17__nv_dl_wrapper_tI1aEEvT_", "_Z1kIi"},
                                          {"_Z1kIiEvDTcl1fIT_EEE", "_Z1kIiEv"},
                                          {"_ZN12_GLOBAL__N_11kEv", ""},
                                          {"_Z1kB5cxx11v", ""},
                                          {"k", ""}};
  for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
    char *begin = devicename_begin(begins[i][0]);
    if (strcmp(begin, begins[i][1]) != 0) {
      fprintf(stderr, "%s begins %s\n", begins[i][0], begin);
      bad = 1;
    }
    free(begin);
  }
  /* Do the forms of a pair agree? Without a second name, the first has no form. */
  static const struct {
    const char *host, *device;
    bool same;
  } forms[] = {
      {"_Z1kIXadL_ZL3addffEE6__halfS0_S0_EvPKT0_PT1_i",
       "_Z1kIXadL_ZN36_INTERNAL_6f296685_4_b_cu_52740fdb_03addEffEE6__halfS1_S1_EvPKT0_PT1_i", true},
      {"_Z1kILi32EXadL_ZL2dqPKvliR6float2EEfEvS1_PKiPT2_l",
       "_Z1kILi32EXadL_ZN36_INTERNAL_6f296685_4_b_cu_52740fdb_02dqEPKvliR6float2EEfEvS2_PKiPT2_l", true},
      {"_Z1kIXadL_ZL3mulffEEEvPf", "_Z1kIXadL_ZN36_INTERNAL_6f296685_4_b_cu_52740fdb_03addEffEEEvPf", false},
      {"_Z1kIXadL_ZN2nsL3addEfEEEvPf", "_Z1kIXadL_ZN36_INTERNAL_6f296685_4_b_cu_52740fdb_02ns3addEfEEEvPf",
       true},
      {"_Z1kIXadL_ZL3addIiEvT_EEEvPf", "_Z1kIXadL_ZN36_INTERNAL_6f296685_4_b_cu_52740fdb_03addIiEEvT_EEEvPf",
       true},
      /* a second thing that is internal */
      {"_Z1kIXadL_ZL3cpyIXadL_ZL3addfEEEvPfEEEvS0_",
       "_Z1kIXadL_ZN36_INTERNAL_6f296685_4_b_cu_52740fdb_03cpyIXadL_ZNS0_3addEfEEEEvPfEEEvS2_", true},
      {"_Z1kIXadL_ZL3cpyIXadL_ZN2nsL3addEfEEEvPfEEEvS0_",
       "_Z1kIXadL_ZN36_INTERNAL_6f296685_4_b_cu_52740fdb_03cpyIXadL_ZNS0_2ns3addEfEEEEvPfEEEvS2_", true},
      {"_Z1kIXadL_ZL3cpyIXadL_ZL3mulfEEEvPfEEEvS0_",
       "_Z1kIXadL_ZN36_INTERNAL_6f296685_4_b_cu_52740fdb_03cpyIXadL_ZNS0_3addEfEEEEvPfEEEvS2_", false},
      {"_Z1kIXadL_Z3addfEEEvPf", "_Z1kIXadL_Z3addfEEEvPf", true},
      {"_ZL1kIXadL_Z3addfEEEvPf", "_Z1kIXadL_Z3addfEEEvPf", true},
      {"_Z1kI1aEvT_", "_Z1kI1aEvT_", true},
      {"_Z1kI1aEvT_", "_Z1kI1bEvT_", false},
      {"_Z1kIZ4mainEUlvE_EvT_", NULL, true}, /* a closure has no form */
      {"_Z1kIXadL_Z3addfEEEvPfE", NULL, true},
      {"_Z1kIXadL_Z3addfEvPf", NULL, true},
      {"_Z1kIXadL_ZN99_INTERNAL_3addEffEEEvPf", NULL, true},
  };
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    char *host = devicename_form(forms[i].host),
         *device = forms[i].device ? devicename_form(forms[i].device) : NULL;
    bool same = host && device ? strcmp(host, device) == 0 : !host && !device;
    if (same != forms[i].same) {
      fprintf(stderr, "%s: %s\n%s: %s\n", forms[i].host, host ? host : "(none)",
              forms[i].device ? forms[i].device : "", device ? device : "(none)");
      bad = 1;
    }
    free(host);
    free(device);
  }
  char deep[3000] = "_Z1k";
  memset(deep + 4, 'P', sizeof deep - 6);
  deep[sizeof deep - 2] = 'i';
  char *name = devicename(deep);
  if (name)
    bad = fprintf(stderr, "thousands of pointers\n");
  free(name);
  return bad != 0;
}
