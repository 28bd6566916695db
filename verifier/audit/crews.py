"""Who does the pieces of an audit: processes of this machine, or tasks on a Ray cluster."""

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context

from grpocheck.verifier.audit.auditing import Crew, Result, Work, here
from grpocheck.verifier.audit.errors import needed
from grpocheck.verifier.executors import RETRIES, left_to_the_parent
from grpocheck.verifier.failures import BadOption


def processes(jobs: int) -> Crew:
    """A crew of processes of this machine; of one, this one."""
    if jobs <= 1:
        return here

    def crew(pieces: Sequence[Work]) -> Iterator[Result]:
        if len(pieces) < 2:
            yield from here(pieces)
            return
        with ProcessPoolExecutor(
            min(jobs, len(pieces)), mp_context=get_context("spawn"), initializer=one_of_the_crew
        ) as pool:
            waiting = [pool.submit(piece.done) for piece in pieces]
            try:
                for future in waiting:
                    yield future.result()
            except BrokenProcessPool as error:
                raise BadOption("--jobs", jobs, "a process died", "enough memory for each of them") from error
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    return crew


def done(piece: Work) -> Result:
    """A piece of work, done."""
    return piece.done()


def one_of_the_crew() -> None:
    """A new process is left to its parent, and its arithmetic keeps to one thread: the crew has the cores."""
    left_to_the_parent()
    os.environ["OMP_NUM_THREADS"] = "1"


def cluster(address: str) -> Crew:
    """A crew of Ray tasks; every node has to see the files under the same paths.

    A piece whose worker dies is done again, RETRIES times.
    """
    ray, errors = needed("ray", "ray"), needed("ray.exceptions", "ray")
    try:
        ray.init(address=address, ignore_reinit_error=True, log_to_driver=False, logging_level="ERROR")
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise BadOption("--ray", address, str(error), "the address of a running cluster, or local") from error
    task = ray.remote(done).options(max_retries=RETRIES)

    def crew(pieces: Sequence[Work]) -> Iterator[Result]:
        waiting = [task.remote(piece) for piece in pieces]
        try:
            for one in waiting:
                yield ray.get(one)
        except errors.RayTaskError as error:
            raise error.cause from error
        except errors.RayError as error:
            raise BadOption("--ray", address, str(error).splitlines()[0], "workers that stay alive") from error
        finally:
            for one in waiting:
                ray.cancel(one, force=True)

    return crew
