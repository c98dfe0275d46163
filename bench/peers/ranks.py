"""Times PyTorch's all-reduce: `python3 ranks.py RANKS EXPONENT...` prints the microseconds of a call for arrays of 2^EXPONENT bytes.

Each GPU has its own process, as torch.distributed requires; the times are those of the slowest rank.
"""

import json
import os
import statistics
import sys
import tempfile
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as processes

ROUNDS = 5


def measure(rank, ranks, exponents, store, results):
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", init_method=f"file://{store}", rank=rank, world_size=ranks)
    taken = {}
    for exponent in exponents:
        values = torch.zeros((1 << exponent) // 4, device="cuda")

        def call_round(count, values=values):
            torch.cuda.synchronize()
            start = time.perf_counter()
            for _ in range(count):
                dist.all_reduce(values)
            torch.cuda.synchronize()
            return (time.perf_counter() - start) / count * 1e6

        calls = 1000 if exponent < 24 else 20
        call_round(calls)
        taken[exponent] = statistics.median(call_round(calls) for _ in range(ROUNDS))
    results.put(taken)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    ranks, exponents = int(sys.argv[1]), [int(text) for text in sys.argv[2:]]
    context = processes.get_context("spawn")
    results = context.SimpleQueue()
    with tempfile.TemporaryDirectory() as folder:
        store = os.path.join(folder, "store")
        processes.spawn(measure, args=(ranks, exponents, store, results), nprocs=ranks, join=True)
    answers = [results.get() for _ in range(ranks)]
    print(json.dumps({exponent: max(answer[exponent] for answer in answers) for exponent in exponents}))
