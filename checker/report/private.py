"""What in a text is private: texts enter; names that they tell, and places of private text, leave.

Secrets and addresses are known by their form. Names of hosts and users are found where a text
tells them for sure, and then wherever they stand, as whole words. A private place has a kind
(`secret`, `mail`, `address`, `host`, `user`) and a key, by which equal things are known as equal.
"""

import re
from typing import Callable, Container, Dict, Iterable, Iterator, List, Tuple

from checker.match.homes import known_host

# A name in lower case, and its kind and key.
Names = Dict[str, Tuple[str, str]]
# Where it begins and ends, its kind and its key.
PrivateSpan = Tuple[int, int, str, str]
_FormRule = Tuple[str, str, Callable[["re.Match[str]"], bool]]


def private_names(texts: Iterable[str], hosts: Iterable[str], kept: Container[str]) -> Names:
    """Collect the names of users and hosts that texts tell, and the *hosts* that are known.

    A name in *kept* is a common word: it is left where nothing around it says that it is a name.
    """
    names: Names = {}
    for host in sorted(set(hosts)):
        _note_host(names, host, kept)
    for text in texts:
        for listed in _listed_hosts(text):
            _note_host(names, listed, kept)
        for _, _, kind, key in _told_by_form(text):
            if kind == "host":
                _note_host(names, key, kept)
            elif kind == "user" and _stands_out(key, kept):
                names.setdefault(key, (kind, key))
    return names


def private_spans(text: str, names: Names) -> List[PrivateSpan]:
    """List the private places of a text, none over another, in their order."""
    found: List[PrivateSpan] = []
    for span in (*_told_by_form(text), *_named_spans(text, names)):
        if all(span[1] <= other[0] or span[0] >= other[1] for other in found):
            found.append(span)
    return sorted(found)


def _note_host(names: Names, host: str, kept: Container[str]) -> None:
    label = known_host(host)
    if label is None or not _stands_out(label, kept) or _is_address(host):
        return
    names[label.lower()] = names[host.lower()] = ("host", label.lower())


def _stands_out(name: str, kept: Container[str]) -> bool:
    common = "root nobody user ubuntu admin runner docker host node rank worker master local"
    return len(name) > 1 and not name.isdigit() and name not in kept and name not in common.split()


def _told_by_form(text: str) -> Iterator[PrivateSpan]:
    if not re.search(r"[@:./=\\_-]|[A-Za-z0-9+]{20}|(?i:bearer|basic) ", text):
        return
    for kind, pattern, holds in _form_rules():
        for found in re.finditer(pattern, text):
            if not holds(found):
                continue
            if kind == "login":
                yield (*found.span(1), "user", found.group(1).lower())
                yield (*found.span(2), "host", found.group(2).partition(".")[0].lower())
                continue
            group = 1 if found.re.groups else 0
            key = found.group(group)
            if kind in ("host", "user"):
                key = key.lower().partition(".")[0] if kind == "host" else key.lower()
            yield (*found.span(group), kind, key)


def _listed_hosts(text: str) -> Iterator[str]:
    """List the hosts of Slurm's short form: `gpu-[01-02,7]` are gpu-01, gpu-02 and gpu-7."""
    lists = re.finditer(_HOST_LIST, text) if "[" in text else ()
    for found in lists:
        for part in found.group(2).split(","):
            first, _, last = part.partition("-")
            for number in range(int(first), min(int(last or first), int(first) + _MOST_LISTED) + 1):
                yield found.group(1) + str(number).zfill(len(first))


def _form_rules() -> List[_FormRule]:
    """List what is private by its form; each repetition has a bound."""
    any_word = r"(?<![A-Za-z0-9]){}"
    issued = (
        r"(?:AKIA|ASIA|AROA|AIDA)[0-9A-Z]{16}(?![0-9A-Za-z])",
        r"(?:hf_|api_org_)[A-Za-z0-9]{20,100}",
        r"(?:gh[pousr]_|github_pat_|glpat-)[A-Za-z0-9_-]{20,255}",
        r"(?:sk|pk|rk)-[A-Za-z0-9_-]{20,255}",
        r"xox[abeprs]-[A-Za-z0-9-]{10,255}",
        r"AIza[A-Za-z0-9_-]{35}",
        r"wandb_v1_[A-Za-z0-9_-]{20,255}",
        r"npm_[A-Za-z0-9]{36}",
        r"dapi[0-9a-f]{32}",
        r"eyJ[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{8,4000}(?:\.[A-Za-z0-9_-]{0,4000})?",
    )
    named = r"(?i)(?<![A-Za-z])(?:[A-Za-z0-9_-]{0,40}[_-])?"
    value = r"['\"]?\s{0,3}[=:]\s{0,3}['\"]?"
    return [
        ("secret", _KEY_BLOCK, _always),
        ("secret", r"(?<![\w+/=.-])[A-Za-z0-9+/]{64}(?![\w+/=.-])", _is_mixed),
        *[("secret", any_word.format(form), _always) for form in issued],
        ("secret", r"hooks\.slack\.com/services/([A-Za-z0-9/_-]{8,200})", _always),
        # Behind an option, and in quotes, a secret can hold what would end it elsewhere.
        (
            "secret",
            r"(?i)--[a-z0-9_-]{0,40}(?:pass|passwd|password|passphrase|secret|token|api[_-]?key)"
            r"[ =]['\"]?([^\s'\"]{1,400})",
            _always,
        ),
        ("secret", r"(?i)\bcurl\b[^\n]{0,200}? (?:-u|--user) [^\s:]{1,100}:(\S{1,200})", _always),
        ("secret", r"(?i)secret\"?\s{0,3}[=:]\s{0,3}\"([^\"\n]{1,400})\"", _always),
        ("secret", r"(?i)[?&](?:sig|signature|x-amz-signature)=([^\s&'\"]{6,400})", _always),
        ("secret", r"(?i)\b(?:bearer|basic)\s{1,3}([A-Za-z0-9+/=._~-]{8,4000})", _is_opaque),
        ("secret", r"[a-z][a-z0-9+.-]{1,20}://[^\s/@:]{0,100}:([^\s/@]{1,200})@", _always),
        (
            "secret",
            named
            + r"(?:(?:PG)?password|passwd|(?<=_)pass|secret|secret_access_key)"
            + value
            + r"([^\s'\",;&]{1,400})",
            _always,
        ),
        (
            "secret",
            named
            + r"(?:token|api[_-]?key|access[_-]?key|auth)"
            + value
            + r"([A-Za-z0-9+/=._~-]{6,400})",
            _is_opaque,
        ),
        ("secret", r"(?i)wandb[^\n]{0,40}?(?<![0-9a-f])([0-9a-f]{40})(?![0-9a-f])", _always),
        ("mail", r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}", _is_mail),
        (
            "login",
            r"(?:(?<![\w.@:/-])|(?<=://))([A-Za-z_][\w-]{0,31})@([A-Za-z][\w-]{0,62})(?![\w.@(=-])",
            _always,
        ),
        ("user", r"[/\\](?:home|Users|u|users)[/\\]+([A-Za-z0-9_][\w.-]{1,63})", _is_user),
        ("user", r"(?i)\blogged in as:? ([A-Za-z0-9][\w.-]{1,63})(?<![.])", _is_user),
        ("user", r"(?i)\buid=\d{1,10}\(([A-Za-z_][\w-]{0,31})\)", _is_user),
        (
            "host",
            r"\b(?:of|to|on|at|from) \(([A-Za-z][\w-]{0,62})(?:\.[\w.-]{1,190})?, \d{4,5}\)",
            _is_host,
        ),
        ("host", r"\bhost ([A-Za-z][\w-]{0,62})(?:\.[\w.-]{1,190})?:\d{2,5}\b", _is_host),
        ("host", r"\b(?:JOB|STEP) [\w.]{1,40} ON ([A-Za-z][\w-]{0,62})", _is_host),
        ("host", _HOST_LIST, _is_host),
        ("host", r"(?<![\w.-])ip-\d{1,3}(?:-\d{1,3}){3}(?:\.[\w-]{1,63}){0,6}", _always),
        (
            "host",
            r"(?<![\w.-])[A-Za-z][\w-]{0,62}(?:\.[\w-]{1,63}){0,6}"
            r"\.(?:internal|local|lan|corp|intra|localdomain)(?![\w.-])",
            _always,
        ),
        ("address", r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?!\w|\.\d|-[A-Za-z])", _is_address_4),
        (
            "address",
            r"(?<![\w:.])[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7}(?![\w:.])",
            _is_address_6,
        ),
    ]


_MOST_LISTED = 4096
# Only where a word before it says so: `cuda[0-3]` is a list of devices.
_HOST_LIST = (
    r"(?i)(?:\b(?-i:ON)|\bnodes?|\bhosts?|\bsrun: error:|\w{0,40}node_?list)[\"' =:]{1,4}"
    r"([A-Za-z][\w-]{0,62})\[(\d{1,6}(?:-\d{1,6})?(?:,\d{1,6}(?:-\d{1,6})?){0,200})\]"
)
_KEY_BLOCK = (
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----"
    r"[\s\S]{0,8000}?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----|\Z)"
)


def _always(found: "re.Match[str]") -> bool:
    return True


def _is_mixed(found: "re.Match[str]") -> bool:
    text = found.group()
    return all(re.search(kind, text) for kind in ("[a-z]", "[A-Z]", "[0-9]"))


def _is_opaque(found: "re.Match[str]") -> bool:
    """Tell a value from a word: digits and letters, or capitals inside, or padding."""
    text = found.group(1)
    if not re.search("[A-Za-z]", text):
        return False
    return re.search("[0-9]|[a-z][A-Z]|=$", text) is not None


def _is_mail(found: "re.Match[str]") -> bool:
    """Leave `git@github.com`, and a package at a version."""
    name, _, place = found.group().partition("@")
    return name != "git" and not place[:1].isdigit()


def _is_user(found: "re.Match[str]") -> bool:
    return _stands_out(found.group(1).lower(), ())


def _is_host(found: "re.Match[str]") -> bool:
    return _stands_out(found.group(1).lower(), ("localhost",))


def _is_address(host: str) -> bool:
    found = re.match(r"[0-9A-Fa-f:.]{2,45}\Z", host)
    return found is not None and (":" in host or host.count(".") == 3)


def _is_address_4(found: "re.Match[str]") -> bool:
    """Leave what is the same everywhere, and versions of four numbers."""
    parts = found.group().split(".")
    if any(int(part) > 255 or (len(part) > 1 and part[0] == "0") for part in parts):
        return False
    before = found.string[max(0, found.start() - 40) : found.start()]
    if re.search(r"(?i)(?:==|\bv|version[ :=]{0,3}|-cu\d\d?\s{1,30}|lib\S{1,20} )\Z", before):
        return False
    return parts[0] not in ("0", "127", "255")


def _is_address_6(found: "re.Match[str]") -> bool:
    from ipaddress import AddressValueError, IPv6Address  # noqa: PLC0415 - costs start-up

    if "::" not in found.group() and found.group().count(":") != 7:
        return False
    if not re.search("[0-9]", found.group()) or len(found.group()) < 5:
        return False
    try:
        IPv6Address(found.group())
    except AddressValueError:
        return False
    return True


def _named_spans(text: str, names: Names) -> Iterator[PrivateSpan]:
    """Find known names as words, or as parts of words that are joined by `.`, `-` or `_`."""
    if not names:
        return
    for found in re.finditer(r"[A-Za-z0-9][\w.-]{0,255}", text):
        word = found.group().lower()
        cuts = [cut.start() for cut in re.finditer(r"[._-]", word)][:16]
        starts, ends = [0, *[cut + 1 for cut in cuts]], [*cuts, len(word)]
        done = 0
        for start in starts:
            longest = [end for end in reversed(ends) if end > start and word[start:end] in names]
            if start >= done and longest:
                done = longest[0]
                kind, key = names[word[start:done]]
                yield found.start() + start, found.start() + done, kind, key
