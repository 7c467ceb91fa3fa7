"""How programs print how far they are, where no word such as `step` tells.

A payload enters; the places of the step, of what it is of, and of the epoch leave. Each form is
that of programs which are named beside it.
"""

from typing import NamedTuple, Optional, Tuple

from checker.lazy_patterns import lazy_pattern

Span = Tuple[int, int]


class Counted(NamedTuple):
    """Where a record tells how far the training is."""

    step: Optional[Span]
    total: Optional[Span] = None
    epoch: Optional[Span] = None
    progress: Optional[Span] = None
    """A number that grows with the steps, and is rounded."""
    end: int = 0
    """Where the values begin that stand behind it."""

    def places(self) -> Tuple[Tuple[str, Span], ...]:
        """Name the places as values; a counter that has a total is like a bar."""
        places = []
        if self.step is not None and self.total is not None:
            places = [("bar", self.step), ("bar_total", self.total)]
        if self.epoch is not None:
            places.append(("epoch", self.epoch))
        if self.progress is not None:
            places.append(("progress", self.progress))
        return tuple(places)


# One of these stands near the beginning of every head.
_HEAD_HINT = lazy_pattern(
    r"\d/\s{0,9}\d|atch=|[\u2501\u2578\u257a]|\d\]?:?\t|\d\] \S|[Ee]poch|iteration|Ep\. "
    r"|, \s{0,9}\d|Progress on:|Trial |work unit|tick |\.\d{6} "
)
_LONGEST_START = 120
# Each stands for itself, whatever values are behind it.
COUNTER_HEADS = tuple(
    lazy_pattern(form)
    for form in (
        # Keras, with and without a bar.
        r"\s{0,8}(?P<step>\d{1,12})/(?P<total>\d{1,12}) "
        r"(?:\[[=.>]{5,60}\] - |\u2501{5,60} |- \d{1,8}s )",
        # Composer: the values stand in lines of their own.
        r"\[(?:epoch=(?P<epoch>\d{1,9})\]\[)?batch=(?P<step>\d{1,12})(?:/\d{1,12})?\]:?\s{0,8}$",
        # The bar of Lightning's RichProgressBar, whose last part is blank where nothing has color.
        r"Epoch (?P<epoch>\d{1,9})(?:/\S{1,12})?\s{1,8}[\u2501\u2578\u257a]{1,400}\s{1,400}"
        r"(?P<step>\d{1,12})/(?:(?P<total>\d{1,12})|--) [\d:-]{5,16} \u2022 ",
        # XGBoost and LightGBM.
        r"\[(?P<step>\d{1,9})\]\t(?=[^\s:]{1,60}(?:'s [^:\t]{1,60})?:)",
        # CatBoost.
        r"(?P<step>\d{1,9}):\t(?=(?:learn|test): )",
        # Accelerate's examples.
        r"epoch (?P<epoch>\d{1,9}): (?=\{)",
        # tqdm-loggable, which Levanter uses.
        r".{0,80}?\bProgress on:[^/]{0,80} (?P<progress>\d{1,4}(?:\.\d{1,3})?)[kMG]?(?:it)?"
        r"/\S{1,20} rate:",
        # CLU, in the examples of Flax: its values, and its reports of progress.
        r"\[(?P<step>\d{1,12})\] (?=[\w/@.-]{1,80}=[-\d])",
        r"Setting work unit notes: .{0,60}?\((?P<step>\d{1,12})/(?P<total>\d{1,12})\)",
        # The tables of fastai, and StyleGAN.
        r"(?P<epoch>\d{1,6})\s{2,12}\d{1,9}\.\d{6}\s{2,12}[\d. ]{8,200}\s\d{1,3}:\d\d\s{0,8}$",
        r"tick (?P<step>\d{1,9})\s{1,16}kimg ",
        # Ray Tune, now and before.
        r"Trial \S{1,100} finished iteration (?P<step>\d{1,9}) at ",
        r"\s{2,4}training_iteration: (?P<step>\d{1,9})$",
        # Stable-Baselines3.
        r"\|\s{1,8}iterations\s{1,40}\| (?P<step>\d{1,9})\s{1,20}\|$",
        # ESPnet.
        r".{0,60}?\b(?P<epoch>\d{1,9})epoch:train:\d{1,9}-(?P<step>\d{1,9})batch: ",
        # Marian.
        r"Ep\. [\d.]{1,12} : Up\. (?P<step>\d{1,12}) : ",
        # GluonCV.
        r"\[Epoch (?P<epoch>\d{1,9})(?:\]\[| )Batch (?P<step>\d{1,9})(?:/\d{1,9})?\]",
        # CycleGAN.
        r"\(epoch: (?P<epoch>\d{1,9}), iters: (?P<step>\d{1,12}), time: ",
        # Examples and tutorials of PyTorch: DCGAN, the language model, the classifier.
        r"\[(?P<epoch>\d{1,9})/\d{1,9}\]\[\s{0,9}(?P<step>\d{1,12})/(?P<total>\d{1,12})\]",
        r"\| epoch\s{1,9}(?P<epoch>\d{1,9}) \|\s{1,9}(?P<step>\d{1,12})/\s{0,9}(?P<total>\d{1,12}) "
        r"batches \|",
        r"\[(?P<epoch>\d{1,9}), \s{0,9}(?P<step>\d{1,12})\](?= loss: )",
    )
)
# In a record of known values: the imagenet example, timm, mmengine, Swin, MetricLogger of DETR and
# torchvision, PaddleDetection; with a percentage the mnist example.
_FRACTION = lazy_pattern(
    r"(?P<word>[Ee]poch\W{0,3})?\[\s{0,11}(?P<step>\d{1,12})/(?P<total>\d{1,12})"
    r"(?:\s{0,4}\(\s{0,4}\d{1,3}%\))?\]"
)
_NAMED_EPOCH = lazy_pattern(
    r"(?:\b[Ee]poch(?:\(train\))?|EPOCH|^Train:)\W{0,6}(?P<epoch>\d{1,9})\b(?!\.\d)"
)


def counter_of_head(text: str) -> Optional[Counted]:
    """Read a counter that stands for itself at the beginning."""
    if not _HEAD_HINT.search(text, 0, _LONGEST_START):
        return None
    for form in COUNTER_HEADS:
        found = form.match(text)
        if found is not None:
            groups = found.groupdict()
            spans = {name: found.span(name) for name, value in groups.items() if value is not None}
            return Counted(
                spans.get("step"),
                spans.get("total"),
                spans.get("epoch"),
                spans.get("progress"),
                found.end(),
            )
    return None


def counter_of_record(text: str, value: Span) -> Optional[Counted]:
    """Read the counter of a record whose first known value stands at *value*.

    Of several fractions the last one before the values counts, or else the first one behind.
    """
    fractions = list(_FRACTION.finditer(text)) if "/" in text else []
    before = [found for found in fractions if found.start() < value[0]]
    chosen = before[-1] if before else next(iter(fractions), None)
    if chosen is not None and chosen.group("word") is not None:
        return Counted(None, None, chosen.span("step"))
    named = _NAMED_EPOCH.search(text)
    epoch = named.span("epoch") if named is not None else None
    if chosen is not None:
        return Counted(chosen.span("step"), chosen.span("total"), epoch)
    return Counted(None, None, epoch) if epoch is not None else None
