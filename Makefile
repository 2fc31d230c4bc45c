# Thin wrappers: the build itself is CMakeLists.txt.  `make` builds; `make demo` shows it at work.
BUILD ?= build
CMAKE_FLAGS ?=
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60

all: configure
	@ninja -C $(BUILD)

configure:
	@tools/configure.sh $(BUILD) $(CMAKE_FLAGS)

# installs what is missing, builds, runs every kernel of kernels/ against its reference, and inspects 2,048 images
demo:
	@tools/setup.sh
	@$(MAKE) --no-print-directory all
	@$(BUILD)/bench/tilec-bench --quick kernels
	@tools/demo.sh $(BUILD)

test: all
	@tools/test.sh $(BUILD)

# the numeric tests on a GPU; tools/test_gpu.sh BUILD alone where nothing can be built
test-gpu: all
	@tools/test_gpu.sh $(BUILD)

check:
	@tools/check.sh

bench: all
	@$(BUILD)/bench/tilec-bench kernels $(BUILD)/tilec
	@bench/inspect.sh $(BUILD)
	@bench/peers.sh $(BUILD)

# kernels beside OpenCV and PyTorch on one core, without the rest of `make bench`
bench-peers: all
	@bench/peers.sh $(BUILD)

# beside PyTorch and Triton on an NVIDIA GPU
bench-gpu: all
	@python3 bench/gpu.py --library $(BUILD)/libtilec.so --json $(BUILD)/bench-gpu.json

asan:
	@$(MAKE) --no-print-directory test BUILD=build-asan CMAKE_FLAGS=-DTILEC_ASAN=ON

# the command leaves threads that have ended to the end of the process
tsan:
	@TSAN_OPTIONS=report_thread_leaks=0 $(MAKE) --no-print-directory test BUILD=build-tsan CMAKE_FLAGS=-DTILEC_TSAN=ON

tidy: all
	@tools/tidy.sh $(BUILD)

coverage:
	@$(MAKE) --no-print-directory all BUILD=build-coverage CMAKE_FLAGS=-DTILEC_COVERAGE=ON
	@tools/coverage.sh build-coverage

# one file for pip, for every Python from 3.9 on
wheel: all
	@TILEC_BUILD=$(BUILD) python3 python/backend.py $(BUILD)/wheel

fuzz:
	@tools/fuzz.sh $(FUZZ_SECONDS)

# where to is in the environment, since paths may have blanks; programs that link the static library by hand
# find the code generator in the prefix that was said here
install uninstall: export PREFIX := $(PREFIX)
install uninstall: export DESTDIR := $(DESTDIR)
install: configure
	@tools/install.sh $(BUILD)

uninstall:
	@tools/uninstall.sh $(BUILD)

clean:
	rm -rf $(BUILD) build-asan build-tsan build-coverage build-fuzz

.PHONY: all configure demo test test-gpu check tidy bench bench-peers bench-gpu asan tsan coverage wheel fuzz install uninstall clean
