"""Comparisons of captured values, and logic with three truth values.

The text of a comparison and a way to look up its names enter; true, false, or None for unknown
leaves.
"""

from typing import Any, Callable, Dict, Iterable, List, Optional

from checker.match.values import comparison_tokens


def compare_values(text: str, look_up: Callable[[str], Any]) -> Optional[bool]:
    """Judge a comparison as `idle >= tried` or `code in [144..150]`; names are looked up."""
    try:
        tokens = comparison_tokens(text)
        for position, token in enumerate(tokens):
            if token in _COMPARISONS or token == "in":
                left = _total(tokens[:position], look_up)
                if token == "in":
                    return None if left is None else _is_in(left, tokens[position + 1 :])
                right = _total(tokens[position + 1 :], look_up)
                return None if None in (left, right) else _COMPARISONS[token](left, right)
    except (ValueError, TypeError, IndexError):
        pass
    return None


def compared_names(text: str) -> List[str]:
    """List the names that a comparison looks up."""
    try:
        tokens = comparison_tokens(text)
    except ValueError:
        return []
    return [t for t in tokens if isinstance(t, str) and t[:1].isalpha() and t != "in"]


_COMPARISONS: Dict[Any, Callable[[Any, Any], bool]] = {
    ">=": lambda left, right: bool(left >= right),
    "<=": lambda left, right: bool(left <= right),
    ">": lambda left, right: bool(left > right),
    "<": lambda left, right: bool(left < right),
    "==": lambda left, right: bool(left == right),
    "!=": lambda left, right: bool(left != right),
}


def _is_in(value: Any, tokens: List[Any]) -> bool:
    items = tokens[1:-1]
    if ".." in items:
        return bool(items[0] <= value <= items[2])
    return value in [item for item in items if item != ","]


def _total(tokens: List[Any], look_up: Callable[[str], Any]) -> Any:
    """Add up products; None where a name has no value."""
    total: Any = None
    sign = "+"
    product: List[Any] = []
    for token in [*tokens, "+"]:
        if token in ("+", "-"):
            value = _product(product, look_up)
            if value is None:
                return None
            total = value if total is None else total + value if sign == "+" else total - value
            sign, product = token, []
        elif token not in ("*", "\u00d7"):
            product.append(token)
    return total


def _product(factors: List[Any], look_up: Callable[[str], Any]) -> Any:
    result: Any = None
    for factor in factors:
        value = look_up(factor) if isinstance(factor, str) else factor
        if value is None:
            return None
        result = value if result is None else result * value
    return result


def all_of(verdicts: Iterable[Optional[bool]]) -> Optional[bool]:
    """Join three-valued verdicts of which each must hold."""
    found = list(verdicts)
    return False if False in found else None if None in found else True


def any_of(verdicts: Iterable[Optional[bool]]) -> Optional[bool]:
    """Join three-valued verdicts of which one must hold."""
    found = list(verdicts)
    return True if True in found else None if None in found else False
