"""`python -m bench`: compare arrayapi_gpu with NumPy and the libraries installed beside it, on CPUs and GPUs.

Every library computes in a process of its own, one after the other, so that none holds memory that another wants; all
take the same inputs. Two processes of one library differ, by the memory they get and the state of the machine: with
several rounds the libraries take turns, and the table says how far the rounds are apart.

`python -m bench thesis` measures what the ancestors did instead (`bench.figures`).
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from arrayapi_gpu.backends import default_device, get_device
from bench import figures
from bench.case import LONGEST
from bench.cases import GROUPS
from bench.libraries import PEERS, installed
from bench.measure import in_turns, one
from bench.report import LEAST_OF_THE_BEST, RESULTS, behind, plot, table

SWEEPS = ("products", "factorisations", "shapes")  # groups of many cases, which are measured where they are named
ON_CPUS = 24  # log2 of the elements where no GPU is measured


def main() -> None:
    """Parse the command line, measure, print, save."""
    if sys.argv[1:2] == ["thesis"]:
        return figures.main(sys.argv[2:])
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    add = parser.add_argument
    add("groups", nargs="*", metavar="GROUP", help=f"of {', '.join(GROUPS)} (default: all but {', '.join(SWEEPS)})")
    add("--libraries", nargs="+", metavar="L", help=f"of {', '.join(PEERS)}, and devices of ours such as cuda:0")
    add("--rows", default="", metavar="TEXT", help="only rows whose name contains TEXT (several: A|B)")
    add("--size", type=int, help=f"2^SIZE elements at most (default {ON_CPUS}, with a GPU {LONGEST})")
    add("--rounds", type=int, default=1, help="how often the libraries take turns (default 1)")
    add("--sweep", action="store_true", help="in the first round, sizes 2^10 to 2^28 of what is drawn")
    add("--output", type=Path, help=f"the JSON file (default: cpu.json or gpu.json in {RESULTS.name}/)")
    add("--one", type=Path, metavar="FILE", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if unknown := set(options.groups) - GROUPS.keys():
        parser.error(f"no such group: {', '.join(unknown)}; there are {', '.join(GROUPS)}")
    words = options.rows.split("|")
    if options.one:  # of the names that the first process has chosen
        cases = [case for group in GROUPS.values() for case in group if case.name in words]
        options.one.write_text(json.dumps(one(options.libraries[0], cases, options.size, options.sweep)))
        return
    groups = options.groups or [group for group in GROUPS if group not in SWEEPS]
    cases = [case for group in groups for case in GROUPS[group] if any(word in case.name for word in words)]

    names = options.libraries or [*installed(), default_device().name]
    on_gpu = any(name not in PEERS and get_device(name).is_gpu for name in names)
    size = options.size or (LONGEST if on_gpu else ON_CPUS)
    file = options.output or RESULTS / ("gpu.json" if on_gpu else "cpu.json")
    own = ["bench", "--rows", "|".join(case.name for case in cases), "--size", str(size)]
    results = in_turns(names, options.rounds, lambda turn: own + ["--sweep"] * (options.sweep and not turn), file)
    print("\n".join(f"{name} {result['version']}" for name, result in results.items()))
    print(f"\n{table(cases, size, results)}\n\nfigures: {file}")
    for name in results.keys() - PEERS.keys():
        print(
            f"\n{name}, below {LEAST_OF_THE_BEST:.0%} of the best other:", *behind(cases, size, results, name), sep="\n"
        )
    if picture := plot(cases, results, file.with_suffix(".png")):
        print(f"plot:    {picture}")


if __name__ == "__main__":
    main()
