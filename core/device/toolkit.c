#include "toolkit.h"

#include "core/base/base.h"
#include "core/base/words.h"

/* Functions of math.h are listed once for both types: sin stands for sin and sinf. */
static const char names[] =
    "abs acos acosh asin asinh atan atan2 atanh cbrt ceil clock clock64 copysign cos cosh cospi"
    " cyl_bessel_i0 cyl_bessel_i1 erf erfc erfcinv erfcx erfinv exp exp10 exp2 expm1 fabs fdim"
    " fdivide finite floor fma fmax fmin fmod free frexp hypot ilogb isinf isnan j0 j1 jn labs"
    " ldexp lgamma llabs llmax llmin llrint llround log log10 log1p log2 logb lrint lround malloc"
    " max memcpy memset min modf nan nearbyint nextafter norm norm3d norm4d normcdf normcdfinv pow"
    " printf rcbrt remainder remquo rhypot rint rnorm rnorm3d rnorm4d round rsqrt scalbln scalbn"
    " signbit sin sincos sincospi sinh sinpi sqrt tan tanh tgamma trunc ullmax ullmin umax umin"
    " vprintf y0 y1 yn";

/* new and delete, in all their forms. */
static bool is_allocation(const char *name) {
  return str_starts(name, "_Znw") || str_starts(name, "_Zna") || str_starts(name, "_ZdlPv") ||
         str_starts(name, "_ZdaPv");
}

/* cudaGetLastError and the like are undefined in each unit whose host code calls them: headers have
 * them for both sides, and their device versions are not removed yet. */
static bool is_of_devrt(const char *name) {
  return str_starts(name, "__cuda") || str_starts(name, "cuda");
}

bool toolkit_launches(const char *name) {
  return is_of_devrt(name) && (strstr(name, "LaunchDevice") || strstr(name, "GetParameterBuffer"));
}

bool toolkit_has(const char *name) {
  size_t n = strlen(name);
  /* a reserved name: an instruction, or libdevice's own */
  if (str_starts(name, "__") || is_of_devrt(name))
    return !toolkit_launches(name);
  return words_have(names, name, n) ||
         (n && name[n - 1] == 'f' && words_have(names, name, n - 1)) || is_allocation(name);
}
