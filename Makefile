# attnspec: spectra of attention matrices. `make demo` and `make check` do everything, from missing
# packages to results; `make help` lists the rest.
VERSION := 0.1.0

VARIANT ?= release
CC      ?= cc
PKG     ?= pkg-config
B       := build/$(VARIANT)
DEPS    := .ci/deps.sh

prefix      ?= $(or $(PREFIX),/usr/local)
exec_prefix ?= $(prefix)
bindir      ?= $(exec_prefix)/bin
libdir      ?= $(exec_prefix)/lib
includedir  ?= $(prefix)/include
mandir      ?= $(prefix)/share/man

CSTD     := -std=c17 -Wall -Wextra -Wpedantic -Wshadow -Wconversion $(WERROR)
override CPPFLAGS += -Iinclude -Ilib -D_FILE_OFFSET_BITS=64 -DAS_VERSION='"$(VERSION)"' -MMD -MP

CFLAGS_release := -O3 -g
CFLAGS_clang   := -O2 -g
CFLAGS_asan    := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
CFLAGS_tsan    := -O1 -g -fsanitize=thread
CFLAGS_fuzz    := $(CFLAGS_asan) -fsanitize=fuzzer-no-link
CFLAGS_cover   := -O0 -g --coverage
CFLAGS  += $(CFLAGS_$(VARIANT))

# A library is asked of pkg-config when something is linked, not before: `make deps` may just have
# installed it. Naming NAME_LIBS by hand overrides it wholly (clusters with modules).
BLAS_PC := openblas blas
known    = $(shell for m in $2; do $(PKG) $1 $$m 2>/dev/null && break; done)
libs     = $(or $(call known,--libs,$2),$(error $1 is missing: pkg-config does not know $2. Run `make deps`, or name it: make $1_LIBS=...))
cflags   = $(if $(filter file,$(origin $1_LIBS)),$(call known,--cflags,$2))

BLAS_LIBS    ?= $(call libs,BLAS,$(BLAS_PC))
LAPACKE_LIBS ?= $(call libs,LAPACKE,lapacke)
HDF5_LIBS    ?= $(call libs,HDF5,hdf5)
JANSSON_LIBS ?= $(call libs,JANSSON,jansson)
ZLIB_LIBS    ?= $(call libs,ZLIB,zlib)
# gsl.pc names GSL's own slow BLAS, which nothing here calls.
GSL_LIBS     ?= $(filter-out -lgslcblas,$(call libs,GSL,gsl))
CHECK_LIBS   ?= $(call libs,CHECK,check)
LIBS = $(LAPACKE_LIBS) $(BLAS_LIBS) $(HDF5_LIBS) $(JANSSON_LIBS) $(ZLIB_LIBS) $(GSL_LIBS) -lpthread -ldl -lm
# Asking for LIBS too makes a missing library one sentence instead of a missing header.
FOREIGN_CFLAGS = $(if $(LIBS),)$(call cflags,BLAS,$(BLAS_PC)) $(call cflags,LAPACKE,lapacke) \
    $(call cflags,HDF5,hdf5) $(call cflags,JANSSON,jansson) $(call cflags,ZLIB,zlib) \
    $(call cflags,GSL,gsl)

LIB_OBJ  := $(patsubst %.c,$B/%.o,$(wildcard lib/*/*.c))
TOOL_OBJ := $(patsubst %.c,$B/%.o,$(wildcard tools/*.c))
TOOLS    := $(shell sed -n 's/^X.\([a-z]*\),.*/\1/p' tools/tools.def 2>/dev/null)
PROGRAMS := $B/bin/attnspec $(TOOLS:%=$B/bin/attnspec-%)
TESTS    := $(patsubst tests/%.c,$B/tests/%,$(wildcard tests/test_*.c))

all: $(PROGRAMS)

$B/libattnspec.a: $(LIB_OBJ)
	@rm -f $@
	$(AR) rcs $@ $^

$B/bin/attnspec: $(TOOL_OBJ) $B/libattnspec.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

$B/bin/attnspec-%: $B/bin/attnspec
	ln -sf attnspec $@

# Fused multiply-add: the reduction's inner loops are two thirds of it. Rounding is one step fewer.
$B/lib/spectrum/one_pass.o: CFLAGS += -ffp-contract=fast
# Inner loops of the model: what they assume of numbers is that nobody asks for errno and traps.
$B/lib/train/kernel.o $B/double/lib/train/kernel.o: CFLAGS += -ffp-contract=fast -fno-math-errno -fno-trapping-math -fopenmp-simd
# Doors alone see foreign headers' folders.
$B/lib/door/%.o: CPPFLAGS += $(FOREIGN_CFLAGS)
# The commit is in the provenance of results: what names it is built anew when it changes.
GIT := $(shell git describe --always --dirty 2>/dev/null)
$B/tools/main.o: CPPFLAGS += -DAS_GIT='"$(GIT)"'
$B/tools/main.o: $B/commit
$B/commit: FORCE
	@mkdir -p $(@D)
	@echo '$(GIT)' | cmp -s - $@ || echo '$(GIT)' >$@

$B/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(CC) $(CSTD) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

# A test that needs flags of its own has them in LDFLAGS_test_NAME, objects as prerequisites.
$B/tests/test_%: $B/tests/test_%.o $B/libattnspec.a
	$(CC) $(CFLAGS) $(LDFLAGS) $(LDFLAGS_test_$*) -o $@ $^ $(CHECK_LIBS) $(LIBS)
$B/tests/test_%.o: CPPFLAGS += $(call cflags,CHECK,check)
# The trainer once more in double precision, where gradients can be checked against differences: its
# objects stand before the library, whose own are then not taken.
DOUBLE_OBJ := $(patsubst %.c,$B/double/%.o,$(wildcard lib/train/*.c))
$B/tests/test_gradient: $B/tests/test_gradient.o $(DOUBLE_OBJ) $B/libattnspec.a
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(CHECK_LIBS) $(LIBS)
$B/tests/test_gradient.o $(DOUBLE_OBJ): CPPFLAGS += -DAS_TRAIN_REAL_TYPE=double
$B/double/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(CC) $(CSTD) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<
.SECONDARY: $(TESTS:=.o)

tests: $(TESTS)

# Installs what is missing, builds, and does the main job: real logits of two small models that are trained
# here, with and without position; what position does to their spectra, and which head carries it.
demo:
	@$(DEPS) build
	@$(MAKE) --no-print-directory all
	$B/bin/attnspec train --scheme rope -o build/demo_rope.h5 --force
	$B/bin/attnspec train --scheme nope -o build/demo_nope.h5 --force
	$B/bin/attnspec ablate build/demo_rope.h5
	$B/bin/attnspec analyze build/demo_rope.h5 build/demo_nope.h5 -o build/demo.h5 --force
	@$B/bin/attnspec report build/demo.h5
	@echo "Weights, curves, logits and ablation are in build/demo_rope.h5, the spectra of"
	@echo "the logits in build/demo.h5: open them with h5py, silx or H5Web, or run"
	@echo "  $B/bin/attnspec report build/demo.h5 --format csv"

check:
	@$(DEPS) build check
	@$(MAKE) --no-print-directory verify

asan:
	@$(DEPS) build check
	@ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1 \
	    $(MAKE) --no-print-directory verify VARIANT=asan

verify: all tests
	@tests/run.sh $B

# What training is known to show, on three seeds: minutes, so it is not a part of check.
check-training:
	@$(DEPS) build
	@$(MAKE) --no-print-directory all $B/tests/training/training
	$B/tests/training/training

$B/tests/training/training: $B/tests/training/training.o $B/libattnspec.a
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

bench:
	@$(DEPS) build bench
	@$(MAKE) --no-print-directory all $B/tests/bench/bench
	@mkdir -p build/bench
	@$B/tests/bench/bench

$B/tests/bench/bench: $(patsubst %.c,$B/%.o,$(wildcard tests/bench/*.c)) $B/libattnspec.a
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)
$B/tests/bench/%.o: CPPFLAGS += $(FOREIGN_CFLAGS)

# libFuzzer, one program a reader: raw elements have no structure that could lie. Every file of data/
# is a seed of each. The random numbers are the same each time, so that a verdict can be had again.
FUZZERS      := $(filter-out raw,$(shell sed -n 's/^X(\(.*\))$$/\1/p' lib/dump/dumps.def))
FUZZ_SECONDS ?= 30
FUZZ_FLAGS   ?= -seed=1
fuzz:
	@$(DEPS) build fuzz
	@$(MAKE) --no-print-directory VARIANT=fuzz CC=clang $(FUZZERS:%=fuzz-%)

fuzz-long:
	@$(MAKE) --no-print-directory fuzz FUZZ_SECONDS=600

$(FUZZERS:%=fuzz-%): fuzz-%: $B/tests/fuzz/fuzz_%
	@mkdir -p $B/grown/$* $B/found
	TMPDIR=$B/found $< -max_total_time=$(FUZZ_SECONDS) -timeout=60 -rss_limit_mb=2048 -max_len=65536 \
	    -verbosity=0 -print_final_stats=1 -artifact_prefix=$B/found/$*- $(FUZZ_FLAGS) $B/grown/$* data

$B/tests/fuzz/fuzz_%: $B/tests/fuzz/%.o $B/libattnspec.a
	$(CC) $(CFLAGS) -fsanitize=fuzzer $(LDFLAGS) -o $@ $^ $(LIBS)
$(FUZZERS:%=$B/tests/fuzz/%.o): $B/tests/fuzz/%.o: tests/fuzz/fuzz_dump.c Makefile
	@mkdir -p $(@D)
	$(CC) $(CSTD) $(CPPFLAGS) -DFUZZED=$* $(CFLAGS) -c -o $@ $<

deps:
	@$(DEPS) build check

deps-bench:
	@$(DEPS) bench

format:
	clang-format -i $(wildcard include/*/*.h lib/*/*.[ch] tools/*.[ch] tests/*.[ch] tests/*/*.[ch])

install: all
	install -d $(DESTDIR)$(bindir) $(DESTDIR)$(libdir)/pkgconfig $(DESTDIR)$(includedir)/attnspec \
	    $(DESTDIR)$(mandir)/man1
	install -m 755 $B/bin/attnspec $(DESTDIR)$(bindir)
	install -m 644 $B/libattnspec.a $(DESTDIR)$(libdir)
	install -m 644 include/attnspec/* $(DESTDIR)$(includedir)/attnspec
	printf '%s\n' 'Name: attnspec' 'Description: spectra of attention matrices' \
	    'Version: $(VERSION)' 'Cflags: -I$(includedir)' \
	    'Libs: -L$(libdir) -lattnspec $(LIBS)' >$(DESTDIR)$(libdir)/pkgconfig/attnspec.pc
	$B/bin/attnspec help --man >$(DESTDIR)$(mandir)/man1/attnspec.1
	for tool in $(TOOLS); do \
	    ln -sf attnspec $(DESTDIR)$(bindir)/attnspec-$$tool && \
	    $B/bin/attnspec help --man $$tool >$(DESTDIR)$(mandir)/man1/attnspec-$$tool.1 || exit 1; \
	done

clean:
	rm -rf build

help:
	@echo "make demo        install what is missing, build, train two small models, report on them"
	@echo "make check       install what tests need, build, run every test"
	@echo "make             build the programs into build/release/bin/"
	@echo "make asan        the tests under the address and undefined-behaviour sanitizers"
	@echo "make check-training   the trainer's accuracies on three seeds: some minutes"
	@echo "make fuzz        readers against made-up files, $(FUZZ_SECONDS) s each; fuzz-long: 10 minutes each"
	@echo "make bench       time singular values and the whole command against numpy and LAPACK"
	@echo "make deps        install what building and testing need; deps-bench: what bench needs"
	@echo "make install     into prefix=$(prefix); DESTDIR and the GNU directory variables count"
	@echo "make format      clang-format; clean: remove build/"
	@echo "Libraries by hand: BLAS_LIBS LAPACKE_LIBS HDF5_LIBS JANSSON_LIBS ZLIB_LIBS GSL_LIBS CHECK_LIBS"

-include $(LIB_OBJ:.o=.d) $(DOUBLE_OBJ:.o=.d) $(TOOL_OBJ:.o=.d) $(TESTS:=.d) $(wildcard $B/tests/*/*.d)
.PHONY: all tests demo check check-training asan verify fuzz fuzz-long $(FUZZERS:%=fuzz-%) \
    bench deps deps-bench format install clean help FORCE
