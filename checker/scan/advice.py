"""Lines that report an error in general words. A line enters; whether it counts leaves."""

from checker.lazy_patterns import lazy_pattern
from checker.model import Line

_NAMED_ERROR = lazy_pattern(
    r"(?:(?:Error|Exception)|\b[Ee]rror|\bERROR|FATAL|\b[Ff]atal(?: error)?|panic)[:\]]"
)
_FIRST_WORD = lazy_pattern(r"(?:CRITICAL|FATAL|PANIC)\b")
# Lines with which a process, its shell or its scheduler says that it ends.
_ENDS = lazy_pattern(
    r"Fatal Python error: |\(core dumped\)|\bterminate called\b"
    r"|\bdouble free or corruption\b|\bcorrupted size vs\. prev_size\b"
    r"|\b(?:free|malloc|realloc|munmap_chunk)\(\): "
    r"|\*\*\* (?:JOB [^*]{1,200}CANCELLED AT|STEP [^*]{1,200}CANCELLED AT [^*]{1,100} DUE TO) "
    r"|^(?:[\w./-]{1,200}: line \d{1,6}: *)?(?:\d{1,9} +)?"
    r"(?:Segmentation fault|Bus error|Aborted|Illegal instruction|Floating point exception|Killed)"
    r"(?: {2,}\S.{0,400})?$"
)
ERROR_LITERALS = (
    "terminate called",
    "double free or corruption",
    "corrupted size vs. prev_size",
    "(): invalid",
    "malloc(): ",
    "NCCL WARN",
    "ProcessGroup",
    "command not found",
    "-fs error (device ",
    "I/O error, dev ",
)
_ERROR_WORDS = lazy_pattern(
    r"\b(?:NCCL WARN|Xid \(|failed|Failed|cannot|Cannot|denied|No space left"
    r"|-fs error \(device|I/O error, dev)\b|: command not found$"
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


def reports_end(line: Line) -> bool:
    """Tell whether a line says in general words that a process was ended or ends."""
    return _ENDS.search(line.text[:2000]) is not None


def is_fixed_text(line: Line) -> bool:
    """Tell whether a line is a fixed text of a wrapper, a teardown or advice, or a C++ frame."""
    text = line.text[:2000]
    return text.lstrip().startswith("frame #") or any(words in text for words in _ADVICE)


def reports_error(line: Line) -> bool:
    """Tell whether a line is worth showing where no entry explains the run."""
    text = line.text[:2000]
    if not text or is_fixed_text(line):
        return False
    if line.level in ("ERROR", "FATAL") or _FIRST_WORD.match(text):
        return True
    if line.level in ("DEBUG", "INFO"):
        return False
    if line.level == "WARNING" and "NCCL WARN" not in text:
        return _NAMED_ERROR.search(text) is not None
    return _NAMED_ERROR.search(text) is not None or _ERROR_WORDS.search(text) is not None
