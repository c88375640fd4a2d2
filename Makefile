# The README's two commands, and their parts. Everything goes under build/.
#
#   make light                  build what tunes your own programs: half the time, no LibTorch, no HDF5;
#                               add MPI=OFF for a single machine
#   make demo                   install the requirements, build what the demo needs, tune a small CNN on Fashion-MNIST
#   make test                   build everything and run all tests, also under the sanitizers
#   make build                  install the requirements and build everything
#   make install PREFIX=/opt/x  put the programs, docs and examples in a folder, which can be moved afterwards;
#                               BUILD=light installs those of `make light`

SHELL := /bin/bash
PREFIX ?= /usr/local
# `make install` keeps the setting of the build.
ifeq ($(filter install,$(MAKECMDGOALS)),)
MPI ?= ON
endif
TORCH_DIR = $(shell scripts/install.sh torch-dir)
# A translation unit of LibTorch takes up to 2 GB of memory.
JOBS ?= $(shell n=$$(nproc); m=$$(($$(awk '/MemTotal/ {print $$2}' /proc/meminfo) / 2500000)); echo $$((n < m ? n : (m > 0 ? m : 1))))
# Where scripts/libraries.sh builds on machines without Debian's packages.
LIBRARIES := $(shell scripts/libraries.sh folder)
export PATH := $(LIBRARIES)/bin:$(PATH)
# A cluster's modules name their headers in CPATH, which the compiler reads but CMake does not.
empty :=
PREFIXES := $(patsubst %/include,%,$(filter %/include,$(subst :, ,$(CPATH))))
export CMAKE_PREFIX_PATH := $(LIBRARIES)$(if $(CMAKE_PREFIX_PATH),:$(CMAKE_PREFIX_PATH))$(if $(PREFIXES),:$(subst $(empty) $(empty),:,$(PREFIXES)))
# Clones share objects, wherever they are.
export CCACHE_BASEDIR := $(CURDIR)
export CCACHE_NOHASHDIR := 1
export CCACHE_SLOPPINESS := time_macros
CMAKE_BUILD = cmake --build --preset
PROGRAMS = crescendo crescendo-guard crescendo-trainer man_pages

.PHONY: requirements browser tools configure build programs light install demo test test-default test-core test-mpich \
	test-asan test-tsan format lint clean

requirements:
	@scripts/install.sh

configure: requirements
	@cmake --preset default -DCRESCENDO_TORCH_DIR="$(TORCH_DIR)" >/dev/null

build: configure
	$(CMAKE_BUILD) default -j $(JOBS)

programs: configure
	@echo "building the programs, without tests: seventeen CPU minutes if nothing is cached, nine minutes on two cores"
	@$(CMAKE_BUILD) default -j $(JOBS) --target $(PROGRAMS)

light:
	@scripts/install.sh light
	@cmake --preset light $(if $(MPI),-DCRESCENDO_MPI=$(MPI)) >/dev/null
	@echo "building crescendo without its own trainer: eight CPU minutes if nothing is cached, four minutes on two cores"
	@$(CMAKE_BUILD) light -j $(JOBS)

# BUILD=light installs what `make light` builds. Under sudo, nothing is built: root has another home and another torch,
# which no other user could read. What root installs is readable for all, whatever the umask of root's shell.
BUILD ?= default
install: $(if $(SUDO_USER),,$(if $(filter light,$(BUILD)),light,programs))
	@test -e build/$(BUILD)/bin/crescendo || \
		{ echo "nothing is built yet; call make $(if $(filter light,$(BUILD)),light,build) without sudo first" >&2; exit 2; }
	$(if $(filter 0,$(shell id -u)),umask 022 &&) cmake --install build/$(BUILD) --prefix "$(PREFIX)"

demo: programs
	@scripts/demo.sh

# Two presets at a time after the first: some of their tests wait, or use one core.
test: test-default
	@$(MAKE) --no-print-directory -j2 test-core test-mpich light test-asan test-tsan

# Needed by the test of pages in a browser, which is skipped otherwise.
browser: requirements
	-@scripts/install.sh browser

# Needed by the tests of exports, which are skipped otherwise.
tools: requirements
	-@scripts/install.sh tools

test-default: build browser tools
	ctest --preset default

# Builds only what this preset's tests need.
test-core: requirements
	cmake --preset core >/dev/null
	$(CMAKE_BUILD) core -j $(JOBS) --target test_launch test_commands test_e2e
	ctest --preset core

test-asan: requirements
	cmake --preset asan >/dev/null
	$(CMAKE_BUILD) asan -j $(JOBS)
	ctest --preset asan

# Shares all objects but one with the default build: only MPI and its launcher differ.
test-mpich: requirements
	cmake --preset mpich >/dev/null
	$(CMAKE_BUILD) mpich -j $(JOBS) --target crescendo
	ctest --preset mpich -L slurm

# Code with its own threads but without Torch: the sample reader and the trainer's control channel. Two slow tests are
# left out: their only threads are the reader's, which sample_stream tests.
test-tsan: requirements
	cmake --preset tsan >/dev/null
	$(CMAKE_BUILD) tsan -j $(JOBS) --target test_datasets test_trainer_base
	ctest --preset tsan -R 'test_datasets|test_trainer_base' -E 'test_datasets\.(convert|terabyte)$$'

format:
	git ls-files '*.hpp' '*.cpp' | xargs clang-format -i

# Reads each file alone, so it also finds missing includes. The compile commands are those of another compiler.
LINT ?= *.cpp
lint: requirements
	@cmake --preset default -B build/lint -DCRESCENDO_JOIN_SOURCES=OFF -DCRESCENDO_TORCH_DIR="$(TORCH_DIR)" >/dev/null
	git ls-files $(patsubst %,'%',$(LINT)) | xargs -P $(JOBS) -n 4 clang-tidy -p build/lint --quiet \
		--extra-arg=-Wno-unknown-warning-option

clean:
	rm -rf build
