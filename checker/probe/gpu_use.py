"""Which GPU a rank uses, and what that did in both looks: loads enter, one `GpuUse` a rank leaves.

Load says only that a kernel runs. A collective's kernel spins until its peers come, so that a
rank that waits has a full load too; power tells it from work.
"""

from typing import Dict, List, NamedTuple, Optional, Sequence

from checker.probe.gpus import GpuLoad
from checker.probe.processes import TrainingProcess

_FULL, _IDLE = 90.0, 5.0
_SPINNING_SHARE = 0.45
"""A kernel that spins takes less of the power limit than this, training usually more."""


class GpuUse(NamedTuple):
    """One GPU in two looks."""

    number: int
    loads: Sequence[float]
    """Percent, of each look that told it."""
    powers: Sequence[float]
    """Watts."""
    limit: Optional[float]

    @property
    def spins(self) -> bool:
        """Whether it is full in both looks, and takes the power of waiting."""
        return (
            len(self.loads) == len(self.powers) == 2
            and bool(self.limit)
            and min(self.loads) >= _FULL
            and max(self.powers) < _SPINNING_SHARE * (self.limit or 0.0)
        )

    @property
    def works(self) -> bool:
        """Whether it was used in both looks, with more power than waiting takes."""
        return (
            len(self.loads) == len(self.powers) == 2
            and bool(self.limit)
            and min(self.loads) >= _IDLE
            and min(self.powers) >= _SPINNING_SHARE * (self.limit or 0.0)
        )

    @property
    def idles(self) -> bool:
        """Whether it did nothing in both looks."""
        return len(self.loads) == 2 and max(self.loads) < _IDLE

    @property
    def words(self) -> str:
        """Tell load and power of the second look."""
        power = ", {:.0f} W".format(self.powers[-1]) if self.powers else ""
        limit = " of {:.0f} W".format(self.limit) if self.powers and self.limit else ""
        return "GPU {}: load {:.0f} %{}{}".format(self.number, self.loads[-1], power, limit)


def gpu_uses(
    ranks: Sequence[TrainingProcess],
    first: Dict[int, GpuLoad],
    second: Dict[int, GpuLoad],
    users: Dict[int, List[str]],
) -> Dict[int, GpuUse]:
    """Find the GPU of each rank: by the driver's list of processes, else by its environment."""
    numbers = {load.uuid: number for number, load in second.items()}
    found = {}
    for one in ranks:
        told = [numbers[uuid] for uuid in users.get(one.pid, ()) if uuid in numbers]
        number = told[0] if len(told) == 1 else _chosen(one, numbers)
        if number in first and number in second:
            looks = [first[number], second[number]]
            loads = [look.load for look in looks if look.load is not None]
            powers = [look.power for look in looks if look.power is not None]
            if loads:
                found[one.pid] = GpuUse(number, loads, powers, second[number].limit)
    return found


def _chosen(one: TrainingProcess, numbers: Dict[str, int]) -> int:
    """Tell which GPU a rank of torchrun takes: its local rank's, of those that it can see."""
    visible = one.environment.get("CUDA_VISIBLE_DEVICES")
    names = [name.strip() for name in visible.split(",")] if visible else []
    place = one.local_rank
    if place is None:
        place = 0 if len(names) == 1 else -1
    if not names:
        return place
    name = names[place] if 0 <= place < len(names) else ""
    if name.isdigit():
        return int(name)
    return next((number for uuid, number in numbers.items() if name and uuid.startswith(name)), -1)
