"""Ranks that call different collectives, one with another size, or not all of them.

Rank 3 broadcasts where the others reduce, reduces a longer tensor, or is busy elsewhere. With
TORCH_DISTRIBUTED_DEBUG=DETAIL torch compares the calls and says so at once; else the ranks hang,
and each writes a dump of its flight recorder meanwhile, as torch does with NCCL.
Run with `python tests/repro/run.py collective_desync`.
"""

from __future__ import annotations

import argparse
import threading
import time
from pathlib import Path

import torch
import torch.distributed as dist
from torch._C._distributed_c10d import _dump_fr_trace, _dump_fr_trace_json
from training import connect, log

CAPTURES = {
    "order_checked": {
        "torchrun": ["--standalone", "--nproc-per-node=4", "--tee=3"],
        "arguments": ["--odd=order"],
        "environment": {"TORCH_DISTRIBUTED_DEBUG": "DETAIL"},
        "exit": 1,
        "expect": {
            "console.log": [
                "Detected mismatch between collectives on ranks. Rank 0 is running collective: "
                "CollectiveFingerPrint(SequenceNumber=",
                "Op type: ALLREDUCEvs BROADCAST",
            ]
        },
    },
    "sizes_checked": {
        "torchrun": ["--standalone", "--nproc-per-node=4", "--tee=3"],
        "arguments": ["--odd=sizes"],
        "environment": {"TORCH_DISTRIBUTED_DEBUG": "DETAIL"},
        "exit": 1,
        "expect": {
            "console.log": [
                "Detected mismatch between collectives on ranks. Rank 0 is running collective: "
                "CollectiveFingerPrint(SequenceNumber=",
                "Tensor Tensor shapes: 8vs 9",
            ]
        },
    },
    "order_recorded": {
        "torchrun": ["--standalone", "--nproc-per-node=4", "--tee=3"],
        "arguments": ["--odd=order"],
        "environment": {"TORCH_FR_BUFFER_SIZE": "200"},
        "exit": 1,
        "expect": {"nccl_trace_rank_3": ["gloo:broadcast"], "nccl_trace_rank_0": ["pg_config"]},
    },
    "late_recorded": {
        "torchrun": ["--standalone", "--nproc-per-node=4", "--tee=3"],
        "arguments": ["--odd=late"],
        "environment": {"TORCH_FR_BUFFER_SIZE": "200"},
        "exit": 1,
        "expect": {
            "console.log": ["Timed out waiting 10000ms for"],
            "nccl_trace_rank_3": ["gloo:all_reduce"],
            "json/nccl_trace_rank_0.json": ["gloo:all_reduce"],
        },
    },
}

ODD_RANK = 3
TIMEOUT_SECONDS = 10


def dump_later(rank: int) -> None:
    """Write what the recorder has, once all ranks hang; without stacks, as bytes and as JSON."""
    time.sleep(TIMEOUT_SECONDS / 2)
    Path(f"nccl_trace_rank_{rank}").write_bytes(_dump_fr_trace(includeStackTraces=False))
    folder = Path("json")
    folder.mkdir(exist_ok=True)
    text = _dump_fr_trace_json()
    file = folder / f"nccl_trace_rank_{rank}.json"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())


def call_oddly(rank: int, odd: str) -> None:
    """Call a collective, on one rank not as on the others."""
    if rank == ODD_RANK and odd == "late":
        time.sleep(4 * TIMEOUT_SECONDS)
    if rank == ODD_RANK and odd == "order":
        dist.broadcast(torch.ones(8), src=0)
    else:
        dist.all_reduce(torch.ones(9 if rank == ODD_RANK and odd == "sizes" else 8))


def main(odd: str) -> None:
    """Reduce a few times, and then call a collective on which the ranks do not agree."""
    rank = connect(timeout_seconds=TIMEOUT_SECONDS)
    for step in range(1, 4):
        dist.all_reduce(torch.ones(8))
        log.info("step %d reduced", step)
    threading.Thread(target=dump_later, args=(rank,), daemon=True).start()
    call_oddly(rank, odd)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--odd", choices=["order", "sizes", "late"], required=True)
    main(parser.parse_args().odd)
