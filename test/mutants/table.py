"""table.py - the mutants of run.py: what docs/reliability.md promises, taken out of the source one by one.

M(ROW, TEST, NAME, FILE, OLD, NEW, …): ROW is the start of the row's first cell, TEST the one of its tests that must fail, NAME says what is
missing. In FILE the text OLD, which stands there once, becomes NEW; more triples follow where one place is not enough. Take the smallest edit
that takes the protection out and nothing else: if the row's test fails for another reason, the mutant shows nothing.

A row that names a test needs at least one mutant, or a reason in WITHOUT.
"""
import collections

Mutant = collections.namedtuple("Mutant", "row test name edits")
MUTANTS = []


def M(row, test, name, *edits):
    MUTANTS.append(Mutant(row, test, name, tuple(zip(edits[0::3], edits[1::3], edits[2::3]))))


# Rows without a mutant, and why.
WITHOUT = {
    **dict.fromkeys((
        "any part of it is another than at the link", "what it remembers of compilers", "a header changes while a precompiled header is made",
        "a header that is found in place of a listed one", "flags in another order",
        "kernels built ahead where no GPU is", "an architecture that the compiler does not know",
        "the compiler's variables are those of the link", "what CK_JIT_COMPILE_ENV lets through", "it is replaced, in place"), "none written yet"),
    "arbitrary bytes as input": "fuzz-corpus looks for what nobody knows yet; what it found is in test/fuzz/regressions, and each run begins with that",
}

# ---- processes killed or stopped, resources exhausted ----

M("SIGKILL of the calling process", "runtime-compile-killed", "a compile does not end with its caller", "compile/main.c", "  keeper_start(options.output_fd >= 0);", "  keeper_start(true);")
M("SIGKILL of ckjit-compile", "faults-kill ONLY=compile", "the next one removes what is left", "compile/place.c", "    owned_sweep(t->dir, t->cache ? path_base(prefix) : start);\n", "", "core/cache/cachedir.c", "  if (owned == OWNED_LIVES)\n    return true;\n", "  return true;\n")
M("SIGKILL of ckjit-compile", "runtime-compile-killed", "the keeper removes the directory", "compile/keeper.c", "  if (in_force)\n    dir_remove(shared->names[in_force - 1]);\n", "")
M("SIGKILL of ckjit-compile", "runtime-compile-killed", "the keeper ends the compiler", "compile/keeper.c", "    kill(group > 0 && group != getpgrp() && group != started_in ? -group : pid, SIGKILL);\n", "")
M("SIGKILL of ckjit-compile", "runtime-compile-killed", "the worker goes with its keeper", "compile/keeper.c", "    prctl(PR_SET_PDEATHSIG, SIGTERM);\n    if (getppid() != self)", "    if (getppid() != self)")
M("SIGKILL of ckjit-compile", "runtime-compile-killed", "the compiler goes with the worker", "compile/child.c", "  prctl(PR_SET_PDEATHSIG, SIGKILL);\n", "")
M("SIGKILL of ckjit-compile", "compile-passes-killed", "the worker goes with its keeper", "compile/keeper.c", "    prctl(PR_SET_PDEATHSIG, SIGTERM);\n    if (getppid() != self)", "    if (getppid() != self)")
M("SIGTERM, SIGINT, SIGHUP", "runtime-compile-killed", "what is stopped removes its directory", "compile/child.c", "  dir_remove(to_remove);\n", "")
M("SIGTERM, SIGINT, SIGHUP", "runtime-compile-killed", "SIGKILL after SIGTERM, thrice", "compile/child.c", "  signal_children(SIGKILL);\n  while (any_left())\n    nanosleep", "  while (0)\n    nanosleep", "compile/child.c", "  prctl(PR_SET_PDEATHSIG, SIGKILL);\n", "", "compile/keeper.c", "    kill(group > 0 && group != getpgrp() && group != started_in ? -group : pid, SIGKILL);\n", "    ;\n")
M("SIGTERM, SIGINT, SIGHUP", "compile-passes-killed", "what is stopped removes its directory", "compile/child.c", "  dir_remove(to_remove);\n", "")
M("without a cache directory", "runtime-unlinked", "a compile without a cache ends with its caller", "compile/keeper.c", "      prctl(PR_SET_PDEATHSIG, SIGTERM);\n      setpgid(0, 0);\n", "      setpgid(0, 0);\n")
M("without a cache directory", "runtime-unlinked", "the keeper is not of the caller's group", "compile/keeper.c", "      prctl(PR_SET_PDEATHSIG, SIGTERM);\n      setpgid(0, 0);\n", "      prctl(PR_SET_PDEATHSIG, SIGTERM);\n")
M("without a cache directory", "runtime-unlinked", "the next one removes what is left", "compile/unlinked.c", "  owned_sweep(root, PREFIX);\n", "")
M("a trace cannot be written", "trace-errors", "a pipe is not opened to wait for a reader", "abi/ck_jit_trace.h", "O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0666", "O_CREAT | O_CLOEXEC | O_NOCTTY, 0666")
M("a trace cannot be written", "trace-errors", "no waiting for the lock", "abi/ck_jit_trace.h", "error = flock(fd, LOCK_EX | LOCK_NB) ? errno : 0;", "error = flock(fd, LOCK_EX) ? errno : 0;")
M("a trace cannot be written", "trace-errors", "no SIGXFSZ", "abi/ck_jit_trace.h", "    return EFBIG;\n", "    ;\n")
M("memory is short", "prebuild-memory", "fewer at once", "prebuild/budget.c", "  return wanted <= available;", "  return true;")
M("memory is short", "prebuild-memory", "tried again alone", "prebuild/build.c", "  c->again = budget_failed(&b->memory, job) && !b->alone;", "  c->again = budget_failed(&b->memory, job) && false;")
M("memory is short", "prebuild-memory", "tried again once", "prebuild/build.c", "    if (c->again) {\n      buf_free", "    if (true) {\n      buf_free")
M("the patience of many", "compile-takeover", "who gives up looks again", "core/cache/lock.c", "  bool stands = guard != GUARD_REFUSED && lock_is_current(fd, path) && fstat(fd, &st) == 0 &&\n                same_time(&st.st_mtim, &watch->stamp);", "  bool stands = true;")
M("the disk is slow", "compile-slow-disk", "life is shown in a thread", "core/cache/lock.c", "  if (pthread_create(&thread, &attributes, beat_always, NULL) == 0)\n    has_thread = getpid();\n", "  has_thread = getpid();\n")
M("a directory of a killed compile", "compile-left-beside", "the next compile looks", "compile/place.c", "    owned_sweep(t->dir, t->cache ? path_base(prefix) : start);\n", "")
M("a directory of a killed compile", "unit-owned", "a stopped process lives", "core/cache/owned.c", "  return start_of(o->pid, &start, &over) && (over || start != o->start);", "  return true;")
M("the power fails", "compile-durable", "an entry is synced", "compile/place.c", " || sync_fd(fd))\n    task_fail", ")\n    task_fail")
M("SIGKILL while the worker tells", "unit-keeper", "another place than what is in force", "compile/keeper.c", "  int next = __atomic_load_n(&shared->in_force, __ATOMIC_RELAXED) == 1 ? 2 : 1;", "  int next = 1;")
M("ENOSPC, EROFS", "runtime-host-faults", "no memory for the child's environment", "runtime/ck_jit_spawn.c", "  if (!env)\n    return ENOMEM;\n", "")
M("ENOSPC, EROFS", "runtime-host-faults", "no memory for a flight", "runtime/ck_jit_flight.c", "    if (!f)\n      return NULL;\n", "")
M("ENOSPC, EROFS", "runtime-host-limits", "a pipe's end is closed where the other cannot be had", "runtime/ck_jit_spawn.c", "  if (error && end[0] >= 0)\n    close(end[0]);\n", "")
M("ENOSPC, EROFS", "runtime-host-limits", "what cannot be started is said", "runtime/ck_jit_compile.c", "  bool done = !error && (status == 0", "  bool done = (status == 0", "runtime/ck_jit_compile.c", "  if (error)\n    ckjit_addf(missing, \"%s cannot be run: %s\", args[0], strerror(error));\n  else\n", "")
M("ENOSPC, EROFS", "cache-filesystem", "what the error says of a file system", "core/cache/cachedir.c", "  return xasprintf(\"cannot %s %s: %s; %s\", what, path, strerror(error), todo);", "  return xasprintf(\"cannot %s %s: %s\", what, \"it\", todo);")
M("ENOSPC, EROFS", "cache-filesystem", "a compile that fails removes its directory", "compile/make.c", "    owned_remove(w->temporary);\n", "    ;\n")
M("ENOSPC, EROFS", "faults-errors ONLY=compile:.pwrite64 COUNT=0", "a seal that was not written", "compile/place.c", "  return n == (ssize_t)sizeof s;\n", "  return true;\n")
M("ENOSPC, EROFS", "faults-errors ONLY=compile:.fsync COUNT=0", "an entry that was not synced", "compile/place.c", " || sync_fd(fd))\n    task_fail", " || (sync_fd(fd), false))\n    task_fail")
M("ENOSPC, EROFS", "faults-errors ONLY=host:.(pipe2|clone|vfork|openat) COUNT=0", "what cannot be started is said", "runtime/ck_jit_compile.c", "  if (error)\n    ckjit_addf(missing, \"%s cannot be run: %s\", args[0], strerror(error));", "  if (error)\n    _exit(3);")
M("SIGKILL of ckjit-prebuild", "prebuild-shard-build", "what was begun goes on", "compile/main.c", "  keeper_start(options.output_fd >= 0);", "  keeper_start(true);")
M("the holder of a lock is stopped", "compile-stopped", "it is given up", "core/cache/lock.c", "    w->silent += now - w->last < longest ? now - w->last : longest;\n", "    ;\n")
M("the holder of a lock is stopped", "compile-stopped", "one that is slow shows life", "core/cache/lock.c", "      futimens(alive[i] - 1, NULL);\n", "      ;\n")
M("a task of a build", "prebuild-shard-build", "what is there is not compiled again", "prebuild/build.c", "      if (cache_has(r, r->blobs[i], lists->args[k]))\n        continue;\n", "", "compile/main.c", "  bool cached = t->cache && entry_is_there(t);", "  bool cached = false;", "compile/turn.c", "  if (entry_is_there(t))\n    return TURN_READY;\n  enum whose", "  enum whose", "compile/turn.c", "  if (entry_is_there(t))\n    return TURN_READY;\n  if (!*after", "  if (!*after")

# ---- the compiler ----

M("it fails", "runtime-compiler-fails", "who waited gets the message", "compile/turn.c", "    write_failure(end->failed, end->why);\n", "    ;\n")
M("it fails", "runtime-compiler-fails", "the log is kept", "compile/log.c", "  if (rename(log, kept) == 0)\n    return kept;\n", "")
M("it hangs", "compile-timeout", "SIGKILL behind the deadline", "compile/child.c", "out_of_time && late > TERM_GRACE ? SIGKILL : SIGTERM", "SIGTERM")
M("it hangs", "compile-timeout", "the deadline", "compile/child.c", "  if (late < 0)\n    return;\n", "  return;\n")
M("it prints 100 MB", "compile-log-long", "the log is shortened", "compile/log.c", "  shorten(log);\n", "")
M("it vanishes", "runtime-second-process", "an entry is looked for before a compiler", "runtime/ck_jit_blob.c", "  void *handle = ckjit_load_entry(w, error);\n", "  void *handle = NULL;\n", "runtime/ck_jit_flight.c", "ckjit_has_entry(w) || ", "")
M("it vanishes", "runtime-compiler-fails", "what the user names is what is used", "compile/find_compiler.c", "  if (named) /* What", "  if (!t->compiler)\n    t->compiler = look_for(kind, by_default);\n  if (t->compiler) {\n    t->kind = compiler_meant(kind, t->compiler);\n    return true;\n  }\n  if (named) /* What")
M("it vanishes", "runtime-compile-errors", "the error lists the places searched", "compile/find_compiler.c", "    *err = not_found(kind, by_default);", "    *err = xstrdup(\"not found\");")
M("a fragment that a kernel needs", "fragments-damaged", "the seal of an object", "compile/object.c", " && !ckjit_seal_check(fd, (uint64_t)st.st_size);", ";")
M("a fragment that a kernel needs", "fragments-damaged", "the build id of an object", "compile/object.c", "               memcmp(id, f->id, sizeof id) == 0 && ", "               ")
M("a fragment that a kernel needs", "fragments-damaged", "no link is followed to an object", "compile/object.c", "O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY", "O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY")
M("a fragment that a kernel needs", "fragments-changed", "a fragment's inputs are checked", "compile/parts.c", "compile_inputs_check(", "1 || compile_inputs_check(")
M("it is killed while it compiles a fragment", "fragments-killed", "the keeper removes the directory", "compile/keeper.c", "  if (in_force)\n    dir_remove(shared->names[in_force - 1]);\n", "")
M("it leaves a daemon behind", "compile-daemon", "the daemon does not hold the lock", "core/cache/lock.c", "O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600", "O_RDWR | O_CREAT | O_NOFOLLOW, 0600")
M("it leaves a daemon behind", "compile-daemon", "what has a session of its own is left alone", "compile/keeper.c", "    if (pid <= 0 || getsid(pid) != getsid(0))", "    if (pid <= 0)")
M("it succeeds and makes nothing", "runtime-bad-blob", "a function that is not there", "runtime/ck_jit_blob.c", "  if (address)\n    return address;\n", "  if (address || !name)\n    return address ? address : (void *)abort;\n", "runtime/ck_jit_blob.c", "#include <link.h>\n", "#include <link.h>\n#include <stdlib.h>\n")
M("it succeeds and makes nothing", "runtime-compile-errors", "the build id of what was made", "compile/place.c", "  if (!wrong && memcmp(id, t->id, sizeof id) != 0)\n", "  if (false)\n")
M("it succeeds and makes nothing", "runtime-compile-errors", "what was made is a shared object", "compile/place.c", "  const char *wrong = fstat(fd, &st) ? \"cannot be examined\" : ckjit_elf_read(fd, (uint64_t)st.st_size, id);", "  const char *wrong = fstat(fd, &st) ? \"cannot be examined\" : NULL;\n  memcpy(id, t->id, sizeof id);")
M("its precompiled headers", "compile-pch-stale", "the headers' content", "compile/pch.c", "hash_headers(list + at, false, found) && strcmp(wanted, found) == 0 &&", "")
M("its precompiled headers", "compile-pch-stale", "a header that must not be there", "compile/pch.c", "      same = access(name, F_OK) != 0;", "      ;")
M("its precompiled headers", "compile-pch-damaged", "its content", "compile/pch.c", " &&\n      is_the_file(p->file, size, hash);", ";")
M("its precompiled headers", "compile-pch-damaged", "writable by others", "compile/pch.c", "ckjit_owner_check(", "0 && ckjit_owner_check(")
M("its precompiled headers", "compile-pch-once", "one process makes it", "compile/pch.c", "  if (is_current(p))\n    p->state = PCH_READY;\n  else if (!waited)\n", "  if (true)\n")

# ---- the link of a library of blobs ----

M("a forwarding unit does not compile", "postbuild-parted", "only the blobs to blame", "postbuild/part.c", "      if (open[i].n == 1) {", "      if (true) {")
M("a forwarding unit does not compile", "postbuild-parted", "a warning names them", "postbuild/compile.c", "  if (l->refused.n)\n    warn(", "  if (false)\n    warn(")
M("a forwarding unit does not compile", "postbuild-ahead-of-time", "it is compiled again without them", "postbuild/compile.c", "      if (steps[k].status && u->units[k].nblobs) {", "      if (false) {")
M("a rewritten dispatcher does not compile", "postbuild-dispatcher-plainer", "less far", "postbuild/compile.c", "    d->level = d->stats.tables ? DISPATCH_ERASED : DISPATCH_TEXT;", "    d->level = DISPATCH_TEXT;")
M("a rewritten dispatcher does not compile", "postbuild-dispatcher-plainer", "not at all", "postbuild/compile.c", "  while (s->status && (d->stats.tables || d->stats.helpers)) {", "  while (s->status && d->stats.tables) {")
M("a dispatcher does not compile as a copy", "postbuild-dispatcher-recorded", "its recorded command", "postbuild/compile.c", "  link_record_dispatcher(l, d);\n  step_free(s);\n", "  if (why)\n    step_fail(s);\n  step_free(s);\n")
M("a dispatcher does not compile as a copy", "postbuild-dispatcher-recorded", "the warning", "postbuild/compile.c", "  warn(\"%s: this dispatcher is compiled as the build compiles it: %s\", d->record->source, why);\n", "")
M("the compiler makes something of a forwarding unit", "postbuild-dispatcher-recorded", "its blobs are compiled ahead of time", "postbuild/compile.c", "  if (unit_symbols(un, k, &err))\n    return;\n", "  if (unit_symbols(un, k, &err) || err)\n    return;\n")
M("the compiler makes something of a forwarding unit", "postbuild-dispatcher-recorded", "the warning", "postbuild/compile.c", "    link_refuse(l, un, un->blobs[un->nblobs - 1],\n                xasprintf(\"the object", "    unit_drop(un, un->blobs[un->nblobs - 1],\n                xasprintf(\"the object")
M("the runtime or the tables do not compile", "postbuild-stock", "what ckjit adds does not compile", "postbuild/runtime.c", "      link_as_stock(l, xasprintf(\"%s, which", "      die(EXIT_FAILED, \"%s\", xasprintf(\"%s, which")
M("the runtime or the tables do not compile", "postbuild-stock", "the linker refuses what ckjit adds", "postbuild/output.c", "job.status && !l->stock ? our_fault(l, &job.output) : NULL;", "false ? our_fault(l, &job.output) : NULL;")
M("the runtime or the tables do not compile", "postbuild-stock", "the warning", "postbuild/stock.c", "  warn(\"%s: it is made as without ckjit, with no kernel lazy: %s\", l->line.output, why);\n", "")
M("a function of a blob is defined nowhere", "postbuild-holes", "the warning", "postbuild/output.c", "  if (h.names.n)\n    warn(", "  if (false)\n    warn(")
M("a function of a blob is defined nowhere", "postbuild-holes", "a library of the link has it", "postbuild/output.c", "    ccargs_link_files(&l->line.scan, fill_holes, &h);", "    (void)fill_holes;")
M("a mistake of the build's own", "postbuild-stock", "nothing is compiled before the same error", "postbuild/output.c", "    if (blames_us(l, line, n))", "    if (blames_us(l, line, n) || n)")
M("a mistake of the build's own", "postbuild-errors", "a source that is gone", "postbuild/blob.c", "    die(EXIT_FAILED, \"%s: cannot read the source of the stub object", "    warn(\"%s: cannot read the source of the stub object")
M("a blob needs a function that a sibling", "postbuild-needs", "a function", "postbuild/needs.c", "  for (size_t i = 0; i < 2; i++)\n    for (size_t k = 0; k < lists", "  for (size_t i = 0; i < 0; i++)\n    for (size_t k = 0; k < lists")
M("a blob needs a function that a sibling", "postbuild-needs", "a kernel", "postbuild/needs.c", "  if (s->kernels.n)\n    argv_add_all", "  if (false)\n    argv_add_all")
M("namespaces that one blob alone", "postbuild-namespaces", "those that it opens", "postbuild/forward.c", "  write_namespaces(r);\n  struct buf *out", "  (void)write_namespaces;\n  struct buf *out")
M("namespaces that one blob alone", "postbuild-namespaces", "declarations of its own names", "postbuild/forward.c", "    if (own == USING_NOT_THERE)\n      continue;\n", "")

# ---- the build ----

M("two commands in one work directory", "build-locked", "the lock", "driver/worklock.c", "  if (flock(fd, LOCK_EX | LOCK_NB) == 0)", "  if (true)")
M("SIGKILL of `ckjit-build full`", "build-locked", "the lock lasts as long as the build", "driver/run.c", "  work_lock_share(true); /*", "  /*")
M("SIGKILL of `ckjit-build full`", "build-locked", "who waited goes on", "driver/worklock.c", "  while (flock(fd, LOCK_EX))\n", "  while (flock(fd, LOCK_EX | LOCK_NB))\n")
M("a work directory was used with", "build-changed", "what is left is removed", "driver/workdir.c", "  char *why = built_difference(was, &f->facts, \"contents\");", "  char *why = NULL;")
M("a work directory was used with", "build-changed", "a compiler is its files", "driver/built.c", "  add_toolchain(facts, \"compiler-files\", f, f->tools.compiler, f->tools.kind, first);\n", "")
M("a work directory was used with", "build-changed", "what is not built now is not listed", "driver/full.c", "        *built += !stays;", "        *built += 1;")
M("a work directory was used with", "build-changed", "what is of another build is not installed", "driver/built.c", "    if (difference)\n      die(", "    if (false)\n      die(")
M("a file of the checkout has other contents", "build-changed", "contents are compared", "driver/checkout.c", "    if (!same_content && same_stamp)\n      return false;\n", "")
M("the work directory is the checkout", "mistakes-build", "it is the checkout", "driver/workdir.c", "  if (is_same_file(f->tmp, f->aiter))", "  if (false)", "driver/workdir.c", "  if (is_above(f->tmp, f->aiter))", "  if (false)")
M("the work directory is the checkout", "build-in-checkout", "it holds the checkout", "driver/workdir.c", "  if (is_above(f->tmp, f->aiter))", "  if (false)")
M("work directories, fake homes", "build-in-checkout", "work directories", "driver/checkout.c", "{WORK_LOCK_FILE, HOME_FILE, (\"home/\" HOME_FILE), RECORD_FILE,\n", "{HOME_FILE,\n")
M("work directories, fake homes", "build-in-checkout", "fake homes", "driver/checkout.c", "{WORK_LOCK_FILE, HOME_FILE, (\"home/\"", "{WORK_LOCK_FILE, (\"home/\"")
M("work directories, fake homes", "build-in-checkout", "install trees", "driver/checkout.c", "\n                                      \"ck_jit_manifest.json\"};", "};")
M("an empty value", "mistakes-build", "an empty option", "core/base/options.c", "  if (!*value)\n    die(EXIT_USAGE, \"%s: expected a name", "  if (false)\n    die(EXIT_USAGE, \"%s: expected a name")
M("an empty value", "empty-values", "an empty variable", "core/base/env.c", "  return value && *value ? value : NULL;", "  return value;")

# ---- the host process ----

M("SIGCHLD ignored", "runtime-host-signals", "the compiler's signals are the default", "runtime/ck_jit_spawn.c", "POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK", "POSIX_SPAWN_SETSIGMASK")
M("SIGCHLD ignored", "runtime-host-signals", "the compiler's mask is empty", "runtime/ck_jit_spawn.c", "POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK", "POSIX_SPAWN_SETSIGDEF")
M("SIGCHLD ignored", "runtime-host-signals", "a status that nobody knows is no failure", "runtime/ck_jit_spawn.c", "    *status = CKJIT_STATUS_UNKNOWN;", "    *status = 1 << 8;")
M("children of its own", "runtime-host-children", "only our own child is waited for", "runtime/ck_jit_spawn.c", "    waited = waitpid(pid, status, 0);", "    waited = waitpid(-1, status, 0);")
M("children of its own", "runtime-host-children", "our child is waited for", "runtime/ck_jit_spawn.c", "    waited = waitpid(pid, status, 0);", "    waited = pid, *status = 0;")
M("512 threads", "runtime-host-threads", "one compile for all threads", "runtime/ck_jit_flight.c", "  while (f && (f->blob != blob || f->kernel != kernel))\n    f = f->next;\n  *new", "  f = NULL;\n  *new")
M("512 threads", "runtime-host-threads", "a small stack", "runtime/ck_jit_fail.c", "enum { CKJIT_MESSAGE_MAX = 24 * 1024 };", "enum { CKJIT_MESSAGE_MAX = 240 * 1024 };", "runtime/ck_jit_spawn.c", "enum { CKJIT_OUTPUT_KEPT = 16 * 1024 };", "enum { CKJIT_OUTPUT_KEPT = 160 * 1024 };")
M("512 threads", "runtime-threads", "one compile for all threads, in the process and of all", "runtime/ck_jit_flight.c", "  while (f && (f->blob != blob || f->kernel != kernel))\n    f = f->next;\n  *new", "  f = NULL;\n  *new", "compile/turn.c", "  if (entry_is_there(t))\n    return TURN_READY;\n  if (!*after", "  if (!*after")
M("LD_PRELOAD, LD_AUDIT", "runtime-host-environment", "LD_PRELOAD is kept from the compiler", "runtime/ck_jit_spawn.c", '"LD_PRELOAD=",   ', "")
M("LD_PRELOAD, LD_AUDIT", "runtime-host-environment", "LD_AUDIT is kept from the compiler", "runtime/ck_jit_spawn.c", '"LD_AUDIT=",      ', "")
M("LD_PRELOAD, LD_AUDIT", "runtime-host-environment", "HWASAN_OPTIONS is kept from the compiler", "runtime/ck_jit_spawn.c", ', "HWASAN_OPTIONS="', "")
M("closed standard streams", "runtime-host-streams", "ckjit-compile opens what is closed", "compile/main.c", "    if (fcntl(fd, F_GETFD) < 0 && open(\"/dev/null\", O_RDWR) < 0)\n      exit(EXIT_FAILED);\n", "    ;\n")
M("closed standard streams", "runtime-host-streams", "no pipe is a standard stream", "runtime/ck_jit_spawn.c", "    end[i] = error ? -1 : fcntl(raw[i], F_DUPFD_CLOEXEC, 3);", "    end[i] = raw[i];", "runtime/ck_jit_spawn.c", "  close(raw[0]);\n  close(raw[1]);\n", "")
M("chdir after the library", "runtime-host-directory", "the library's place is the dynamic linker's", "runtime/ck_jit_place.c", "  if (info.dli_fname[0] == '/') {", "  if (true) {")
M("chdir after the library", "runtime-host-directory", "a relative cache counts from the directory at the call", "runtime/ck_jit_place.c", "  char *cwd = *path == '/' ? NULL : getcwd(NULL, 0);", "  char *cwd = NULL;")
M("chdir after the library", "runtime-host-directory", "a directory that is gone", "compile/main.c", "  if (!cwd && chdir(\"/\"))\n    exit(EXIT_FAILED);\n", "  if (!cwd)\n    exit(EXIT_FAILED);\n")
M("fork before, after", "runtime-host-fork", "the mutex at a fork", "runtime/ck_jit_lock.c", "    ckjit_capture_lock();\n    ckjit_lock();\n", "", "runtime/ck_jit_lock.c", "  ckjit_unlock();\n  ckjit_capture_unlock();\n", "")
M("fork before, after", "runtime-host-fork", "the child has no flights of the parent's threads", "runtime/ck_jit_lock.c", "  ckjit_flights_forget();\n", "")
M("dlclose and dlopen", "runtime-host-reload", "the handler of fork goes with the library", "runtime/ck_jit_lock.c", "pthread_atfork(ckjit_before_fork, ckjit_after_fork_parent, ckjit_after_fork_child)", "__register_atfork(ckjit_before_fork, ckjit_after_fork_parent, ckjit_after_fork_child, NULL)", "runtime/ck_jit_lock.c", "static int ckjit_fork_prepared;  ", "int __register_atfork(void (*)(void), void (*)(void), void (*)(void), void *);\nstatic int ckjit_fork_prepared;  ")
M("dlclose and dlopen", "runtime-two-libraries", "another file of the same name", "runtime/ck_jit_load.c", "enum { SPELLINGS = 8 };", "enum { SPELLINGS = 1 };")
M("two ckjit libraries", "runtime-host-flags", "another library's entry", "abi/ck_jit_entry.h", "state == CKJIT_ENTRY_OTHER && memcmp(have, want, sizeof have) == 0 ? CKJIT_ENTRY_HIT", "state == CKJIT_ENTRY_OTHER ? CKJIT_ENTRY_HIT", "runtime/ck_jit_load.c", "m.found && memcmp(m.id, want, sizeof m.id) == 0", "m.found")
M("two ckjit libraries", "runtime-two-libraries", "what was mapped is looked at", "runtime/ck_jit_load.c", "m.found && memcmp(m.id, want, sizeof m.id) == 0", "m.found")
M("a kernel called by a library's constructor", "runtime-host-constructor", "nobody loads with the mutex held", "runtime/ck_jit_lookup.c", "  void *handle = ckjit_load(path, number, w->id, why);", "  ckjit_lock();\n  void *handle = ckjit_load(path, number, w->id, why);\n  ckjit_unlock();", "runtime/ck_jit_lookup.c", '#include "ck_jit_load.h"\n', '#include "ck_jit_load.h"\n#include "ck_jit_lock.h"\n')
M("any malloc", "runtime-host-faults", "no memory for a flight", "runtime/ck_jit_flight.c", "    if (!f)\n      return NULL;\n", "")
M("any malloc", "runtime-host-limits", "a pipe's end is closed where the other cannot be had", "runtime/ck_jit_spawn.c", "  if (error && end[0] >= 0)\n    close(end[0]);\n", "")
M("set-user-ID", "runtime-secure", "variables of the runtime", "runtime/ck_jit_settings.c", "secure_getenv(name)", "getenv(name)")
M("set-user-ID", "runtime-secure", "variables of the programs", "core/base/env.c", "secure_getenv(", "getenv(")
M("set-user-ID", "runtime-secure", "variables of the compiler", "compile/main.c", "    clearenv(); /* the compiler reads more of it than we do */\n", "    ;\n", "runtime/ck_jit_spawn.c", "  if (getauxval(AT_SECURE))\n    all = NULL;\n", "")
M("set-user-ID", "runtime-secure", "a set-group-ID program loads nothing of its user's", "runtime/ck_jit_place.c", "  if (!getauxval(AT_SECURE) || geteuid() != getuid() || geteuid() == 0)\n", "  if (true)\n")
M("no memfd, no O_TMPFILE", "runtime-unlinked-place", "without memfd", "runtime/ck_jit_unlinked.c", "  if (fd < 0 && set)\n    fd = ckjit_unlinked_in(set);\n  for (size_t i = 0; i < sizeof dirs / sizeof *dirs && fd < 0; i++)\n    fd = ckjit_unlinked_in(dirs[i]);\n", "")
M("no memfd, no O_TMPFILE", "runtime-unlinked-place", "without O_TMPFILE", "runtime/ck_jit_unlinked.c", "  int named = mkostemp(name, O_CLOEXEC);", "  int named = -1;")
M("no memfd, no O_TMPFILE", "runtime-unlinked-place", "mounted noexec", "runtime/ck_jit_unlinked.c", "  if (code != MAP_FAILED) {\n    munmap(code, 1);\n    return high;\n  }", "  if (high >= 0)\n    return high;")

M("libckjit.so's handles", "api-lifetime", "a batch is of the process that began it", "api/batch.c", "  if (b->process != getpid())\n    return fail(error, CKJIT_E_INVALID,\n                \"ckjit_batch_wait", "  if (false)\n    return fail(error, CKJIT_E_INVALID,\n                \"ckjit_batch_wait")
M("libckjit.so's handles", "api-lifetime", "a handle keeps its library", "api/library.c", "  bool last = --l->owners == 0;", "  bool last = --l->owners <= 1;")
M("libckjit.so's handles", "api-compile", "a handle lives on when its entry goes", "runtime/ck_jit_lookup.c", "  uint64_t number = ckjit_memory_off() && stat(path, &st) == 0 ? st.st_ino : 0;", "  uint64_t number = 0;\n  unlink(path);")
M("libckjit.so and first calls at once", "api-tsan", "a batch's mutex", "api/batch.c", "  pthread_mutex_lock(&b->mutex);\n  while (b->cancelled", "  while (b->cancelled", "api/batch.c", "    tell(b, CKJIT_EVENT_STARTED, *index);\n  }\n  pthread_mutex_unlock(&b->mutex);\n", "    tell(b, CKJIT_EVENT_STARTED, *index);\n  }\n")
M("libckjit.so and first calls at once", "api-tsan", "a slot is written atomically", "runtime/ck_jit_table.c", "  void *handle = ckjit_memory_off() ? NULL : __atomic_load_n(&ckjit_handles[blob], __ATOMIC_ACQUIRE);", "  void *handle = ckjit_memory_off() ? NULL : ckjit_handles[blob];")

# ---- many at once ----

M("16 processes of 32 threads", "runtime-stampede", "nobody waits for another kernel's compile", "runtime/ck_jit_flight.c", "  while (f && (f->blob != blob || f->kernel != kernel))\n    f = f->next;\n  *new", "  *new")
M("16 processes of 32 threads", "runtime-stampede", "one compile for each key", "core/cache/lock.c", "    enum lock_state state = take_file(fd, path, how, waited);", "    enum lock_state state = LOCK_OURS;\n    (void)take_file;")
M("a compile fails while many wait", "runtime-stampede", "who waited gets the message", "compile/turn.c", "    write_failure(end->failed, end->why);\n", "    ;\n")
M("the cache is cleaned", "soak", "a key has the headers", "core/cache/key.c", "  part_text(&h, headers);\n", "")

M("a compile fails while many wait", "runtime-compiler-fails", "who waited gets the message", "compile/turn.c", "    write_failure(end->failed, end->why);\n", "    ;\n")
M("CK_JIT_CACHE_MAX_SIZE, CK_JIT_CACHE_MAX_FILES", "cache-capacity", "least recently used first", "core/cache/cachedir.c", "    return x->tv_sec < y->tv_sec ? -1 : 1;\n  return (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);", "    return x->tv_sec > y->tv_sec ? -1 : 1;\n  return (x->tv_nsec < y->tv_nsec) - (x->tv_nsec > y->tv_nsec);")
M("CK_JIT_CACHE_MAX_SIZE, CK_JIT_CACHE_MAX_FILES", "cache-capacity", "a use counts", "runtime/ck_jit_lookup.c", "  if (handle && dir == &w->cache)\n    utimensat(AT_FDCWD, path, NULL, AT_SYMLINK_NOFOLLOW);\n", "")
M("CK_JIT_CACHE_MAX_SIZE, CK_JIT_CACHE_MAX_FILES", "cache-capacity", "none that a process has loaded", "core/cache/cachedir.c", "is_mapped(&mapped, item->inode) ||", "")
M("CK_JIT_CACHE_MAX_SIZE, CK_JIT_CACHE_MAX_FILES", "cache-capacity", "none that was just made", "core/cache/cachedir.c", "(keep && strcmp(path_base(item->path), keep) == 0) || ", "", "core/cache/cachedir.c", "used_since(item) || ", "")

# ---- keys ----

M("over a hundred changes", "keys-matrix", "a key has the source", "core/cache/key.c", "  part(&h, digest, 32);\n", "")
M("over a hundred changes", "keys-matrix", "a key has the flags", "core/cache/key.c", "  part_text(&h, flags);\n", "")
M("over a hundred changes", "keys-matrix", "a key has the headers", "core/cache/key.c", "  part_text(&h, headers);\n", "")
M("over a hundred changes", "keys-matrix", "a key has the link", "core/cache/key.c", "  part_text(&h, link);\n", "")
M("over a hundred changes", "keys-matrix", "a key has the compiler", "core/cache/key.c", "  part_text(&h, compiler);\n", "")
M("if a source or header", "keys-at-compile", "what was changed is refused", "compile/main.c", "  if (!cached && !check_inputs(t, err))\n    return false;\n", "  if (!cached)\n    check_inputs(t, err);\n")

M("two versions of a library", "runtime-two-installs", "a name that is taken", "compile/place.c", "  return state == CKJIT_ENTRY_HIT || state == CKJIT_ENTRY_DAMAGED;", "  return true;")
M("two architectures", "runtime-arch", "the GPUs of this machine", "abi/ck_jit_arch.h", "    ckjit_arch_present(present);", "    ;")
M("two architectures", "runtime-arch", "CK_JIT_ARCH", "abi/ck_jit_arch.h", "  if (wanted && *wanted) {", "  if (false) {")
M("two users", "runtime-users", "another user's directory", "abi/ck_jit_cachedir.h", "  if (st.st_uid != geteuid())\n    return \"belongs to another user; set", "  if (false)\n    return \"belongs to another user; set")
M("two users", "runtime-users", "the mode of a new directory", "runtime/ck_jit_place.c", "mkdir(path, 0700)", "mkdir(path, 0755)")
M("an entry that was truncated", "runtime-damaged-entry", "the seal", "abi/ck_jit_entry.h", "  return why ? why : ckjit_seal_check(fd, (uint64_t)st.st_size);", "  return why;")
M("an entry that was truncated", "unit-seal", "the hash of the seal", "abi/ck_jit_seal.h", "  if (!ckjit_xxh64(fd, seal.size, &hash) || hash != seal.hash)\n", "  if (!ckjit_xxh64(fd, seal.size, &hash))\n")

# ---- files and trust ----

M("cache directory of another user", "cache-directory", "open to others", "abi/ck_jit_cachedir.h", "  return st.st_mode & 077 ? ckjit_open_why(dir, &st) : NULL;", "  return NULL;")
M("cache directory of another user", "cache-directory", "a symbolic link", "abi/ck_jit_cachedir.h", "    return errno == ENOENT ? \"is not there\" : \"cannot be examined; set CK_JIT_CACHE_DIR to another directory\";\n  if (S_ISLNK(st.st_mode))", "    return errno == ENOENT ? \"is not there\" : \"cannot be examined; set CK_JIT_CACHE_DIR to another directory\";\n  stat(dir, &st);\n  if (S_ISLNK(st.st_mode))")
M("cache directory of another user", "cache-directory", "another user's", "abi/ck_jit_cachedir.h", "  if (st.st_uid != geteuid())\n    return \"belongs to another user; set", "  if (false)\n    return \"belongs to another user; set")
M("entries of another user", "runtime-refused-entry", "writable by others", "abi/ck_jit_trust.h", "  if (st->st_mode & (S_IWGRP | S_IWOTH))\n", "  if (false)\n")
M("entries of another user", "runtime-refused-entry", "another user's", "abi/ck_jit_trust.h", "  if (!ckjit_owner_is_trusted(st))\n    return \"belongs to another user\";\n  if (st->st_mode & (S_IWGRP", "  if (st->st_mode & (S_IWGRP")
M("entries of another user", "runtime-refused-entry", "symbolic links", "abi/ck_jit_entry.h", "O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY", "O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY")
M("entries of another user", "runtime-refused-entry", "FIFOs", "abi/ck_jit_entry.h", "O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY", "O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY")
M("the tree, ckjit-compile or compiler", "runtime-foreign", "another user's part of a path", "abi/ck_jit_trust.h", "  if (!ckjit_owner_is_trusted(st))\n    return \"belongs to another user\";\n  if (S_ISLNK", "  if (S_ISLNK")
M("the tree, ckjit-compile or compiler", "trust-paths", "a sticky directory", "abi/ck_jit_trust.h", "  if (in_sticky && !S_ISDIR(st->st_mode))\n", "  if (false)\n")
M("CK_JIT_CACHE_READONLY_DIR", "cache-readonly", "trusted", "abi/ck_jit_cachedir.h", "  return S_ISDIR(st.st_mode) ? ckjit_owner_check(&st) : \"is not a directory\";", "  return NULL;")
M("CK_JIT_CACHE_READONLY_DIR", "cache-readonly", "never written to", "runtime/ck_jit_lookup.c", "  if (handle && dir == &w->cache)\n", "  if (handle)\n")
M("CK_JIT_CACHE_READONLY_DIR", "cache-readonly", "used", "runtime/ck_jit_lookup.c", "  void *handle = ckjit_load_from(w, &w->readonly, &why);", "  void *handle = NULL;")
M("file systems: full", "cache-filesystem", "without rename flags and hard links", "compile/place.c", "    if (rename(file, keyed))\n", "    if (link(file, keyed))\n")
M("file names with quotes", "names-quotes", "quotes are quoted", "core/base/argv.c", "isspace((unsigned char)*s) || *s == '\\\\' || *s == '\"' || *s == '\\'')", "isspace((unsigned char)*s) || *s == '\\\\')")
M("file names with quotes", "names-spaces", "blanks are quoted", "core/base/argv.c", "    if (isspace((unsigned char)*s) || ", "    if (")
M("file names with quotes", "names-newline", "a newline in a line", "core/base/oneline.c", "    if (*text == '\\n' || *text == '\\\\')\n      buf_putc(out, '\\\\');\n    buf_putc(out, *text == '\\n' ? 'n' : *text);", "    buf_putc(out, *text);")
M("arbitrary command lines", "wrapper-mutations", "an option that makes more files", "core/cc/gnuoptions.c", "  {\"-save-temps\", JOINED, SIDE, 0},\n", "")
M("memory and descriptors", "valgrind-compile", "the path of a lock is freed", "compile/turn.c", "  free(turn->path);\n", "")
M("memory and descriptors", "valgrind-compile", "the descriptor of an entry is closed", "compile/place.c", "    done = true;\n  close(fd);\n", "    done = true;\n")
M("the file of CK_JIT_CAPTURE", "capture-errors", "what is no capture is left alone", "runtime/ck_jit_capture_file.c", "  } else if (memchr(text, 0, old.len) || (*text && strncmp(text, head, head_len) != 0)) {", "  } else if (false) {")
M("many processes and threads capture", "capture-counts", "the file is locked", "runtime/ck_jit_capture_file.c", "flock(", "0 && flock(")
M("an installed library knows nothing", "install-no-places", "the section of names is cleared", "driver/deploy.c", "    if (!build_places_clear(copy, &err))\n      give_up", "    if (false && !build_places_clear(copy, &err))\n      give_up")
