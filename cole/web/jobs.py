"""Work that takes more than a moment, done beside the games: in threads, or in a process that games do not notice."""

import asyncio
import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import active_children, get_context, parent_process
from threading import Thread
from typing import TypeVar

from cole.web.refusals import Busy

Result = TypeVar("Result")


@dataclass
class Queue:
    """Who does the jobs, one after the other, and how many there are."""

    worker: Executor
    most: int
    jobs: int = 0
    nice: int = 0  # by how much a process stands back behind others


def thread(most: int) -> Queue:
    """For what has to happen here, and is short or compiles."""
    return Queue(ThreadPoolExecutor(1, "cole"), most)


def process(most: int, nice: int) -> Queue:
    """For long work: what a thread does for a second in one piece would keep all ticks waiting."""
    return Queue(_process(nice), most, nice=nice)


async def done(queue: Queue, job: Callable[..., Result], *arguments) -> Result:
    """The result of a job, when its turn has come."""
    if queue.jobs >= queue.most:
        raise Busy("too much is being asked at once: try again in a moment")
    queue.jobs += 1
    try:
        with deaf():
            result = asyncio.get_running_loop().run_in_executor(queue.worker, job, *arguments)
        return await result
    except BrokenProcessPool:
        queue.worker = _process(queue.nice)
        raise Busy("this was interrupted: try again") from None
    finally:
        queue.jobs -= 1


@contextmanager
def deaf() -> Iterator[None]:
    """A process that begins in here never hears of Ctrl-C; the server does, a moment later."""
    usual = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, usual)


async def begin(queue: Queue) -> None:
    """Starts a process before anybody needs it."""
    if isinstance(queue.worker, ProcessPoolExecutor):
        with suppress(Busy):
            await done(queue, load)


def close(queues: list[Queue]) -> None:
    """Ends whatever is still being done; all processes that were begun from here are of these queues."""
    if any(isinstance(queue.worker, ProcessPoolExecutor) for queue in queues):
        for child in active_children():
            child.kill()
    for queue in queues:
        queue.worker.shutdown(cancel_futures=True)


def load() -> None:
    """Imports what other jobs need."""
    import cole.web.population  # noqa: F401


def _process(nice: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(1, get_context("spawn"), initializer=_behave, initargs=(nice,))


def _behave(nice: int) -> None:
    """Stands back, and ends with the server, however that ends."""
    os.nice(nice)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    if parent := parent_process():
        parent.join()
        os._exit(0)
