"""`--help` of benchmarks without options of their own, which import this: it prints what the benchmark says of itself."""
import sys

main = sys.modules["__main__"]
if {"-h", "--help"} & set(sys.argv[1:]) and not hasattr(main, "argparse"):
    print(main.__doc__.strip())
    sys.exit()
