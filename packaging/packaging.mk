# packaging.mk - what ckjit is distributed as: make wheel, make deb, make tarball, make te-dropin. The Makefile includes it.
#
# All go by what `make` makes and `make install` installs: a new program, profile or manual page is in each of them without a line here.

# The time that everything in a package has: of the last commit, unless whoever builds it says another.
SOURCE_DATE_EPOCH ?= $(or $(shell git log -1 --format=%ct 2>/dev/null),$(shell stat -c %Y core/base/base.h))
export SOURCE_DATE_EPOCH

# What packages are made with, looked for before anything is compiled.
wheel_needs = python3 readelf
deb_needs = dpkg dpkg-deb objdump strip gzip md5sum
$(foreach goal,$(filter wheel deb,$(MAKECMDGOALS)),$(foreach p,$($(goal)_needs),$(if $(shell command -v $p),,$(error `make $(goal)` needs $p, which is not here; test/install-packages build installs it))))

# The project's page, for the metadata of the wheel: make wheel HOMEPAGE=https://…
HOMEPAGE ?=

# The wheel has to run on any distribution. So its programs are static, and its libckjit.so asks for no symbol that glibc 2.28 lacks
# (packaging/old_glibc.h). The two libraries that were part of glibc 2.28 are named, because in newer ones libc has what they had.
STATIC_OUT = $(B)/static
WHEEL_API = $(STATIC_OUT)/lib/libckjit.so.$(VERSION)
$(STATIC_OUT)/obj/%.o: api/%.c packaging/old_glibc.h $(B)/obj/settings
	@mkdir -p $(@D)
	$(call say,cc)$(CC) $(WARN) $(CFLAGS) $(MAP) $(API_CFLAGS) -include packaging/old_glibc.h $(INC) -MMD -MP -c $< -o $@
$(WHEEL_API): $(patsubst api/%.c,$(STATIC_OUT)/obj/%.o,$(wildcard api/*.c)) api/libckjit.map
	@mkdir -p $(@D)
	$(call say,link)$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(SONAME) -Wl,--version-script=api/libckjit.map -Wl,-z,nodelete \
	  -Wl,-z,defs -Wl,--build-id=none -s -o $@ $(filter %.o,$^) -Wl,--no-as-needed -l:libpthread.so.0 -l:libdl.so.2
STATIC_USERS = $(STATIC_OUT)/obj/static_users.o
$(STATIC_USERS): packaging/static_users.c $(B)/obj/settings
	@mkdir -p $(@D)
	$(call say,cc)$(CC) $(WARN) $(CFLAGS) $(MAP) -c $< -o $@
-include $(wildcard $(STATIC_OUT)/obj/*.d)

static-programs: all $(STATIC_USERS)
	@[ -n '$(STATIC)' ] || { echo 'make: these programs are static, and there is no libc.a here (or CFLAGS has a sanitizer)' >&2; exit 1; }
	@$(MAKE) --no-print-directory OUT=$(STATIC_OUT) PROGRAM_LDFLAGS='-static -s -Wl,--build-id=none $(STATIC_USERS)' programs

wheel: static-programs $(WHEEL_API)
	@rm -rf $(B)/wheel
	@$(MAKE) --no-print-directory install PREFIX= DESTDIR=$(abspath $(B))/wheel/stage >/dev/null
	@packaging/wheel.py --version $(VERSION) --homepage '$(HOMEPAGE)' --machine $(firstword $(subst -, ,$(shell $(CC) -dumpmachine))) --static $(STATIC_OUT) --library $(WHEEL_API) --soname $(SONAME) --stage $(B)/wheel/stage --out $(B)/wheel

tarball:
	@packaging/tarball $(VERSION) $(B)/tarball

# The scripts that TransformerEngine's build and CI call, and the programs, static, as they travel into its images.
DROPIN = $(B)/te-dropin/ck_jit
te-dropin: static-programs
	@rm -rf $(B)/te-dropin
	@$(MAKE) --no-print-directory install PREFIX= DESTDIR=$(abspath $(DROPIN))/ckjit >/dev/null
	@cd $(DROPIN)/ckjit && rm -rf include lib share/ckjit/doc share/ckjit/installed-directories $(filter-out share/ckjit,$(patsubst $(B)/%,%,$(wildcard $(B)/share/*)))
	@cp -r $(STATIC_OUT)/bin $(STATIC_OUT)/libexec $(DROPIN)/ckjit/
	@cp packaging/te/* LICENSE $(DROPIN)/ && echo $(DROPIN)

# Packages for Debian and Ubuntu, with the programs as they are built here: they need this release's glibc, or a newer one.
deb: all
	@rm -rf $(B)/deb
	@$(MAKE) --no-print-directory install PREFIX= DESTDIR=$(abspath $(B))/deb/stage >/dev/null
	@packaging/deb $(VERSION) $(B)/deb/stage $(B)/deb && rm -rf $(B)/deb/stage
