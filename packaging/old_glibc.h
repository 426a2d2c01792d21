/* old_glibc.h - the symbols of glibc 2.28, for a libckjit.so that is linked on a newer one (make
 * wheel).
 *
 * glibc 2.32 and 2.34 gave these functions another version, although they are the same: they
 * moved from libpthread.so and libdl.so to libc.so. The linker takes the newest version, and
 * glibc 2.28 would refuse the library. This file requests the old version, which every glibc
 * has. packaging/wheel.py fails, and names the symbol, if libckjit.so calls another one that is
 * too new. */
#ifdef __aarch64__ /* glibc 2.17 was its first version */
#define OLD(name, version) __asm__(".symver " #name "," #name "@GLIBC_2.17")
#else
#define OLD(name, version) __asm__(".symver " #name "," #name "@GLIBC_" #version)
#endif
OLD(dladdr1, 2.3.3);
OLD(dlclose, 2.2.5);
OLD(dlerror, 2.2.5);
OLD(dlinfo, 2.3.3);
OLD(dlopen, 2.2.5);
OLD(dlsym, 2.2.5);
OLD(pthread_condattr_setclock, 2.3.3);
OLD(pthread_create, 2.2.5);
OLD(pthread_join, 2.2.5);
OLD(pthread_once, 2.2.5);
OLD(pthread_sigmask, 2.2.5);
#undef OLD
