"""Probes of the network of this host: cards, InfiniBand ports, TCP; counters are read twice."""

import os
from typing import Any, Dict, List, Tuple

from checker.probe.machine import Findings, Machine, Unknown

_SECONDS_OF_CARDS = 3.0
_UP = 1
_CARD_COUNTERS = (
    *("carrier_changes", "statistics/rx_errors", "statistics/tx_errors"),
    *("statistics/rx_dropped", "statistics/tx_dropped", "statistics/rx_crc_errors"),
)
_PORT_ERRORS = (
    *("link_downed", "link_error_recovery", "symbol_error", "local_link_integrity_errors"),
    *("port_rcv_errors", "port_xmit_discards", "excessive_buffer_overrun_errors"),
    *("local_ack_timeout_err", "out_of_sequence", "packet_seq_err", "rnr_nak_retry_err"),
    *("implied_nak_seq_err", "req_cqe_error", "resp_cqe_error", "roce_adp_retrans_to"),
)
_Counters = Dict[str, Dict[str, int]]


def read_cards_before(machine: Machine) -> None:
    """Keep the counters of the cards and of TCP."""
    reply = machine.children.ask("network", _SECONDS_OF_CARDS, lambda: _cards_now(machine))
    if reply.unknown is None:
        machine.remember("network", reply.value)


def probe_cards(machine: Machine) -> Findings:
    """Which network cards have no link, and what went wrong on them between two looks."""
    reply = machine.children.ask("network", _SECONDS_OF_CARDS, lambda: _cards_now(machine))
    if reply.unknown is not None:
        names = ("network.down", "network.flaps", "network.errors", "tcp.retransmitted")
        return dict.fromkeys(names, Unknown(reply.unknown))
    down, counters, segments = reply.value
    told: Findings = {"network.down": down}
    before = machine.earlier("network")
    if before is None:
        why = Unknown("looked at once only")
        return {
            **told,
            **dict.fromkeys(("network.flaps", "network.errors", "tcp.retransmitted"), why),
        }
    span, (_, earlier, sent_before) = before
    changes = _growth(earlier, counters)
    told["network.flaps"] = [
        "{}: {} link changes in {:.0f} s".format(card, grown["carrier_changes"], span)
        for card, grown in changes.items()
        if grown.get("carrier_changes")
    ]
    told["network.errors"] = _growth_rows(changes, span, ("carrier_changes",))
    sent, again = (now - then for now, then in zip(segments, sent_before))
    told["tcp.retransmitted"] = round(100.0 * again / sent, 1) if sent > 0 else 0.0
    return told


def _cards_now(machine: Machine) -> Tuple[List[str], _Counters, List[int]]:
    """Read the cards that are hardware: virtual ones go up and down without harm."""
    folder = "/sys/class/net/"
    down, counters = [], {}
    for card in sorted(os.listdir(machine.root + folder)):
        place = folder + card + "/"
        if not os.path.isdir(machine.root + place + "device"):
            continue
        flags, state = _word(machine, place + "flags"), _word(machine, place + "operstate")
        if state == "down" and flags.startswith("0x") and int(flags, 16) & _UP:
            down.append(card)
        counters[card] = _counters_at(machine, place, _CARD_COUNTERS)
    return down, counters, _segments(machine)


def _segments(machine: Machine) -> List[int]:
    """Read how many TCP segments were sent, and how many of them again."""
    rows = [row.split() for row in machine.text("/proc/net/snmp").splitlines()]
    names, values = [row for row in rows if row[:1] == ["Tcp:"]][:2]
    told = dict(zip(names, values))
    return [int(told["OutSegs"]), int(told["RetransSegs"])]


def _word(machine: Machine, path: str) -> str:
    try:
        return machine.text(path).strip()
    except OSError:
        return ""


def _counters_at(machine: Machine, place: str, names: Tuple[str, ...]) -> Dict[str, int]:
    told = {name: _word(machine, place + name) for name in names}
    return {name.rpartition("/")[2]: int(text) for name, text in told.items() if text.isdigit()}


def _growth(before: _Counters, now: _Counters) -> _Counters:
    return {
        card: {name: value - before[card].get(name, value) for name, value in told.items()}
        for card, told in now.items()
        if card in before
    }


def _growth_rows(changes: _Counters, span: float, but: Tuple[str, ...] = ()) -> List[str]:
    return [
        "{}: {} +{} in {:.0f} s".format(card, name, value, span)
        for card, grown in changes.items()
        for name, value in grown.items()
        if value > 0 and name not in but
    ]


def read_ports_before(machine: Machine) -> None:
    """Keep the counters of the InfiniBand and RoCE ports."""
    reply = machine.children.ask("rdma", _SECONDS_OF_CARDS, lambda: _ports_now(machine))
    if reply.unknown is None:
        machine.remember("rdma", reply.value)


def probe_ports(machine: Machine) -> Findings:
    """The state of InfiniBand and RoCE ports, and which of their error counters grow.

    Firmware answers for these counters, so that one that hangs is itself an answer.
    """
    reply = machine.children.ask("rdma", _SECONDS_OF_CARDS, lambda: _ports_now(machine))
    if reply.unknown is not None:
        names = ("ib.ports", "ib.down", "ib.link_downed", "ib.growing")
        return dict.fromkeys(names, Unknown(reply.unknown))
    states, counters = reply.value
    told: Findings = {
        "ib.ports": ["{}: {}".format(port, state) for port, state in states.items()],
        "ib.down": [port for port, state in states.items() if not state.startswith("ACTIVE")],
        "ib.link_downed": sum(port.get("link_downed", 0) for port in counters.values()),
        "ib.growing": Unknown("looked at once only"),
    }
    before = machine.earlier("rdma")
    if before is not None:
        span, (_, earlier) = before
        told["ib.growing"] = _growth_rows(_growth(earlier, counters), span)
    return told


def _ports_now(machine: Machine) -> Tuple[Dict[str, str], _Counters]:
    folder = "/sys/class/infiniband/"
    states: Dict[str, str] = {}
    counters: _Counters = {}
    for card in sorted(os.listdir(machine.root + folder)):
        for number in sorted(os.listdir(machine.root + folder + card + "/ports")):
            place = "{}{}/ports/{}/".format(folder, card, number)
            port = "{}/{}".format(card, number)
            words = [_word(machine, place + name) for name in ("state", "phys_state", "rate")]
            states[port] = ", ".join(word.partition(": ")[2] or word for word in words if word)
            counters[port] = {
                **_counters_at(machine, place + "counters/", _PORT_ERRORS),
                **_counters_at(machine, place + "hw_counters/", _PORT_ERRORS),
            }
    return states, counters


def probe_hosts_file(machine: Machine) -> Findings:
    """Which address this host has for its own name.

    Without `--network` only `/etc/hosts` is read. A name that leads to 127.0.1.1 makes Gloo and
    the rendezvous of torchrun bind to an address that no other host can reach.
    """
    name = _word(machine, "/proc/sys/kernel/hostname")

    def _addresses() -> List[str]:
        rows = [row.partition("#")[0].split() for row in machine.text("/etc/hosts").splitlines()]
        return [row[0] for row in rows if name in row[1:]]

    reply = machine.children.ask("path /etc", _SECONDS_OF_CARDS, _addresses)
    if reply.unknown is not None:
        return dict.fromkeys(("hosts.own_addresses", "hosts.own_loopback"), Unknown(reply.unknown))
    loopback = [address.startswith("127.") or address == "::1" for address in reply.value]
    told: Any = all(loopback) if loopback else Unknown("the name is not in /etc/hosts")
    return {"hosts.own_addresses": reply.value, "hosts.own_loopback": told}


def probe_names(machine: Machine) -> Findings:
    """Which names the resolver does not know: this host's own, and that of the rendezvous.

    It is asked with `--network` only.
    """
    if not machine.network:
        return {"names.unknown": Unknown("--network was not given")}
    asked = [_word(machine, "/proc/sys/kernel/hostname"), *machine.names]

    def _unknown_names() -> List[str]:
        return [name for name in asked if name and not _is_known(name)]

    reply = machine.children.ask("resolver", _SECONDS_OF_CARDS, _unknown_names)
    return {"names.unknown": reply.value if reply.unknown is None else Unknown(reply.unknown)}


def _is_known(name: str) -> bool:
    import socket  # noqa: PLC0415 - costs every start, and is rarely needed

    try:
        return bool(socket.getaddrinfo(name, None))
    except OSError:
        return False
