"""Lines that report an error in general words. A line enters; whether it counts leaves."""

from checker.lazy_patterns import lazy_pattern
from checker.model import Line

_NAMED_ERROR = lazy_pattern(
    r"(?:(?:Error|Exception)|\b[Ee]rror|\bERROR|FATAL|\b[Ff]atal(?: error)?|panic)[:\]]"
)
_ERROR_WORDS = lazy_pattern(
    r"\b(?:NCCL WARN|Xid \(|failed|Failed|cannot|Cannot|denied|No space left)\b"
)
# Fixed texts of wrappers, teardown and advice: they never say what failed.
_ADVICE = (
    "CUDA_LAUNCH_BLOCKING",
    "TORCH_USE_CUDA_DSA",
    "To enable traceback see",
    "closing signal SIG",
    "destroy_process_group",
    "leaked semaphore",
    "Exception ignored in",
    "returned non-zero exit status",
    "ChildFailedError",
    "taking the entire process down",
    "For debugging consider passing",
    "might be asynchronously reported",
    "FAILED",
    "error_file:",
)


def reports_error(line: Line) -> bool:
    """Tell whether a line is worth showing where no entry explains the run."""
    text = line.text[:2000]
    if not text or any(words in text for words in _ADVICE):
        return False
    if line.level in ("ERROR", "FATAL"):
        return True
    if line.level in ("DEBUG", "INFO"):
        return False
    if line.level == "WARNING" and "NCCL WARN" not in text:
        return _NAMED_ERROR.search(text) is not None
    return _NAMED_ERROR.search(text) is not None or _ERROR_WORDS.search(text) is not None
