"""DeepSpeed with ZeRO 2 on two processes on the CPU, with its warnings and a saved checkpoint."""

import deepspeed
import torch
from torch import nn

NEEDS = ["torch", "deepspeed", "numpy"]
COMMAND = ["deepspeed", "--num_accelerators=2", "deepspeed_cpu.py"]
EXPECT = ["[INFO] [launch.py", "DeepSpeed info: version=", "exits successfully"]

CONFIG = {
    "train_micro_batch_size_per_gpu": 4,
    "gradient_accumulation_steps": 1,
    "gradient_clipping": 1.0,
    "steps_per_print": 5,
    "wall_clock_breakdown": True,
    "bf16": {"enabled": True},
    "zero_optimization": {"stage": 2},
    "zero_allow_untested_optimizer": True,
}


def main() -> None:
    """Train and save."""
    torch.manual_seed(7)
    model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 1))
    engine, _, _, _ = deepspeed.initialize(
        model=model,
        config=CONFIG,
        optimizer=torch.optim.AdamW(model.parameters(), lr=1e-3),
    )
    for step in range(1, 21):
        rows = torch.randn(4, 16, dtype=torch.bfloat16)
        loss = engine(rows).float().pow(2).mean()
        engine.backward(loss)
        engine.step()
        if engine.global_rank == 0:
            print(f"step {step} loss {loss.item():.4f} error {loss.item() ** 0.5:.4f}", flush=True)
    engine.save_checkpoint("checkpoints")
    deepspeed.comm.destroy_process_group()


if __name__ == "__main__":
    main()
