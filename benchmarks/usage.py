"""Provides `--help` for benchmarks without their own options, which import this: prints the benchmark's docstring."""
import sys

main = sys.modules["__main__"]
if {"-h", "--help"} & set(sys.argv[1:]) and not hasattr(main, "argparse"):
    print(main.__doc__.strip())
    sys.exit()
