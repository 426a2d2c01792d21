# make            programs into build/bin, laid out as make install lays out PREFIX
# make check      installs the tools that the tests need (as root, Debian or Ubuntu), then runs every test
# make demo       examples/mini-aiter end to end
# make bench      the figures of README.md, as ratios
# make install    PREFIX=/usr/local DESTDIR=
CC = gcc
CFLAGS = -O2 -g
WARN = -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Werror
PREFIX = /usr/local
DESTDIR =
B = build
INC = -I.

LIBS = -lyaml -ljansson -luv -lb2

# One list a program: the modules it is made of.
CORE_TOOLS = $(patsubst %.c,$(B)/obj/%.o,$(wildcard core/*.c))
WRAP = $(patsubst %.c,$(B)/obj/%.o,$(wildcard wrapper/wrap*.c) $(addprefix core/,base.c path.c argv.c home.c record.c stubobj.c elf.c ccargs.c cxxlex.c cxxscan.c deps.c))
BUILD = $(patsubst %.c,$(B)/obj/%.o,$(wildcard wrapper/build*.c)) $(CORE_TOOLS)
LINK = $(patsubst %.c,$(B)/obj/%.o,$(wildcard postbuild/*.c)) $(CORE_TOOLS)
COMPILE = $(patsubst %.c,$(B)/obj/%.o,$(wildcard runtime/compile*.c)) $(CORE_TOOLS)
PREBUILD = $(patsubst %.c,$(B)/obj/%.o,$(wildcard runtime/prebuild*.c)) $(CORE_TOOLS)

PROGRAMS = $(B)/bin/ckjit-build $(B)/bin/ckjit-prebuild $(B)/bin/ckjit-compile $(B)/libexec/ckjit/ckjit-wrap $(B)/libexec/ckjit/ckjit-link
SHARED = $(patsubst share/%,$(B)/share/ckjit/%,$(wildcard share/profiles/*.yaml)) \
         $(patsubst %,$(B)/share/ckjit/%,$(wildcard runtime/ck_jit_*))

all: $(PROGRAMS) $(SHARED)

# The wrapper starts thousands of times in one build: static, so that it starts at the speed of exec.
$(B)/libexec/ckjit/ckjit-wrap: $(WRAP)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -static -o $@ $^
$(B)/libexec/ckjit/ckjit-link: $(LINK)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)
$(B)/bin/ckjit-build: $(BUILD)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)
$(B)/bin/ckjit-prebuild: $(PREBUILD)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)
$(B)/bin/ckjit-compile: $(COMPILE)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

$(B)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(WARN) $(CFLAGS) $(INC) -MMD -MP -c $< -o $@
$(B)/share/ckjit/%: share/%
	@mkdir -p $(@D)
	cp $< $@
$(B)/share/ckjit/runtime/%: runtime/%
	@mkdir -p $(@D)
	cp $< $@

-include $(shell find $(B)/obj -name '*.d' 2>/dev/null)
.PHONY: all
