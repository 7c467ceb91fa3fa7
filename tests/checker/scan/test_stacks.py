"""Stack dumps of the usual tools are read, innermost frame first."""

import pytest

from checker.scan.observe import observe_texts

CASES = [
    (
        "py-spy",
        'Process 41825: python train.py\nThread 41825 (idle): "MainThread"\n'
        "    wait (threading.py:629)\n    main (train.py:9)\n",
        [(41825, "idle", ("wait (threading.py:629)", "main (train.py:9)"))],
    ),
    (
        "faulthandler",
        "Fatal Python error: Segmentation fault\n\n"
        "Current thread 0x00007f12 (most recent call first):\n"
        '  File "/w/train.py", line 88 in step\n  File "/w/train.py", line 9 in main\n',
        [(None, None, ("step (/w/train.py:88)", "main (/w/train.py:9)"))],
    ),
    (
        "gdb",
        "Thread 1 (Thread 0x7f (LWP 41825)):\n"
        "#0  0x00007f01 in poll () from /lib/libc.so.6\n#1  0x00007f02 in run () at a.c:3\n",
        [(41825, None, ("poll (/lib/libc.so.6)", "run (a.c:3)"))],
    ),
    (
        "kernel stack",
        "[<0>] p9_client_rpc+0x1c3/0x3f0\n[<0>] p9_client_write+0x20/0x40\n",
        [(None, None, ("p9_client_rpc", "p9_client_write"))],
    ),
    (
        "kernel stacks of several processes",
        "==> /proc/71/stack <==\n[<0>] futex_wait_queue+0x63/0x90\n\n"
        "==> /proc/72/stack <==\n[<0>] pipe_write+0x1c3/0x3f0\n[<0>] vfs_write+0x20/0x40\n",
        [(71, None, ("futex_wait_queue",)), (72, None, ("pipe_write", "vfs_write"))],
    ),
    (
        "wait channels",
        "/proc/71/wchan:futex_wait_queue\n/proc/72/wchan:pipe_write\n/proc/73/wchan:0\n",
        [(71, None, ("futex_wait_queue",)), (72, None, ("pipe_write",))],
    ),
    (
        "py-spy with variables",
        'Process 7: python train.py\nThread 7 (active): "MainThread"\n    save (ckpt.py:3)\n'
        '        Arguments:\n            path: "x (y.py:1)"\n    main (train.py:9)\n',
        [(7, "active", ("save (ckpt.py:3)", "main (train.py:9)"))],
    ),
    (
        "Ctrl-C",
        "Traceback (most recent call last):\n"
        '  File "/w/train.py", line 9, in main\n    step()\n'
        '  File "/w/train.py", line 3, in step\n    queue.get()\nKeyboardInterrupt\n',
        [(None, None, ("step (/w/train.py:3)", "main (/w/train.py:9)"))],
    ),
    (
        "no dump: it tells where an exception was raised",
        'Traceback (most recent call last):\n  File "/w/train.py", line 9, in main\n    step()\n'
        "KeyError: 'x'\n",
        [],
    ),
    (
        "no dump: torchrun's agent was interrupted while Python went down",
        "Exception ignored in: <module 'threading'>\nTraceback (most recent call last):\n"
        '  File "/x/threading.py", line 9, in _shutdown\n    lock.acquire()\nKeyboardInterrupt\n',
        [],
    ),
    (
        "gdb, all threads of a process",
        'Thread 2 (Thread 0x7f (LWP 44) "loop"):\n#0  poll () at a.c:3\n\n'
        'Thread 1 (Thread 0x7e (LWP 41) "python3"):\n'
        "#0  0x01 in (anonymous namespace)::wait(int, x from y) const () from /lib/t.so\n",
        [(41, None, ("poll (a.c:3)",)), (41, None, ("::wait (/lib/t.so)",))],
    ),
    (
        "hung task",
        "[ 12.000001] INFO: task python:41825 blocked for more than 120 seconds.\n"
        "[ 12.000002]       Not tainted 6.6.0\n[ 12.000003] Call Trace:\n[ 12.000004]  <TASK>\n"
        "[ 12.000005]  __schedule+0x1/0x2\n[ 12.000006]  ? guess+0x1/0x2\n"
        "[ 12.000007]  p9_client_rpc+0x1/0x2\n[ 12.000008]  </TASK>\n",
        [(41825, "D", ("__schedule", "p9_client_rpc"))],
    ),
]


@pytest.mark.parametrize(("name", "text", "expected"), CASES, ids=[case[0] for case in CASES])
def test_dump_is_read(name: str, text: str, expected: object) -> None:
    """Process, state and frames come out of each thread of a dump."""
    stacks = observe_texts({"dump.txt": text}, frozenset(), {}, {}).stacks
    assert [(stack.pid, stack.state, stack.frames) for stack in stacks] == expected
