# make               programs, man pages and the rest into build/, laid out as make install lays out PREFIX
# make install       PREFIX=/usr/local DESTDIR=; make uninstall takes it away again
# make demo          examples/mini-aiter end to end; installs what is missing (as root, Debian or Ubuntu)
# make check         installs what its tests need, likewise, then runs them: five minutes on two processors, what every commit runs;
#                    TESTS='wrapper-* unit-*' runs some, of whatever tier
# make check-all     those and the rest of what CI runs, forty-five minutes; make check-rest: the rest alone; make check-long: by hand, hours
# make check-asan    all of check-all on programs with AddressSanitizer and UBSan, in build-asan
# make check-tsan    the runtime and the process pool under ThreadSanitizer, in build-tsan
# make fuzz          the libFuzzer targets of test/fuzz, with clang, into build-fuzz; make fuzz-run runs them one after the
#                    other, SECONDS=600 each; TARGETS='records state' some of them
# make bench         the figures of the README on small input, as ratios; make bench-full: on CK's kernels, too
# make wheel         a wheel for pip, into build/wheel; make deb: packages, into build/deb; make tarball: the source, into build/tarball
# make te-dropin     build/te-dropin/ck_jit, which takes the place of TransformerEngine's 3rdparty/ck_jit
# make pictures      the pictures of docs/pictures, anew, in Chromium: the README, a terminal
# make format        clang-format on all C; make lint: is all C formatted, are all scripts and man pages sound, is English plain
# make compile_commands.json   for clangd and clang-tidy
CC = gcc
AR = ar
CFLAGS = -O2 -g
WARN = -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Werror
PREFIX = /usr/local
DESTDIR =
B = build
# What starts a program of ours that is built for another machine: make CC=aarch64-linux-gnu-gcc AR=… RUN='qemu-aarch64 -L /usr/aarch64-linux-gnu'
RUN =
INC = -I. -DCKJIT_ANY_MACHINE
# ckjit-compile and ckjit-prebuild are copied into every installation: no name of this directory in them.
MAP = -ffile-prefix-map=$(CURDIR)=.
TESTS =
# make V=1 prints whole commands. Else what is made is counted, on a terminal in one line (test/live); of the files that are missing
# when make begins it knows how many there are.
say = $(if $(V),,@test/live count $1 $@ $(B) $(MISSING); )
MISSING = $(eval MISSING := $(words $(filter-out $(wildcard $(TO_MAKE)),$(TO_MAKE))))$(MISSING)
TO_MAKE = $(PROGRAMS) $(API) $(CORE) $(call objects,core api $(PROGRAM_ROOMS)) $(if $(filter units check%,$(MAKECMDGOALS)),$(UNITS) $(UNIT_LIB) \
  $(patsubst %.c,$(B)/test/obj/%.o,$(UNIT_SOURCES)) $(patsubst $(B)/obj/%,$(B)/test/obj/%,$(filter-out %/main.o,$(call objects,core $(PROGRAM_ROOMS)))))

# Static where there is an archive: ckjit-compile and ckjit-prebuild travel with an installation to machines that have none of
# these libraries. libuv's archive is libuv_a.a before 1.45.
archive = $(firstword $(foreach a,$(1:%=lib%.a),$(if $(findstring /,$(shell $(CC) -print-file-name=$a 2>/dev/null)),-l:$a)))
library = $(or $(call archive,$1 $2),-l$1)
LIBS = -Wl,--as-needed $(call library,yaml) $(call library,jansson) $(call library,uv,uv_a) $(call library,b2) $(call library,iberty) $(call library,zstd) $(call library,sodium) -lpthread -ldl

# The wrapper starts thousands of times in one build: static, so that it starts at the speed of exec. The sanitizers need
# the dynamic linker.
STATIC = $(if $(findstring -fsanitize,$(CFLAGS)),,$(and $(call archive,c),-static))

# A program is a directory, with all below it, and what it needs of core/.
# OUT: where they are linked. `make wheel` links them a second time, from the same objects, all of them static.
OUT = $(B)
LIBEXEC = $(OUT)/libexec/ckjit
PROGRAMS = $(OUT)/bin/ckjit $(OUT)/bin/ckjit-build $(OUT)/bin/ckjit-prebuild $(OUT)/bin/ckjit-compile $(LIBEXEC)/ckjit-wrap $(LIBEXEC)/ckjit-link $(LIBEXEC)/ckjit-nvcc $(LIBEXEC)/ckjit-unit
sources = $(sort $(wildcard $(addsuffix /*.c,$1) $(addsuffix /*/*.c,$1)))
objects = $(patsubst %.c,$(B)/obj/%.o,$(call sources,$1))
CORE = $(B)/obj/core.a
# CONTRIBUTING.md draws the rooms; test/rooms.sh holds the includes against it.
PROGRAM_ROOMS = front driver wrapper unit postbuild compile prebuild nvcc
ROOMS = $(PROGRAM_ROOMS) core abi runtime api

# libckjit.so, for programs that look into a library of ours (api/ckjit.h). Its soname has the first number of the version.
VERSION = $(shell sed -n 's/^.define CKJIT_VERSION "\(.*\)"/\1/p' core/base/base.h)
SONAME = libckjit.so.$(word 1,$(subst ., ,$(VERSION)))
API = $(B)/lib/libckjit.so.$(VERSION)
API_LINKS = $(B)/lib/libckjit.so $(B)/lib/$(SONAME)
API_CFLAGS = -fPIC -fvisibility=hidden -pthread

# The runtime's source, installed into one directory.
RUNTIME = $(wildcard runtime/ck_jit_* abi/ck_jit_*)

# The documents, which `ckjit help PAGE` prints where only ckjit is installed.
DOCUMENTS = $(wildcard docs/*.md) README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md

SHARED = $(patsubst share/%,$(B)/share/ckjit/%,$(wildcard share/profiles/*.yaml)) \
         $(patsubst %,$(B)/share/ckjit/runtime/%,$(notdir $(RUNTIME))) \
         $(patsubst docs/man/%,$(B)/share/man/man1/%,$(wildcard docs/man/*.1)) \
         $(patsubst docs/man/%,$(B)/share/man/man3/%,$(wildcard docs/man/*.3)) \
         $(patsubst docs/man/%,$(B)/share/man/man7/%,$(wildcard docs/man/*.7)) \
         $(patsubst %,$(B)/share/ckjit/doc/%,$(notdir $(DOCUMENTS))) \
         $(B)/include/ckjit.h $(B)/include/ckjit.hpp $(B)/lib/pkgconfig/ckjit.pc \
         $(B)/share/cmake/ckjit/ckjitConfig.cmake $(B)/share/cmake/ckjit/ckjitConfigVersion.cmake \
         $(foreach name,ckjit ckjit-build ckjit-prebuild,$(B)/share/bash-completion/completions/$(name) $(B)/share/fish/vendor_completions.d/$(name).fish) \
         $(B)/share/zsh/site-functions/_ckjit

# One program for each C file of test/unit, always with the sanitizers. Those that scripts use (runtime_*), they build. And
# the rewriting of dispatchers as a program, for test/dispatch-*.sh.
UNIT_SOURCES = $(filter-out test/unit/runtime_%,$(wildcard test/unit/*.c))
UNITS = $(UNIT_SOURCES:%.c=$(B)/%) $(B)/test/dispatch/rewrite
UNIT_CFLAGS = -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
UNIT_LIB = $(B)/test/obj/ckjit.a

# One target for each C file of test/fuzz. WRAP: functions for which the target has its own, __wrap_NAME.
FUZZERS = $(patsubst test/fuzz/%.c,$(B)/fuzz/%,$(wildcard test/fuzz/*.c))
FUZZ_CFLAGS = -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
TARGETS =
SECONDS = 600

C_FILES = $(wildcard $(foreach room,$(ROOMS),$(room)/*.[ch] $(room)/*/*.[ch]) $(foreach dir,unit dispatch emulated mutations fuzz,test/$(dir)/*.[ch]) bench/helpers/*.[ch] bench/helpers/*/*.[ch])
SCRIPTS = $(shell grep -lE '^(.!/bin/(ba)?sh|. shellcheck shell=)' test/* test/*/* bench/* bench/helpers/* bench/helpers/*/* examples/*/* packaging/* packaging/*/* docs/pictures/* .ci/* 2>/dev/null)

all: $(PROGRAMS) $(API) $(API_LINKS) $(SHARED)
	@test/live end $(B)
programs: $(PROGRAMS)

define link
	@mkdir -p $(@D)
	$(call say,link)$(CC) $(CFLAGS) $(LDFLAGS) $(PROGRAM_LDFLAGS) $1 -o $@ $(filter %.o %.a,$^) $2
endef
$(LIBEXEC)/ckjit-wrap: $(call objects,wrapper) $(CORE)
	$(call link,$(STATIC))
$(LIBEXEC)/ckjit-link: $(call objects,postbuild) $(CORE)
	$(call link,,$(LIBS))
$(LIBEXEC)/ckjit-nvcc: $(call objects,nvcc) $(CORE)
	$(call link,,$(LIBS))
$(LIBEXEC)/ckjit-unit: $(call objects,unit) $(CORE)
	$(call link,,$(LIBS))
$(OUT)/bin/ckjit: $(call objects,front) $(CORE)
	$(call link,,$(LIBS))
$(OUT)/bin/ckjit-build: $(call objects,driver) $(CORE)
	$(call link,,$(LIBS))
$(OUT)/bin/ckjit-prebuild: $(call objects,prebuild) $(CORE)
	$(call link,,$(LIBS))
$(OUT)/bin/ckjit-compile: $(call objects,compile) $(CORE)
	$(call link,,$(LIBS))

$(API): $(patsubst api/%.c,$(B)/obj/api/%.o,$(wildcard api/*.c)) api/libckjit.map
	@mkdir -p $(@D)
	$(call say,link)$(CC) $(CFLAGS) $(LDFLAGS) -shared -pthread -Wl,-soname,$(SONAME) -Wl,--version-script=api/libckjit.map -Wl,-z,nodelete \
	  $(if $(findstring -fsanitize,$(CFLAGS)),,-Wl,-z,defs) -o $@ $(filter %.o,$^) -Wl,--as-needed -ldl
$(API_LINKS): $(API)
	$(call say,link)ln -sf $(<F) $@
$(B)/obj/api/%.o: api/%.c $(B)/obj/settings
	@mkdir -p $(@D)
	$(call say,cc)$(CC) $(WARN) $(CFLAGS) $(MAP) $(API_CFLAGS) $(INC) -MMD -MP -c $< -o $@
$(B)/include/%: api/%
	@mkdir -p $(@D)
	$(call say,copy)cp $< $@
$(B)/lib/pkgconfig/ckjit.pc: api/ckjit.pc.in core/base/base.h
	@mkdir -p $(@D)
	$(call say,copy)sed 's/@VERSION@/$(VERSION)/' $< >$@
$(B)/share/cmake/ckjit/ckjitConfig.cmake: share/cmake/ckjitConfig.cmake
	@mkdir -p $(@D)
	$(call say,copy)cp $< $@
$(B)/share/cmake/ckjit/ckjitConfigVersion.cmake: share/cmake/ckjitConfigVersion.cmake.in core/base/base.h
	@mkdir -p $(@D)
	$(call say,copy)sed 's/@VERSION@/$(VERSION)/' $< >$@

$(CORE): $(call objects,core)
	@rm -f $@
	$(call say,ar)$(AR) rcsP $@ $^
$(B)/obj/%.o: %.c $(B)/obj/settings
	@mkdir -p $(@D)
	$(call say,cc)$(CC) $(WARN) $(CFLAGS) $(MAP) $(INC) -MMD -MP -c $< -o $@

# These have a source in them: what is linked into CUDA blobs, what stands before the tables of a dispatcher.
$(B)/obj/compile/unit/latelink.o: $(addprefix runtime/ck_jit_,cuda_kernels.c hip_kernels.c mutex.h registry.h unit_registry.h) abi/ck_jit_unit.h
$(B)/obj/compile/machinefiles.o: $(wildcard abi/*.h)
$(B)/obj/compile/unit/jitlink.o: runtime/ck_jit_cuda_link.c
$(B)/obj/front/topic.o $(B)/test/obj/front/topic.o: docs/troubleshooting.md
$(B)/obj/postbuild/dispatch/emit.o $(B)/test/obj/postbuild/dispatch/emit.o: postbuild/dispatch/prelude.hpp

# Another machine is another file, and nothing else (docs/tour.md). It is written only if it changes: the source may be read-only.
machines = $(sort $(patsubst abi/ck_jit_%.h,%,$(shell grep -l '^static const struct ckjit_machine ckjit_' abi/ck_jit_*.h)))
abi/ck_jit_machines.h: FORCE
	@{ echo '/* $(@F) - for ck_jit_machine.h: the files that define a struct ckjit_machine.'; echo ' * make writes it. */'; \
	  echo '#define CKJIT_EACH_MACHINE(M) $(strip $(foreach m,$(machines),M($m)))'; printf '#include "ck_jit_%s.h"\n' $(machines); } >$@.$$$$ && \
	  { cmp -s $@ $@.$$$$ && rm $@.$$$$ || mv $@.$$$$ $@; }

# Other flags, or a library that was installed meanwhile: everything is made again. What is missing has the name that
# Debian and Ubuntu give it.
$(B)/obj/settings: FORCE abi/ck_jit_machines.h
	@mkdir -p $(@D)
	@test/live start $(B)
	@echo '$(CC) $(WARN) $(CFLAGS) $(MAP) $(LDFLAGS) $(STATIC) $(LIBS)' | cmp -s - $@ || { \
	  command -v $(CC) >/dev/null || { echo 'make: there is no $(CC); apt-get install build-essential' >&2; exit 1; }; \
	  for need in stdio.h:libc6-dev yaml.h:libyaml-dev jansson.h:libjansson-dev uv.h:libuv1-dev blake2.h:libb2-dev libiberty/demangle.h:libiberty-dev zstd.h:libzstd-dev sodium.h:libsodium-dev; do \
	    echo "#include <$${need%:*}>" | $(CC) $(CFLAGS) -E -x c - >/dev/null 2>&1 || { missing=1; \
	      echo "make: there is no $${need%:*}; apt-get install $${need#*:}" >&2; }; \
	  done; [ -z "$$missing" ] && echo '$(CC) $(WARN) $(CFLAGS) $(MAP) $(LDFLAGS) $(STATIC) $(LIBS)' >$@; }

$(B)/share/ckjit/profiles/%: share/profiles/%
	@mkdir -p $(@D)
	$(call say,copy)cp $< $@
$(B)/share/ckjit/runtime/%: runtime/%
	@mkdir -p $(@D)
	$(call say,copy)cp $< $@
$(B)/share/ckjit/runtime/%: abi/%
	@mkdir -p $(@D)
	$(call say,copy)cp $< $@
$(B)/share/bash-completion/completions/%: share/completions/ckjit.bash
	@mkdir -p $(@D)
	$(call say,copy)cp $< $@
$(B)/share/fish/vendor_completions.d/%: share/completions/ckjit.fish
	@mkdir -p $(@D)
	$(call say,copy)cp $< $@
$(B)/share/zsh/site-functions/%: share/completions/%
	@mkdir -p $(@D)
	$(call say,copy)cp $< $@

# The ENVIRONMENT section comes from the program's own table.
$(B)/share/man/man1/%.1: docs/man/%.1 $(B)/bin/ckjit-build
	@mkdir -p $(@D)
	@$(RUN) $(B)/bin/ckjit-build --env-mdoc $(if $(findstring ckjit-build,$*),build,runtime) >$@.env
	$(call say,man)sed -e '/^\.\\" ENVIRONMENT$$/{r $@.env' -e 'd;}' $< >$@.part
	@rm $@.env && mv $@.part $@

$(B)/share/ckjit/doc/%: docs/%
	@mkdir -p $(@D)
	$(call say,copy)cp $< $@
$(B)/share/ckjit/doc/%: %
	@mkdir -p $(@D)
	$(call say,copy)cp $< $@
$(B)/share/man/man3/%: docs/man/%
	@mkdir -p $(@D)
	$(call say,copy)cp $< $@
$(B)/share/man/man7/%: docs/man/%
	@mkdir -p $(@D)
	$(call say,copy)cp $< $@

# The directories that install makes, as a list: of them, and of no others, uninstall removes those that are empty by then. Those below
# PREFIX are relative, so that the tree may be moved; PREFIX and those above it count only as long as it has that name.
DIRECTORIES = share/ckjit/installed-directories
INSTALLED = $(patsubst $(B)/%,%,$(PROGRAMS) $(API) $(API_LINKS) $(SHARED))

install: all
	@root='$(DESTDIR)$(PREFIX)' list='$(DESTDIR)$(PREFIX)/$(DIRECTORIES)'; \
	made=$$({ cat "$$list" 2>/dev/null; \
	  for d in $(sort $(dir $(INSTALLED))); do \
	    d=$${d%/}; while [ "$$d" != . ] && [ ! -d "$$root/$$d" ]; do echo "$$d"; d=$$(dirname "$$d"); done; \
	  done; \
	  d='$(PREFIX)'; while [ -n "$${d#/}" ] && [ ! -d '$(DESTDIR)'"$$d" ]; do echo "$$d"; d=$$(dirname "$$d"); done; } | LC_ALL=C sort -u); \
	install -d "$$root/$(dir $(DIRECTORIES))" && printf '%s\n' "$$made" >"$$list" && chmod 644 "$$list"
	@for f in $(patsubst $(B)/%,%,$(PROGRAMS) $(API) $(SHARED)); do \
	  case $$f in share/*|include/*|*.pc) mode=644;; *) mode=755;; esac; \
	  echo "$(DESTDIR)$(PREFIX)/$$f"; install -D -m $$mode $(B)/$$f "$(DESTDIR)$(PREFIX)/$$f" || exit; \
	done
	@for f in $(patsubst $(B)/%,%,$(API_LINKS)); do \
	  echo "$(DESTDIR)$(PREFIX)/$$f"; ln -sf $(notdir $(API)) "$(DESTDIR)$(PREFIX)/$$f" || exit; \
	done
uninstall:
	@root='$(DESTDIR)$(PREFIX)'; \
	made=$$({ cat "$$root/$(DIRECTORIES)" 2>/dev/null; printf '%s\n' share/ckjit libexec/ckjit $(filter share/ckjit/%,$(sort $(patsubst %/,%,$(dir $(INSTALLED))))); } | \
	  LC_ALL=C sort -u -r); \
	for f in $(INSTALLED) $(DIRECTORIES); do \
	  [ ! -e "$$root/$$f" ] && [ ! -L "$$root/$$f" ] || { echo "rm $$root/$$f"; rm -f "$$root/$$f" || exit; }; \
	done; \
	echo "$$made" | while read -r d; do \
	  case $$d in \
	  *..*) ;; \
	  /*) case '$(PREFIX)/' in "$$d"/*) rmdir '$(DESTDIR)'"$$d" 2>/dev/null || :;; esac;; \
	  ?*) rmdir "$$root/$$d" 2>/dev/null || :;; \
	  esac; \
	done
clean:
	rm -rf build build-asan build-tsan build-fuzz compile_commands.json

include packaging/packaging.mk

units: $(UNITS)
	@test/live end $(B)
$(UNITS): $(B)/test/%: $(B)/test/obj/test/%.o $(UNIT_LIB)
	@mkdir -p $(@D)
	$(call say,link)$(CC) $(UNIT_CFLAGS) -o $@ $^ $(LIBS)
# Everything but main(); with the paths of its members (P), because rooms may have files of one name.
$(UNIT_LIB): $(patsubst $(B)/obj/%,$(B)/test/obj/%,$(filter-out %/main.o,$(call objects,core $(PROGRAM_ROOMS))))
	@rm -f $@
	$(call say,ar)$(AR) rcsP $@ $^
$(B)/test/obj/%.o: %.c $(B)/obj/settings
	@mkdir -p $(@D)
	$(call say,cc)$(CC) $(WARN) $(UNIT_CFLAGS) $(INC) -MMD -MP -c $< -o $@

fuzzers: $(FUZZERS)
	@test/live end $(B)
$(FUZZERS): $(B)/fuzz/%: $(B)/test/obj/test/fuzz/%.o $(UNIT_LIB)
	@mkdir -p $(@D)
	$(call say,link)$(CC) $(UNIT_CFLAGS) -fsanitize=fuzzer $(WRAP:%=-Wl,--wrap=%) -o $@ $^ $(LIBS)
$(B)/fuzz/arguments: WRAP = file_read file_is_regular file_exists stub_in_file
$(B)/fuzz/stubs: WRAP = mmap munmap

# Each in a make of its own: what install-packages installed may change what LIBS is.
SUB = @$(MAKE) --no-print-directory
#
# What `make check` is given of jobs it hands on, or else one job a processor.
ALL_PROCESSORS = $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))
check: TIER = check
check-all: TIER = all
check-rest: TIER = rest
check-long: TIER = long
check check-all check-rest check-long:
	@test/install-packages $(TIER)
	$(SUB) $(ALL_PROCESSORS) all units
	@test/toolchain/nvcc $(B)/toolchain/cuda >/dev/null || :
	@set -f; B=$(B) test/run --tier $(TIER) $(TESTS)
check-asan:
	@test/install-packages all
	$(SUB) B=build-asan CFLAGS='$(UNIT_CFLAGS)' all units
	@set -f; B=build-asan SANITIZER=address,undefined test/run $(TESTS)
# gcc(1) on sanitizers: they make false warnings more likely, "most notably those around -Wmaybe-uninitialized".
TSAN_CFLAGS = -O1 -g -fsanitize=thread -Wno-maybe-uninitialized
check-tsan:
	@test/install-packages all
	$(SUB) B=build-tsan CFLAGS='$(TSAN_CFLAGS)' UNIT_CFLAGS='$(TSAN_CFLAGS)' all units
	@set -f; B=build-tsan SANITIZER=thread test/run $(or $(TESTS),runtime-* prebuild-* unit-pool)
fuzz:
	$(SUB) B=build-fuzz CC=clang UNIT_CFLAGS='$(FUZZ_CFLAGS)' fuzzers
fuzz-run: fuzz
	@B=build-fuzz test/fuzz/run $(SECONDS) $(TARGETS)
demo:
	@test/install-packages demo
	$(SUB) $(ALL_PROCESSORS) all
	@B=$(B) test/demo
pictures:
	@test/install-packages all
	$(SUB) all
	@B=$(B) docs/pictures/make.sh
bench:
	@test/install-packages bench
	$(SUB) all
	@B=$(B) bench/run
bench-full:
	@test/install-packages all
	$(SUB) all
	@B=$(B) bench/run --full

# All documents and help texts are in the English of CONTRIBUTING.md.
ENGLISH = --programs $(B)/bin

format:
	clang-format -i $(C_FILES)
lint:
	clang-format --dry-run -Werror $(C_FILES)
	printf '%s\n' $(SCRIPTS) | xargs -P $(shell nproc) -n 40 shellcheck
	$(SUB) all
	! mandoc -T lint -W warning $(B)/share/man/man?/* | grep .
	test/lint/english.py $(ENGLISH)
	test/lint/source.py

compile_commands.json:
	@for f in $(filter %.c,$(C_FILES)); do \
	  case $$f in runtime/*) inc='-Iabi -I$(<D)';; *) inc='$(INC)';; esac; \
	  printf '{"directory": "%s", "file": "%s", "command": "%s"},\n' '$(CURDIR)' $$f '$(CC) $(WARN) $(CFLAGS) '"$$inc -c $$f"; \
	done | sed -e '1s/^/[/' -e '$$s/,$$/]/' >$@

-include $(shell find $(B)/obj $(B)/test/obj -name '*.d' 2>/dev/null)
.PHONY: all programs wheel deb tarball te-dropin static-programs install uninstall clean units fuzzers check check-all check-rest check-long check-asan check-tsan fuzz fuzz-run demo pictures bench bench-full format lint compile_commands.json FORCE
.SECONDARY:
.DELETE_ON_ERROR:
