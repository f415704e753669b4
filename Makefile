# attnspec: spectra of attention matrices. `make demo` and `make check` do everything;
# `make help` lists the rest.
VARIANT ?= release
CC      ?= cc
prefix  ?= $(or $(PREFIX),/usr/local)
VERSION := 0.1.0
GIT     := $(shell git describe --always --dirty 2>/dev/null)

B       := build/$(VARIANT)
PKG     := pkg-config
CSTD    := -std=c17 -Wall -Wextra -Wpedantic -Wshadow -Wconversion $(WERROR)
CPPFLAGS += -Iinclude -Ilib -DAS_VERSION='"$(VERSION)"' -MMD -MP

CFLAGS_release := -O3 -g
CFLAGS_asan    := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
CFLAGS_tsan    := -O1 -g -fsanitize=thread
CFLAGS_cover   := -O0 -g --coverage
CFLAGS  += $(CFLAGS_$(VARIANT))

# Each library can be named by hand where pkg-config does not know it (clusters with modules).
BLAS_LIBS    ?= $(shell $(PKG) --libs openblas 2>/dev/null || $(PKG) --libs blas)
LAPACKE_LIBS ?= $(shell $(PKG) --libs lapacke)
HDF5_LIBS    ?= $(shell $(PKG) --libs hdf5)
JANSSON_LIBS ?= $(shell $(PKG) --libs jansson)
ZLIB_LIBS    ?= $(shell $(PKG) --libs zlib)
CHECK_LIBS   ?= $(shell $(PKG) --libs check)
LIBS = $(LAPACKE_LIBS) $(BLAS_LIBS) $(HDF5_LIBS) $(JANSSON_LIBS) $(ZLIB_LIBS) -lpthread -ldl -lm
FOREIGN_CFLAGS = $(shell $(PKG) --cflags lapacke openblas hdf5 jansson zlib 2>/dev/null)

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

# Doors alone see foreign headers' folders.
$B/lib/door/%.o: CPPFLAGS += $(FOREIGN_CFLAGS)
$B/tools/%.o: CPPFLAGS += -DAS_GIT='"$(GIT)"'

$B/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(CC) $(CSTD) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

$B/tests/%: tests/%.c $B/libattnspec.a
	@mkdir -p $(@D)
	$(CC) $(CSTD) $(CPPFLAGS) $(shell $(PKG) --cflags check) $(CFLAGS) $(LDFLAGS) -o $@ $< $B/libattnspec.a $(CHECK_LIBS) $(LIBS)

clean:
	rm -rf build

-include $(LIB_OBJ:.o=.d) $(TOOL_OBJ:.o=.d) $(TESTS:=.d)
.PHONY: all clean
