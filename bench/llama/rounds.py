"""Interleaved pairs, rounds of them, and their statistics. Pure: running a measurement is the caller's."""

from dataclasses import dataclass
from statistics import median

SPREAD_LIMIT = 0.15  # a round in which the CPU backend itself varies more than this says nothing


def spread(samples):
    """(max - min) / median."""
    return (max(samples) - min(samples)) / median(samples)


@dataclass
class Round:
    """Tokens per second of one round: {test: [one per pair]}, the i-th of both sides measured one after the other."""

    npu: dict
    cpu: dict

    def cpu_spread(self):
        """The larger one of the CPU backend's spreads over the tests."""
        return max(spread(samples) for samples in self.cpu.values())

    def row(self, test):
        """What the table shows of a test."""
        npu, cpu = self.npu[test], self.cpu[test]
        pair_ratios = [n / c for n, c in zip(npu, cpu)]
        return {
            "test": test,
            "npu": median(npu),
            "cpu": median(cpu),
            "ratio": median(npu) / median(cpu),
            "ratio_min": min(pair_ratios),
            "ratio_max": max(pair_ratios),
            "cpu_spread": spread(cpu),
            "npu_spread": spread(npu),
            "npu_samples": npu,
            "cpu_samples": cpu,
        }


def measure_round(pairs, measure):
    """`measure(side)` gives {test: tokens per second}. The first side alternates: a drift of the machine cancels."""
    sides = {"npu": {}, "cpu": {}}
    for pair in range(pairs):
        for side in ("cpu", "npu") if pair % 2 == 0 else ("npu", "cpu"):
            for test, speed in measure(side).items():
                sides[side].setdefault(test, []).append(speed)
    return Round(**sides)


def measure_until_quiet(pairs, most_rounds, measure, report=lambda number, cpu_spread: None):
    """Rounds until one is quiet, at most `most_rounds`. Returns the quietest one."""
    rounds = []
    for number in range(1, most_rounds + 1):
        rounds.append(measure_round(pairs, measure))
        report(number, rounds[-1].cpu_spread())
        if rounds[-1].cpu_spread() <= SPREAD_LIMIT:
            break
    return min(rounds, key=Round.cpu_spread)
