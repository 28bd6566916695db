"""The oracle budget of a run, from its trainer's own settings: draws, and gradient attempts, as they were recorded."""

import math
from collections.abc import Sequence

from grpocheck.verifier.audit.calls import Use
from grpocheck.verifier.audit.findings import Findings, Where, counted
from grpocheck.verifier.audit.logs import steps_per_batch
from grpocheck.verifier.audit.model import Log
from grpocheck.verifier.audit.rules import seen
from grpocheck.verifier.audit.settings import Settings


def expected_batches(settings: Settings, log: Log | None) -> tuple[int, int] | None:
    """T, the generation batches that a run of the settings' steps draws, and the steps; None where it is not known."""
    period = steps_per_batch(settings)
    steps = (log.global_step if log is not None else None) or settings.count("max_steps")
    return None if period is None or steps is None else (math.ceil(steps / period), steps)


def rows_of_a_batch(settings: Settings) -> int | None:
    """M*G, the responses of one generation batch over all processes."""
    stated = settings.count("generation_batch_size")
    parts = [settings.count(name) for name in ("per_device_train_batch_size", "steps_per_generation", "world_size")]
    product = None if None in parts else math.prod(part for part in parts if part is not None)
    return stated or product


def check_draws(
    run: str, sizes: dict[int, tuple[str, int]], settings: Settings, log: Log | None, findings: Findings
) -> None:
    """The generation batches of training by number: the file and the number of responses of each."""
    rows = rows_of_a_batch(settings)
    for file, size in sizes.values():
        if rows is not None and size != rows:
            findings.add(
                seen(
                    "draws-budget",
                    Where(file),
                    f"M*G = {rows} draws in an outer iteration",
                    f"{size}",
                    distance=float(abs(size - rows)),
                    far=f"{size - rows:+d} draws",
                )
            )
    expected = expected_batches(settings, log)
    if expected is not None and sizes and len(sizes) != expected[0]:
        batches, steps = expected
        findings.add(
            seen(
                "draws-budget",
                Where(run),
                f"T = {counted(batches, 'outer iteration')} in {counted(steps, 'step')}"
                + (f", {batches * rows} draws" if rows else ""),
                f"{counted(len(sizes), 'generation batch', 'generation batches')}, "
                + counted(sum(size for _, size in sizes.values()), "draw"),
                distance=float(abs(len(sizes) - batches)),
                far=f"{len(sizes) - batches:+d} outer iterations",
                apart="total",
            )
        )


def check_gradients(run: str, uses: Sequence[Use], settings: Settings, findings: Findings) -> None:
    """The loss calls of training: how often each slice of each generation batch was used."""
    passes, slices = settings.count("num_iterations"), settings.count("steps_per_generation")
    used: dict[tuple[int, int, int], set[tuple[int, int]]] = {}
    for use in uses:
        slots = used.setdefault((use.session, use.generation, use.rank), set())
        again = (use.slice, use.reuse) in slots
        slots.add((use.slice, use.reuse))
        over = passes is not None and use.reuse >= passes
        if again or over or (slices is not None and use.slice >= slices):
            findings.add(
                seen(
                    "gradient-budget",
                    Where(use.place),
                    ("each slice" if slices is None else f"slices 0 to {slices - 1}")
                    + " used once in "
                    + ("each pass" if passes is None else f"each of passes 0 to {passes - 1}"),
                    f"slice {use.slice} in pass {use.reuse}" + (" once more" if again else ""),
                    distance=float(use.reuse + 1),
                )
            )
    batches = len({(session, generation) for session, generation, _ in used})
    ranks = len({rank for *_, rank in used})
    if passes is not None and slices is not None and len(uses) > batches * ranks * passes * slices:
        most = batches * ranks * passes * slices
        findings.add(
            seen(
                "gradient-budget",
                Where(run),
                f"at most {counted(most, 'loss call')}: T = {batches}, times {counted(slices, 'slice')}, times "
                + counted(passes, "pass", "passes")
                + (f", times {ranks} processes" if ranks > 1 else ""),
                f"{len(uses)}",
                distance=float(len(uses) - most),
                far=f"{len(uses) - most:+d}",
                apart="total",
            )
        )
