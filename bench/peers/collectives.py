"""Times PyTorch's all-reduce: `python3 collectives.py RANKS BYTES WARM_UP CALLS` prints one line of JSON.

Each GPU has its own process, as torch.distributed requires; the seconds are those of the slowest rank.
"""

import json
import os
import sys
import tempfile
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as processes

RANKS, BYTES, WARM_UP, CALLS = (int(text) for text in sys.argv[1:5])


def measure(rank, store, results):
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", init_method=f"file://{store}", rank=rank, world_size=RANKS)
    values = torch.zeros(BYTES // 4, device="cuda")
    for _ in range(WARM_UP):
        dist.all_reduce(values)
    torch.cuda.synchronize()
    dist.barrier()
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(CALLS):
        dist.all_reduce(values)
    torch.cuda.synchronize()
    results.put((time.perf_counter() - start) / CALLS)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    context = processes.get_context("spawn")
    results = context.SimpleQueue()
    with tempfile.TemporaryDirectory() as folder:
        store = os.path.join(folder, "store")
        processes.spawn(measure, args=(store, results), nprocs=RANKS, join=True)
    seconds = max(results.get() for _ in range(RANKS))
    version = f"{torch.__version__} with NCCL {'.'.join(map(str, torch.cuda.nccl.version()))}"
    print(json.dumps({"seconds": seconds, "version": version}))
