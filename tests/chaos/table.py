"""The campaign as a table: the faults of the sweeps and their cost."""

import statistics

COLUMNS = ["fault", "rounds", "injected", "survived", "steps lost", "seconds to recover"]
WORDS = {
    "trainer": "kill -9 of a trainer",
    "member": "kill -9 of one worker of a group",
    "guard": "kill -9 of a program's guard",
    "agent": "kill -9 of an agent, rank > 0",
    "coordinator": "kill -9 of the coordinator, rank 0",
    "everything": "kill -9 of every rank and trainer",
    "stopped": "SIGSTOP of a trainer",
    "nccl_hang": "NCCL hangs in one worker as its group forms",
    "nccl_error": "NCCL fails in one worker of a group",
    "drain": "a time limit's warning in mid-rung",
    "node_down": "scontrol: node down, and back",
    "full_disk": "a full disk, freed later",
    "journal_cut": "all killed, journal cut",
    "several": "two or three of these in one round",
}


def median_and_max(values, form):
    return f"{form(statistics.median(values))}, {form(max(values))}" if values else ""


def rows(results):
    for fault, words in WORDS.items():
        of_fault = [result for result in results if result.fault == fault]
        if not of_fault:
            continue
        struck = [result for result in of_fault if result.struck]
        lost = [result.steps_lost for result in struck if result.steps_lost is not None]
        recovered = [result.recovery for result in struck if result.recovery is not None]
        yield [words, str(len(of_fault)), str(len(struck)), str(sum(not result.complaints for result in struck)),
               median_and_max(lost, "{:.0f}".format), median_and_max(recovered, "{:.2f}".format)]


def num_spared(results):
    """The number of rounds whose sweep ended before the fault, so that nothing was tested."""
    return sum(not result.struck for result in results)


def spares_too_many(results):
    """Whether too many rounds were spared for the rest to be a meaningful campaign."""
    return num_spared(results) > max(1, len(results) // 10)


def never_struck(results):
    """Faults of three or more rounds, none of which struck, so that they were not tested."""
    names = sorted({result.fault for result in results})
    of = {name: [result.struck for result in results if result.fault == name] for name in names}
    return [name for name, struck in of.items() if len(struck) >= 3 and not any(struck)]


def all_rows(results):
    struck = [result for result in results if result.struck]
    injected = f"{len(struck)} ({num_spared(results)} over before)"
    total = ["all", str(len(results)), injected, str(sum(not result.complaints for result in struck)), "", ""]
    return [*rows(results), total]


def text(results):
    table = [COLUMNS, *all_rows(results)]
    widths = [max(len(row[i]) for row in table) for i in range(len(COLUMNS))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in table)


def markdown(results):
    lines = [COLUMNS, ["---"] * len(COLUMNS), *all_rows(results)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
