"""What is told of network cards, InfiniBand ports and the host's own name."""

from pathlib import Path

from checker.probe.machine import Machine
from tests.checker.probe.trees import facts_of, machine_of, second_facts_of, tree

CARD = "/sys/class/net/{}/"
SNMP = (
    "Ip: Forwarding DefaultTTL\nIp: 1 64\nTcp: InSegs OutSegs RetransSegs\nTcp: 5 {sent} {again}\n"
)
PORT = "/sys/class/infiniband/mlx5_0/ports/1/"


def card(name: str, state: str, **counters: int) -> dict[str, str]:
    """The kernel's texts about a card that is switched on."""
    place = CARD.format(name)
    told = {place + "device/vendor": "0x15b3\n", place + "operstate": state + "\n"}
    told[place + "flags"] = "0x1003\n"
    told[place + "carrier_changes"] = f"{counters.pop('carrier_changes', 2)}\n"
    return {
        **told,
        **{f"{place}statistics/{key}": f"{value}\n" for key, value in counters.items()},
    }


def test_cards_in_two_looks(tmp_path: Path) -> None:
    """Links that are down, that changed, and errors that grew; virtual cards do not count."""
    files = {
        **card("eth0", "up", rx_errors=5),
        **card("eth1", "down", rx_errors=0),
        CARD.format("lo") + "operstate": "down\n",
        CARD.format("lo") + "flags": "0x9\n",
        "/proc/net/snmp": SNMP.format(sent=1000, again=10),
    }
    later = {
        **card("eth0", "up", rx_errors=17, carrier_changes=4),
        "/proc/net/snmp": SNMP.format(sent=1400, again=30),
    }
    machine = machine_of(tmp_path, files)

    assert second_facts_of(machine, "network", lambda: later_tree(machine, later)) == {
        "network.down": ["eth1"],
        "network.flaps": ["eth0: 2 link changes in 5 s"],
        "network.errors": ["eth0: rx_errors +12 in 5 s"],
    }
    assert facts_of(machine, "tcp.") == {"tcp.retransmitted": 5.0}


def later_tree(machine: Machine, files: dict[str, str]) -> None:
    """Change what the machine shows."""
    tree(Path(machine.root), files)


def test_a_card_that_was_looked_at_once(tmp_path: Path) -> None:
    """What grows is not known."""
    machine = machine_of(tmp_path, {**card("eth0", "up"), "/proc/net/snmp": SNMP})
    machine = machine_of(
        tmp_path, {**card("eth0", "up"), "/proc/net/snmp": SNMP.format(sent=1, again=0)}
    )

    assert facts_of(machine, "network") == {
        "network.down": [],
        "network.flaps": ("looked at once only",),
        "network.errors": ("looked at once only",),
    }


def test_ports_of_infiniband(tmp_path: Path) -> None:
    """States without their numbers; counters of the port and of the card."""
    files = {
        PORT + "state": "4: ACTIVE\n",
        PORT + "phys_state": "5: LinkUp\n",
        PORT + "rate": "400 Gb/sec (4X NDR)\n",
        PORT + "counters/link_downed": "3\n",
        PORT + "hw_counters/local_ack_timeout_err": "7\n",
        PORT.replace("_0", "_1") + "state": "1: DOWN\n",
        PORT.replace("_0", "_1") + "counters/link_downed": "1\n",
    }
    later = {
        PORT + "counters/link_downed": "4\n",
        PORT + "hw_counters/local_ack_timeout_err": "90\n",
    }
    machine = machine_of(tmp_path, files)

    assert second_facts_of(machine, "ib.", lambda: later_tree(machine, later)) == {
        "ib.ports": ["mlx5_0/1: ACTIVE, LinkUp, 400 Gb/sec (4X NDR)", "mlx5_1/1: DOWN"],
        "ib.down": ["mlx5_1/1"],
        "ib.link_downed": 5,
        "ib.growing": [
            "mlx5_0/1: link_downed +1 in 5 s",
            "mlx5_0/1: local_ack_timeout_err +83 in 5 s",
        ],
    }


def test_the_hosts_file(tmp_path: Path) -> None:
    """A name that leads to loopback alone cannot be reached from elsewhere."""
    name = {"/proc/sys/kernel/hostname": "node-a\n"}
    loop = {"/etc/hosts": "127.0.0.1 localhost\n127.0.1.1 node-a.lan node-a # by the installer\n"}
    both = {"/etc/hosts": "127.0.1.1 node-a\n10.0.0.4 node-a\n"}
    none = {"/etc/hosts": "127.0.0.1 localhost\n"}

    assert facts_of(machine_of(tmp_path, {**name, **loop}), "hosts.") == {
        "hosts.own_addresses": ["127.0.1.1"],
        "hosts.own_loopback": True,
    }
    told = facts_of(machine_of(tmp_path, {**name, **both}), "hosts.own_loopback")
    assert told == {"hosts.own_loopback": False}
    assert facts_of(machine_of(tmp_path, {**name, **none}), "hosts.") == {
        "hosts.own_addresses": [],
        "hosts.own_loopback": ("the name is not in /etc/hosts",),
    }


def test_names_are_resolved_only_with_the_network(tmp_path: Path) -> None:
    """Names that nobody knows are told."""
    files = {"/proc/sys/kernel/hostname": "localhost\n"}
    machine = machine_of(tmp_path, files, network=True)
    machine.names = ["no-such-host.invalid"]

    assert facts_of(machine, "names.") == {"names.unknown": ["no-such-host.invalid"]}
    assert facts_of(machine_of(tmp_path, files), "names.") == {
        "names.unknown": ("--network was not given",)
    }
