"""PyTorch on several GPUs: copies between the first two, and all-reduce over all, with a process for each."""

import json
import os
import subprocess
import sys

import torch

CALLS = 20
SMALL = 4096


def copies(own, timing, nbytes):
    def wait():
        torch.cuda.synchronize(0)
        torch.cuda.synchronize(1)

    def copy(size, source, target):
        """A copy between two devices, on streams of its own."""
        x = torch.ones(size, dtype=torch.uint8, device=f"cuda:{source}")
        y = torch.empty(size, dtype=torch.uint8, device=f"cuda:{target}")
        streams = torch.cuda.Stream(source), torch.cuda.Stream(target)
        wait()

        def call():
            with torch.cuda.stream(streams[0]), torch.cuda.stream(streams[1]):
                y.copy_(x, non_blocking=True)

        return call

    def queued(*calls):
        def whole():
            for _ in range(CALLS):
                for call in calls:
                    call()
            wait()

        return timing.blocking(whole) / CALLS

    there, back = copy(nbytes, 0, 1), copy(nbytes, 1, 0)
    own.rate("pair.copy", nbytes, lambda: queued(there))
    own.rate("pair.both", 2 * nbytes, lambda: queued(there, back))
    x, y = torch.ones(SMALL // 4, device="cuda:0"), torch.empty(SMALL // 4, device="cuda:1")

    def little():
        y.copy_(x, non_blocking=True)

    def until_done():
        little()
        wait()

    own.put("pair.small", lambda: timing.blocking(until_done, runs=101))
    own.put("pair.host", lambda: timing.host(little, batch=200))
    wait()


def all_reduce(own, exponents):
    ranks = torch.cuda.device_count()
    program = os.path.join(os.path.dirname(__file__), "ranks.py")
    run = subprocess.run(
        [sys.executable, program, str(ranks), *map(str, exponents)], capture_output=True, text=True, timeout=90, check=False
    )
    if run.returncode != 0:
        raise RuntimeError(f"ranks.py ended with status {run.returncode}: {run.stderr.strip()[-200:]}")
    for exponent, us in json.loads(run.stdout.strip().splitlines()[-1]).items():
        own[f"curve.allreduce.each.{exponent}"] = us
        for how in ("one", "each"):
            own[f"allreduce.{how}.{exponent}"] = us
            own[f"allreduce.{how}.bus.{exponent}"] = 2 * (ranks - 1) * 2 ** int(exponent) / ranks / us / 1000
