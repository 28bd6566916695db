"""Work given to others: executors of concurrent.futures over processes, or over the tasks of a Ray cluster.

Whoever takes an executor takes any: a pool of processes, or this one. Every machine of the cluster has to have
grpocheck installed and to see the same files under the same paths.
"""

import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures import wait as wait_for
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, redirect_stdout
from multiprocessing import get_context, parent_process
from typing import Any

from grpocheck.proofs.lifeline import end_with
from grpocheck.verifier.failures import BadOption, installed_with

RETRIES = 5
"""How often a task is done again whose worker died."""
FAREWELL = 10.0
"""Seconds that tasks which were cancelled have to end what they started."""


def left_to_the_parent() -> None:
    """For a new process: an interrupt is for its parent, which stops it; it ends with the parent if that is killed."""
    parent = parent_process()  # not os.getppid(): a parent that has ended already would not be missed
    if parent is not None and parent.pid is not None:
        end_with(parent.pid)
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def how_to_begin() -> str:
    """A process that has one thread can be doubled, on Linux, with all that it has imported; others begin afresh."""
    return "fork" if sys.platform == "linux" and threading.active_count() == 1 else "spawn"


@contextmanager
def executor(jobs: int, ray: str | None) -> Iterator[Executor | None]:
    """So many processes, or a Ray cluster; None for one process: this one. What waits is taken back at the end."""
    if ray is None and jobs == 1:
        yield None
        return
    made: Executor = (
        RayExecutor(ray)
        if ray is not None
        else ProcessPoolExecutor(jobs, mp_context=get_context(how_to_begin()), initializer=left_to_the_parent)
    )
    try:
        yield made
    except BrokenProcessPool as error:
        raise BadOption("--jobs", jobs, "a process died", "enough memory for each of them") from error
    finally:
        made.shutdown(cancel_futures=True)


def called(folder: str, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The body of a task: the call, made in the folder in which the command runs."""
    os.chdir(folder)
    return function(*args, **kwargs)


class Task(Future[Any]):
    """The result of a Ray task to be; cancelling it interrupts the task."""

    def __init__(self, ray: Any, reference: Any) -> None:
        """For the reference that Ray gave."""
        super().__init__()
        self.ray = ray
        self.reference = reference

    def cancel(self) -> bool:
        """Take the task back; one that runs gets a KeyboardInterrupt, so that it ends what it started."""
        if not self.done():
            self.ray.cancel(self.reference)
        return super().cancel()


class RayExecutor(Executor):
    """Tasks on a Ray cluster; an error of a task is raised as it was, an error of the cluster is a BadOption."""

    def __init__(self, address: str) -> None:
        """Connect to the cluster at an address, or start one here for the address ``local``."""
        try:
            import ray
            from ray.exceptions import RayError, RayTaskError
        except ImportError as error:
            raise BadOption("--ray", address, "Ray is not installed", installed_with("ray")) from error
        self.ray: Any = ray
        self.address = address
        self.errors: tuple[Any, Any] = (RayTaskError, RayError)
        self.started = not ray.is_initialized()
        try:
            ray.init(address=address, ignore_reinit_error=True, log_to_driver=False, logging_level=logging.ERROR)
        except (ConnectionError, RuntimeError, ValueError) as error:
            raise BadOption("--ray", address, str(error), "the address of a running cluster, or local") from error
        self.told = redirect_stdout(sys.stderr)
        """Stdout is for the result: what Ray says of workers that died goes to stderr meanwhile."""
        self.told.__enter__()
        self.connected = True
        self.remote = ray.remote(called).options(max_retries=RETRIES)
        self.tasks: list[Task] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Call a function on the cluster."""
        task = Task(self.ray, self.remote.remote(os.getcwd(), fn, args, kwargs))
        self.tasks.append(task)
        task.reference.future().add_done_callback(lambda answer: self.settle(task, answer))
        return task

    def settle(self, task: Task, answer: Future[Any]) -> None:
        """Hand over what Ray answered, unless nobody waits for it any more."""
        if not task.set_running_or_notify_cancel():
            return
        failed, lost = self.errors
        error = answer.exception()
        if error is None:
            task.set_result(answer.result())
        elif isinstance(error, failed) and isinstance(error.cause, BaseException):
            task.set_exception(error.cause)
        elif isinstance(error, lost):
            message = str(error).splitlines()[0]
            task.set_exception(BadOption("--ray", self.address, message, "workers that stay alive"))
        else:
            task.set_exception(error)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Leave the cluster, and end it where it was started here; tasks that were taken back may end what they do."""
        if cancel_futures:
            for task in self.tasks:
                task.cancel()
        if wait:
            wait_for(self.tasks, timeout=FAREWELL if any(task.cancelled() for task in self.tasks) else None)
        self.tasks = []
        if self.started and self.ray.is_initialized():
            self.ray.shutdown()
        if self.connected:
            self.connected = False
            self.told.__exit__(None, None, None)
