"""The base of every part of an entry."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic_core import PydanticCustomError


class Part(BaseModel):
    """A mapping of the front matter: strict, closed and immutable."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


Text = Annotated[str, Field(min_length=1)]
Id = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=80)]
Url = Annotated[str, Field(pattern=r"^https://[^\s<>\"]+$")]
Version = Annotated[str, Field(pattern=r"^[0-9]+(\.[0-9]+)*([a-z0-9.+-]*)$", max_length=64)]
SignName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]


def widened(value: Any, key: str) -> Any:
    """Put a value written in its short form under *key*; leave a mapping as it is."""
    return value if isinstance(value, dict) else {key: value}


def listed(value: Any) -> Any:
    """Make a list of one out of a single value."""
    return value if isinstance(value, list) else [value]


def refused(code: str, message: str, help: str) -> PydanticCustomError:
    """Make the error by which a model says what is wrong, and how to mend it, in its own words."""
    return PydanticCustomError(code, "{message}", {"message": message, "help": help})
