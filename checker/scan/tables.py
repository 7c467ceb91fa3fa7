"""Tables of metrics, as YOLO prints them: a row of names, then rows of numbers before a bar."""

from typing import Dict, Optional, Tuple

from checker.lazy_patterns import lazy_pattern
from checker.scan.metrics import NUMBER_PATTERN, Reading, number_of

TABLE_HEAD = "GPU_mem"
_CELL = lazy_pattern(r"(?:" + NUMBER_PATTERN + r")$")
_EPOCH = lazy_pattern(r"(\d{1,7})/\d{1,7}$")
_MOST_CELLS = 40


def column_names(text: str) -> Tuple[str, ...]:
    """Read the names of a table's columns; empty where the line has none."""
    if TABLE_HEAD not in text:
        return ()
    names = text.split()
    if names[:2] != ["Epoch", TABLE_HEAD] or len(names) > _MOST_CELLS:
        return ()
    return tuple(names)


def with_columns(
    reading: Optional[Reading], names: Tuple[str, ...], text: str
) -> Optional[Reading]:
    """Add what stands in the columns of a row to what its bar says."""
    cells = text[:4096].split()[: len(names)]
    epoch = _EPOCH.match(cells[0]) if len(cells) == len(names) else None
    if epoch is None:
        return reading
    values: Dict[str, float] = {} if reading is None else dict(reading.values)
    values["epoch"] = float(epoch.group(1))
    for name, cell in zip(names[2:], cells[2:]):
        number = cell.rstrip(":")
        if _CELL.match(number):
            values[name] = number_of(number)
    return Reading(None if reading is None else reading.step, tuple(values.items()))
