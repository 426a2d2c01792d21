/* ck_jit_kernels.h - the kernels of a CUDA blob that are compiled one by one (compile/cuda/cuda.h).
 *
 * The entry of such a blob has its host code and no kernel. Before its first function is called it is told
 * whom to ask for the fat binary of a kernel: ckjit_kernel_fatbin, below, which finds it in the cache or has
 * it compiled, as a blob is found and compiled: the same look-up, flights, locks and messages. It is part of
 * ck_jit_runtime.c, behind its flights.
 */
#ifndef CK_JIT_KERNELS_H
#define CK_JIT_KERNELS_H

/* what an entry's kernels are looked up by; it stays as long as the entry, for ever */
struct ckjit_entry_of {
  uint32_t blob;
  uint8_t id[CKJIT_BUILD_ID_SIZE]; /* of the entry */
  char path[];
};

/* Whether blobs of this library are to be taken apart. */
static bool ckjit_per_kernel(const struct ckjit_wanted *w) {
  const char *set = ckjit_env("CK_JIT_PER_KERNEL");
  return strcmp(CKJIT_COMPILER_KIND, "cuda") == 0 && !w->unlinked && !(set && strcmp(set, "0") == 0);
}

/* Let W be the entry without kernels. The build id is another: what one who wants all of them finds under the
 * blob's own has to have them. */
static void ckjit_want_apart(struct ckjit_wanted *w) {
  char archs[CKJIT_ARCHS_SIZE + 16];
  snprintf(archs, sizeof archs, "%s" CKJIT_APART, w->archs);
  memcpy(w->whole, w->id, sizeof w->whole);
  ckjit_build_id(w->id, ckjit_blobs[w->blob].key, archs);
  w->apart = true;
}

/* Let W, of a blob, be its kernel NAME. False where there is no memory. */
static bool ckjit_want_kernel(struct ckjit_wanted *w, const struct ckjit_entry_of *of, const char *name) {
  uint64_t hash = ckjit_fnv1a(name, strlen(name)), id = ckjit_fnv1a_more(hash, of->id, sizeof of->id);
  ckjit_add_bytes(&w->kernel_stem, w->stem, w->stem_len);
  ckjit_addf(&w->kernel_stem, ".%016llx", (unsigned long long)hash);
  for (int i = 0; i < 8; i++)
    w->id[CKJIT_KEY_SIZE + i] = (uint8_t)(id >> (56 - 8 * i));
  w->stem = w->kernel_stem.data;
  w->stem_len = w->kernel_stem.len;
  w->kernel = name;
  w->kernel_hash = hash ? hash : 1;
  w->entry = of->path;
  return ckjit_whole(&w->kernel_stem) != NULL;
}

static const void *ckjit_kernel_fatbin(void *context, const char *kernel, int *all);

/* Tell the entry behind HANDLE, loaded from PATH with W's build id, whom to ask for its kernels; it is none
 * of those where it does not want to know. Before anybody else can call a function of it. */
static bool ckjit_attach(void *handle, const struct ckjit_wanted *w, const char *path) {
  typedef const void *find(void *context, const char *kernel, int *all);
  void (*attach)(find * f, void *context);
  *(void **)&attach = dlsym(handle, "ckjit_kernels_attach");
  if (!attach)
    return true;
  struct ckjit_entry_of *of = malloc(sizeof *of + strlen(path) + 1);
  if (!of)
    return false;
  of->blob = w->blob;
  memcpy(of->id, w->id, sizeof of->id);
  strcpy(of->path, path);
  attach(ckjit_kernel_fatbin, of);
  return true;
}

/* The entry of OF was removed since it was loaded: have it made again, for its bitcode. */
static void ckjit_entry_again(const struct ckjit_entry_of *of, struct ckjit_text *missing) {
  struct ckjit_wanted w;
  if (ckjit_want(&w, of->blob, missing)) {
    ckjit_want_apart(&w);
    ckjit_fly(&w, missing);
  }
  ckjit_wanted_free(&w);
}

static void *ckjit_kernel_handle(const struct ckjit_entry_of *of, const char *kernel,
                                 struct ckjit_text *error) {
  struct ckjit_wanted w;
  struct ckjit_text missing = {0};
  void *handle = NULL;
  uint64_t traced = ckjit_trace_start();
  ckjit_prepare_fork();
  if (ckjit_want(&w, of->blob, error) && ckjit_want_kernel(&w, of, kernel)) {
    handle = ckjit_load_entry(&w, error);
    bool again = true;
    for (int i = 0; i < CKJIT_ATTEMPTS && again && !handle && !error->len; i++) {
      ckjit_text_clear(&missing);
      if (access(of->path, R_OK))
        ckjit_entry_again(of, &missing);
      again = ckjit_fly(&w, &missing);
      handle = ckjit_load_entry(&w, error);
    }
  }
  if (!handle && !error->len)
    ckjit_add(error, missing.len ? missing.data : "out of memory");
  ckjit_trace(&w, "kernel", traced, "kernel", kernel);
  ckjit_text_free(&missing);
  ckjit_wanted_free(&w);
  return handle;
}

/* The fat binary of KERNEL of the entry CONTEXT; see ck_jit_cuda_kernels.c. */
static const void *ckjit_kernel_fatbin(void *context, const char *kernel, int *all) {
  const struct ckjit_entry_of *of = context;
  int saved = errno, cancel;
  struct ckjit_text why = {0};
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
  void *handle = ckjit_kernel_handle(of, kernel, &why);
  const void *data = handle ? dlsym(handle, "ckjit_fatbin") : NULL;
  const uint64_t *size = handle ? dlsym(handle, "ckjit_fatbin_size") : NULL;
  if (handle && (!data || !size))
    ckjit_add(&why, "its entry in the cache holds no kernel; remove it");
  pthread_setcancelstate(cancel, NULL);
  if (why.len) {
    struct ckjit_text error = {0};
    size_t n = 0;
    const char *stem = ckjit_stem_of(of->blob, &n);
    ckjit_addf(&error, "ckjit: %.*s: kernel %s: %s", (int)n, stem, kernel, why.data);
    ckjit_text_free(&why);
    ckjit_fail(&error);
  }
  if (!*size)
    *all = 1;
  errno = saved;
  return data;
}

#endif
