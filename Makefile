# The two commands of the README, and what they are made of. Everything goes under build/.
#
#   make light                  build what tunes programs of yours: half the time, no LibTorch, no HDF5;
#                               with MPI=OFF for a single machine
#   make demo                   install what is needed, build what the demo runs, tune a small CNN on Fashion-MNIST
#   make test                   build everything and pass every test, also under the sanitizers
#   make build                  install what is needed and build everything
#   make install PREFIX=/opt/x  put the programs, docs and examples under a folder, which may be moved afterwards;
#                               with BUILD=light those of `make light`

SHELL := /bin/bash
PREFIX ?= /usr/local
# What is installed is as it was built.
ifeq ($(filter install,$(MAKECMDGOALS)),)
MPI ?= ON
endif
TORCH_DIR = $(shell scripts/install.sh torch-dir)
# A translation unit of LibTorch takes up to 2 GB of memory.
JOBS ?= $(shell n=$$(nproc); m=$$(($$(awk '/MemTotal/ {print $$2}' /proc/meminfo) / 2500000)); echo $$((n < m ? n : (m > 0 ? m : 1))))
# What scripts/libraries.sh builds on a machine without Debian's packages.
LIBRARIES := $(shell scripts/libraries.sh folder)
export PATH := $(LIBRARIES)/bin:$(PATH)
# Modules of a cluster name their headers in CPATH, which the compiler reads and CMake does not.
empty :=
PREFIXES := $(patsubst %/include,%,$(filter %/include,$(subst :, ,$(CPATH))))
export CMAKE_PREFIX_PATH := $(LIBRARIES)$(if $(CMAKE_PREFIX_PATH),:$(CMAKE_PREFIX_PATH))$(if $(PREFIXES),:$(subst $(empty) $(empty),:,$(PREFIXES)))
# One clone's objects serve the next, wherever it lies.
export CCACHE_BASEDIR := $(CURDIR)
export CCACHE_NOHASHDIR := 1
export CCACHE_SLOPPINESS := time_macros
CMAKE_BUILD = cmake --build --preset
PROGRAMS = crescendo crescendo-guard crescendo-trainer

.PHONY: requirements browser tools configure build programs light install demo test test-default test-core test-mpich \
	test-asan test-tsan format lint clean

requirements:
	@scripts/install.sh

configure: requirements
	@cmake --preset default -DCRESCENDO_TORCH_DIR="$(TORCH_DIR)" >/dev/null

build: configure
	$(CMAKE_BUILD) default -j $(JOBS)

programs: configure
	@echo "building the programs, without tests: seventeen minutes of processor time when nothing is cached, nine on two cores"
	@$(CMAKE_BUILD) default -j $(JOBS) --target $(PROGRAMS)

light:
	@scripts/install.sh light
	@cmake --preset light $(if $(MPI),-DCRESCENDO_MPI=$(MPI)) >/dev/null
	@echo "building crescendo without its own trainer: eight minutes of processor time when nothing is cached, four on two cores"
	@$(CMAKE_BUILD) light -j $(JOBS)

# BUILD=light installs what `make light` builds. Under sudo nothing is built: root has another home, and so another torch,
# which nobody else could read. What root installs is for all, whatever umask root's shell has.
BUILD ?= default
install: $(if $(SUDO_USER),,$(if $(filter light,$(BUILD)),light,programs))
	@test -e build/$(BUILD)/bin/crescendo || \
		{ echo "nothing is built yet: call make $(if $(filter light,$(BUILD)),light,build) without sudo first" >&2; exit 2; }
	$(if $(filter 0,$(shell id -u)),umask 022 &&) cmake --install build/$(BUILD) --prefix "$(PREFIX)"

demo: programs
	@scripts/demo.sh

test: test-default test-core light test-mpich test-asan test-tsan

# What the test of pages in a browser needs; without it that test is skipped.
browser: requirements
	-@scripts/install.sh browser

# What the test of exports reads them with; without it that test is skipped.
tools: requirements
	-@scripts/install.sh tools

test-default: build browser tools
	ctest --preset default

# What the tests need that this preset runs.
test-core: requirements
	cmake --preset core >/dev/null
	$(CMAKE_BUILD) core -j $(JOBS) --target test_launch test_commands test_e2e
	ctest --preset core

test-asan: requirements
	cmake --preset asan >/dev/null
	$(CMAKE_BUILD) asan -j $(JOBS)
	ctest --preset asan

# The same objects but for one: what differs is MPI and who starts it.
test-mpich: requirements
	cmake --preset mpich >/dev/null
	$(CMAKE_BUILD) mpich -j $(JOBS) --target crescendo
	ctest --preset mpich -L slurm

# What has threads of its own and no Torch: the reader of samples and the trainer's control channel. Two slow tests have
# no threads but the reader's, which sample_stream tests.
test-tsan: requirements
	cmake --preset tsan >/dev/null
	$(CMAKE_BUILD) tsan -j $(JOBS) --target test_datasets test_trainer_base
	ctest --preset tsan -R 'test_datasets|test_trainer_base' -E 'test_datasets\.(convert|terabyte)$$'

format:
	git ls-files '*.hpp' '*.cpp' | xargs clang-format -i

# Reads each file alone, so it also finds what one forgot to include. The compile commands are those of another compiler.
LINT ?= *.cpp
lint: requirements
	@cmake --preset default -B build/lint -DCRESCENDO_JOIN_SOURCES=OFF -DCRESCENDO_TORCH_DIR="$(TORCH_DIR)" >/dev/null
	git ls-files $(patsubst %,'%',$(LINT)) | xargs -P $(JOBS) -n 4 clang-tidy -p build/lint --quiet \
		--extra-arg=-Wno-unknown-warning-option

clean:
	rm -rf build
