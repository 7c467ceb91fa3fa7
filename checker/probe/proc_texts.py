"""What the kernel tells of a process: texts of `/proc/PID` enter, numbers and words leave.

Nothing of an environment leaves but the names listed here, and of a command line no value that
could be a secret.
"""

from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple

_MOST_WORDS = 64
_MOST_CHARACTERS = 160
_TOLD_NAMES = frozenset((
    "RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "GROUP_RANK", "NODE_RANK",
    "MASTER_ADDR", "MASTER_PORT", "TORCHELASTIC_RESTART_COUNT",
    "SLURM_PROCID", "SLURM_LOCALID", "SLURM_NODEID", "SLURM_NTASKS", "SLURM_JOB_ID",
    "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_SIZE",
    "PMI_RANK", "PMI_SIZE", "PMIX_RANK", "CUDA_VISIBLE_DEVICES", "PYTHONUNBUFFERED",
    "PBS_JOBID", "LSB_JOBID", "JOB_ID", "NCCL_RAS_ADDR", "TORCH_FR_DUMP_TEMP_FILE",
    "TORCH_NCCL_DEBUG_INFO_TEMP_FILE", "TORCH_EXTENSIONS_DIR", "XDG_CACHE_HOME", "HOME",
    "TMUX", "STY", "WINDOW",
))  # fmt: skip
_RANK_NAMES = ("RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID")
_LOCAL_NAMES = ("LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID")
_SIZE_NAMES = ("WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS")
_FOLDER_WORDS = ("output", "save", "ckpt", "checkpoint", "log", "out", "dir", "work", "exp")
_SAFE_VALUE = frozenset(("true", "false", "yes", "no", "none", "auto", "bf16", "fp16", "fp32"))
_SECRET_WORDS = ("key", "token", "secret", "passw", "auth", "cred")


class Status(NamedTuple):
    """What `/proc/PID/stat` tells of a process or a thread."""

    name: str
    state: str
    parent: int
    ticks: int
    """Time on a processor, by itself and in the kernel."""
    started: int
    """Ticks between the boot and its start."""
    session: int = 0
    """The process that leads its session: the shell or launcher of a terminal or a job."""


def parse_status(text: str) -> Status:
    """Read the one row; raise ValueError or IndexError where it is none."""
    _, _, rest = text.partition("(")
    name, _, rest = rest.rpartition(")")
    words = rest.split()
    ticks = int(words[11]) + int(words[12])
    return Status(name, words[0], int(words[1]), ticks, int(words[19]), int(words[3]))


def told_environment(text: str) -> Dict[str, str]:
    """Keep of an environment what tells which rank it is, where others are, and what it writes."""
    told = {}
    for row in text.split("\0"):
        name, _, value = row.partition("=")
        if name in _TOLD_NAMES and value.isprintable() and len(value) < _MOST_CHARACTERS:
            told[name] = value
    return told


def told_rank(environment: Dict[str, str]) -> Optional[int]:
    """Read the global rank."""
    return _first_number(environment, _RANK_NAMES)


def told_local_rank(environment: Dict[str, str]) -> Optional[int]:
    """Read the rank on the node."""
    return _first_number(environment, _LOCAL_NAMES)


def told_world_size(environment: Dict[str, str]) -> Optional[int]:
    """Read how many ranks there are."""
    return _first_number(environment, _SIZE_NAMES)


def _first_number(environment: Dict[str, str], names: Sequence[str]) -> Optional[int]:
    for name in names:
        value = environment.get(name, "")
        if value.isdigit() and len(value) < 8:
            return int(value)
    return None


def told_command(text: str) -> List[str]:
    """Keep of a command line program, script and options; of values numbers and folders."""
    words = text.split("\0")[:_MOST_WORDS]
    told: List[str] = []
    option = ""
    for number, word in enumerate(words):
        if not word:
            continue
        if word.startswith("-") and not word[1:2].isdigit():
            name, equals, value = word.partition("=")
            told.append(_clipped(name) + (equals and "=" + _told_value(name, value)))
            option = "" if equals else name
        elif number == 0 or option == "-m" or (option[:2] != "--" and _is_script(word)):
            told.append(_clipped(word))
            option = ""
        else:
            told.append(_told_value(option, word))
            option = ""
    return told


def _is_script(word: str) -> bool:
    return word.endswith((".py", ".pyz", ".sh")) or "/bin/" in word


def _told_value(option: str, value: str) -> str:
    """Tell a value that is no secret, or that there is one."""
    if any(word in option.lower() for word in _SECRET_WORDS):
        return "..."
    if value.lower() in _SAFE_VALUE or value.replace(".", "", 1).replace("-", "").isdigit():
        return _clipped(value)
    is_folder = any(word in option.lower() for word in _FOLDER_WORDS)
    plain = value.isprintable() and "://" not in value and "@" not in value and "=" not in value
    return _clipped(value) if plain and is_folder and "/" in value else "..."


def _clipped(text: str) -> str:
    plain = "".join(letter if letter.isprintable() else "?" for letter in text)
    return plain[:_MOST_CHARACTERS]


def folders_named(command: Sequence[str]) -> List[str]:
    """List the paths that options of a command name, as they were written."""
    found = []
    option = ""
    for word in command:
        if word.startswith("-"):
            option, equals, value = word.partition("=")
            if equals and "/" in value:
                found.append(value)
        elif option and "/" in word and option != "-m":
            found.append(word)
            option = ""
    return found


def short_command(command: Sequence[str]) -> str:
    """Name a program as people do: by its script or module."""
    names = [word.rpartition("/")[2] for word in command]
    for number, word in enumerate(command):
        if number and word.endswith((".py", ".pyz")):
            return names[number]
        if word == "-m" and number + 1 < len(command):
            return command[number + 1]
        if word == "-c" and number == 1:
            return names[0] + " -c"
    scripts = [name for word, name in zip(command[1:], names[1:]) if "/bin/" in word]
    return (scripts or names[:1] or ["?"])[0]


WAIT_FAMILIES: Tuple[Tuple[str, Tuple[str, ...]], ...] = (
    ("9p", ("p9_", "v9fs_")),
    ("nfs", ("rpc_wait", "__rpc_", "rpc_", "nfs_", "nfs3_", "nfs4_")),
    ("fuse", ("request_wait_answer", "fuse_", "__fuse_")),
    ("cifs", ("cifs_", "smb2_", "wait_for_response", "compound_send_recv")),
    ("lustre", ("ldlm_", "osc_", "cl_sync_io_wait", "ptlrpc_", "ll_")),
    ("ceph", ("ceph_",)),
    ("gpfs", ("gpfs", "mmfs")),
    ("beegfs", ("beegfs", "FhgfsOps")),
    ("driver", ("uvm_", "os_acquire_", "nvidia", "nv_", "_nv", "rm_", "dxg", "amdgpu_", "kfd_")),
    ("rdma", ("mlx5_", "mlx4_", "ib_", "uverbs_", "rdma_")),
    ("frozen", ("__refrigerator", "get_signal_freeze")),
    ("stopped", ("do_signal_stop", "ptrace_stop")),
    ("start", ("kernel_clone", "wait_for_vfork_done", "do_fork")),
    ("throttled", ("balance_dirty_pages", "mem_cgroup_handle_over_high")),
    (
        "disk",
        (
            *("folio_wait", "wait_on_page", "io_schedule", "blk_", "jbd2_", "xfs_", "ext4_"),
            *("btrfs_", "bit_wait_io", "wait_on_buffer", "do_get_write_access", "submit_bio_wait"),
        ),
    ),
    ("lock", ("d_alloc_parallel", "rwsem_down", "lookup_slow", "inode_lock", "__mutex_lock")),
    ("futex", ("futex_", "do_futex")),
    (
        "peer",
        (
            *("pipe_", "anon_pipe_", "unix_stream", "do_poll", "do_sys_poll", "poll_", "ep_poll"),
            *("do_epoll", "do_select", "inet_csk", "tcp_", "sk_wait", "__skb_wait", "wait_woken"),
        ),
    ),
    ("child", ("do_wait", "wait4", "wait_consider")),
    ("sleep", ("hrtimer_nanosleep", "do_nanosleep", "common_nsleep")),
    ("dying", ("do_exit", "exit_mm", "zap_pid_ns")),
)
STORAGE_FAMILIES = (
    *("9p", "nfs", "fuse", "cifs", "lustre", "ceph", "gpfs", "beegfs", "disk", "lock"),
)


def wait_family(function: str) -> str:
    """Say for what a task waits in this function of the kernel; empty where that is not known."""
    if "_lock_inode" in function:
        return "lock"
    for family, starts in WAIT_FAMILIES:
        if function.startswith(starts):
            return family
    return ""


_FAMILY_TYPES = {"cifs": ("cifs", "smb3"), "fuse": ("fuse",), "nfs": ("nfs",)}


def serves(family: str, kind: str) -> bool:
    """Tell whether a wait of this family can be for a file system of this type."""
    if family in ("disk", "lock", ""):
        return True
    return kind.startswith(_FAMILY_TYPES.get(family, (family,)))
