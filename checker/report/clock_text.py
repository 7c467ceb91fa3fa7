"""A moment as text: a `Moment` enters, what the log's own clock showed leaves.

No zone is ever added or converted: only a clock that printed its zone is marked with `Z`, a clock
without a year begins with `--` as in ISO 8601, and the kernel's clock is `boot+SECONDS`.
"""

from typing import List, Optional, Sequence, Tuple

from checker.model import NOT_BEFORE, ClockOffset, Moment
from checker.report.terminal import TextRow, wrap_text

_DAY_SECONDS = 86400
_MOST_CLOCKS = 4
_TOLD_BY = {
    "step": "steps that both print",
    "communicator": "an NCCL communicator",
    "rendezvous": "a rendezvous",
    "timeout": "one operation that both gave up",
    "cancel": "a cancel by Slurm",
    "line": "lines with two times",
}


def moment_text(moment: Optional[Moment]) -> Optional[str]:
    """Show the moment as its clock printed it, no finer than it was printed."""
    if moment is None or moment.precision >= NOT_BEFORE:
        return None
    digits = _printed_digits(moment.precision)
    scale = 10**digits
    whole, fraction = divmod(round(moment.seconds * scale), scale)
    tail = ".{:0{}d}".format(fraction, digits) if digits else ""
    if moment.clock == "boot":
        return "boot+{}{}".format(whole, tail)
    days, second = divmod(whole, _DAY_SECONDS)
    year, month, day = civil_date(days)
    begin = "-" if moment.clock == "yearless" else "{:04d}".format(year)
    text = "{}-{:02d}-{:02d}".format(begin, month, day)
    if moment.precision < _DAY_SECONDS:
        text += "T{:02d}:{:02d}".format(second // 3600, second // 60 % 60)
        if moment.precision < 60:
            text += ":{:02d}{}".format(second % 60, tail)
    return text + ("Z" if moment.clock == "utc" else "")


def spoken_moment(moment: Optional[Moment]) -> Optional[str]:
    """Say the moment as a person reads it: to the second, with a word where the clock lacks one."""
    if moment is None or moment.precision >= NOT_BEFORE:
        return None
    if moment.clock == "boot":
        return "{} s after boot".format(int(moment.seconds))
    text = str(moment_text(moment._replace(precision=max(moment.precision, 1.0))))
    text = text.replace("T", " ").replace("Z", " UTC")
    return text[2:] + " (no year in the log)" if moment.clock == "yearless" else text


def clock_rows(offsets: Sequence[ClockOffset]) -> List[TextRow]:
    """Say whose times were shifted for the order of events; all times are shown as printed."""
    # Seconds since boot are off by nothing: they are of no calendar.
    told = [offset for offset in offsets if offset.clock != "boot"]
    texts = [_offset_text(offset) for offset in told[:_MOST_CLOCKS]]
    left = len(told) - _MOST_CLOCKS
    if left > 0:
        texts.append("and {} more (--format json has all)".format(left))
    return [("plain", row) for text in texts for row in wrap_text(text, "  ", "    ")]


def _offset_text(offset: ClockOffset) -> str:
    """Say how far a clock was off: ahead, if seconds are taken from its times."""
    return "the clock of {} is {} s {} (give or take {} s), as {} tell{}".format(
        offset.host or offset.path or "the machine",
        _seconds_text(abs(offset.shift)),
        "ahead" if offset.shift < 0 else "behind",
        _seconds_text(offset.doubt),
        _TOLD_BY.get(offset.by, offset.by),
        "" if offset.by in ("step", "line") else "s",
    )


def _seconds_text(seconds: float) -> str:
    """Show seconds no finer than a clock's offset is known."""
    return "{:,.0f}".format(seconds) if seconds >= 10 else "{:.3g}".format(seconds)


def civil_date(days: int) -> Tuple[int, int, int]:
    """Turn days since 1970-01-01 into year, month and day.

    The calendar repeats every 400 years (146,097 days). Counting from the first of March puts
    the leap day last, so that the lengths of the months follow one formula. Unlike `datetime`,
    this holds for every number that a damaged log may yield.
    """
    era, day_of_era = divmod(days + 719468, 146097)
    year_of_era = (
        day_of_era - day_of_era // 1460 + day_of_era // 36524 - day_of_era // 146096
    ) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    shifted = (5 * day_of_year + 2) // 153
    day = day_of_year - (153 * shifted + 2) // 5 + 1
    month = shifted + 3 if shifted < 10 else shifted - 9
    return era * 400 + year_of_era + (1 if month <= 2 else 0), month, day


def _printed_digits(precision: float) -> int:
    """Tell how many decimals were printed; more than six exceed what a float of seconds holds."""
    digits = 0
    while digits < 6 and precision * 10**digits < 0.999:
        digits += 1
    return digits
