"""What the one file has in place of `typing`: names that cost nothing, and cheap tuples with names.

A start imports `typing` only to evaluate annotations that nobody reads, and compiles a constructor
for each tuple with names though it makes few of them. The assembler gives `PLAIN_HINT` to every
name that the modules import from `typing`, and `PlainTuple` to `NamedTuple`. This module stands
first in the one file, and therefore runs on Python 3.6.
"""

import _collections  # type: ignore[import-not-found]


def _by_property(index, _):  # type: ignore[no-untyped-def]
    """Name one place of a tuple where Python has no faster way, as before 3.8."""
    return property(lambda self: self[index])


_name_place = getattr(_collections, "_tuplegetter", _by_property)


class _Hint:
    """Takes the place of every form that an annotation can have."""

    def __getitem__(self, _: object) -> "_Hint":
        return self

    def __call__(self, *_: object) -> "_Hint":
        return self

    def __mro_entries__(self, _: object) -> tuple:  # type: ignore[type-arg]
        """Let a class that is said to be of a kind be a plain one."""
        return ()


PLAIN_HINT = _Hint()


class _Fields(tuple):  # type: ignore[type-arg]
    """A tuple whose places have names; the classes made by `_TupleMaker` know them."""

    __slots__ = ()
    _fields = ()
    _field_defaults = {}  # type: ignore[var-annotated]

    def _replace(self, **changes):  # type: ignore[no-untyped-def]
        made = tuple.__new__(type(self), map(changes.pop, self._fields, self))
        if changes:
            raise ValueError("Got unexpected field names: {!r}".format(list(changes)))
        return made

    def __getnewargs__(self):  # type: ignore[no-untyped-def]
        # What is unpickled is made by the constructor, which takes the places one by one.
        return tuple(self)

    def _asdict(self):  # type: ignore[no-untyped-def]
        return dict(zip(self._fields, self))

    def __repr__(self) -> str:
        pairs = zip(self._fields, self)  # type: ignore[var-annotated]
        shown = ", ".join("{}={!r}".format(name, value) for name, value in pairs)
        return "{}({})".format(type(self).__name__, shown)


def _first_new(cls, *values, **named):  # type: ignore[no-untyped-def]
    """Make the first tuple of a class: write its constructor, which makes all others."""
    owner = next(base for base in cls.__mro__ if "_fields" in vars(base))
    names = ", ".join(owner._fields)
    source = "lambda _cls, {0}: _new(_cls, ({0},))" if names else "lambda _cls: _new(_cls, ())"
    constructor = eval(source.format(names), {"_new": tuple.__new__})
    constructor.__defaults__ = tuple(owner._field_defaults.values())
    owner.__new__ = constructor
    return constructor(cls, *values, **named)


class _TupleMaker(type):
    """Makes the classes that are written as subclasses of `PlainTuple`."""

    def __new__(mcs, name, bases, scope):  # type: ignore[no-untyped-def]
        if not bases:
            return type.__new__(mcs, name, bases, scope)
        # Python 3.14 has a function that gives the annotations; 1 asks it for their values.
        late = scope.get("__annotate__") or scope.get("__annotate_func__")
        fields = tuple(late(1) if late else scope.get("__annotations__", ()))
        body = {key: value for key, value in scope.items() if key not in fields}
        for index, field in enumerate(fields):
            body[field] = _name_place(index, None)
        body["__slots__"] = ()
        body["_fields"] = fields
        body["_field_defaults"] = {field: scope[field] for field in fields if field in scope}
        body["__new__"] = _first_new
        return type(name, (_Fields,), body)


class PlainTuple(metaclass=_TupleMaker):
    """Stands where `typing.NamedTuple` stands in the modules."""
