"""What in a text is private."""

import pytest

from checker.report.private import private_names, private_spans

OPAQUE = "a1B2c3D4" * 5
HEX = "0123456789abcdef0123456789abcdef01234567"


def masked(text: str, *hosts: str, kept: tuple[str, ...] = ()) -> str:
    """Write the kind of each private place instead of it."""
    names = private_names([text], hosts, kept)
    shown, end = "", 0
    for start, stop, kind, _ in private_spans(text, names):
        shown, end = shown + text[end:start] + kind.upper(), stop
    return shown + text[end:]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"login with hf_{OPAQUE} ok", "login with SECRET ok"),
        (f"ghp_{OPAQUE} github_pat_{OPAQUE}", "SECRET SECRET"),
        (f"Incorrect API key: sk-proj-{OPAQUE}.", "Incorrect API key: SECRET."),
        ("AKIA" + "A1B2C3D4" * 2 + " denied", "SECRET denied"),
        (f"aws_secret_access_key = {OPAQUE}/+x", "aws_secret_access_key = SECRET"),
        (f"wandb: using key {HEX}", "wandb: using key SECRET"),
        (f"WANDB_API_KEY={HEX} python", "WANDB_API_KEY=SECRET python"),
        ("{'HF_TOKEN': '" + OPAQUE + "'}", "{'HF_TOKEN': 'SECRET'}"),
        (f"Authorization: Bearer {OPAQUE}", "Authorization: Bearer SECRET"),
        ("Authorization: Basic dXNlcjpwYXNzMQ==", "Authorization: Basic SECRET"),
        (f"eyJhbGciOiJI.eyJzdWIiOiIx.{OPAQUE}", "SECRET"),
        (
            "s3://key:pa55@store/x http://bob:x@10.1.2.3/",
            "s3://key:SECRET@store/x http://bob:SECRET@ADDRESS/",
        ),
        ("db password: hunter2, retry", "db password: SECRET, retry"),
        ("train.py --db-password Hunter22 --lr 3", "train.py --db-password SECRET --lr 3"),
        ("--hf-token='x y' --api_key=k9", "--hf-token='SECRET y' --api_key=SECRET"),
        ("PGPASSWORD=pa55 psql; db_pass='x1'", "PGPASSWORD=SECRET psql; db_pass='SECRET'"),
        ('secret: "p@ss w0rd", next', 'secret: "SECRET", next'),
        ("X-Api-Key: kk99kk", "X-Api-Key: SECRET"),
        ('{"access_token": "abc123def"}', '{"access_token": "SECRET"}'),
        ("GET /x?token=abc123&sig=Zz%2Fq9 200", "GET /x?token=SECRET&sig=SECRET 200"),
        ("curl -u bob:pa55w0rd https://x.example", "curl -u bob:SECRET https://x.example"),
        ("npm_" + "a1B2" * 9 + " dapi" + "0a1b2c3d" * 4, "SECRET SECRET"),
        ("hooks.slack.com/services/T0/B1/xyz12345", "hooks.slack.com/services/SECRET"),
        (
            "-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc\n-----END RSA PRIVATE KEY-----\nnext",
            "SECRET\nnext",
        ),
        (OPAQUE + "a1B2c3D4" * 3, "SECRET"),
        ("mail to jane.doe+x@example.co.uk!", "mail to MAIL!"),
        ("[10.0.0.12]:31764 eth0:10.0.0.4<0>", "[ADDRESS]:31764 eth0:ADDRESS<0>"),
        ("[fe80::1ff:fe23:4567:890a]:29500", "[ADDRESS]:29500"),
        ("/home/jane/run.py of jane", "/home/USER/run.py of USER"),
        ("C:\\Users\\jane\\x uid=1000(jane)", "C:\\Users\\USER\\x uid=1000(USER)"),
        ("jane@gpu-17: no route to gpu-17", "USER@HOST: no route to HOST"),
        ("wandb: Currently logged in as: janedoe42.", "wandb: Currently logged in as: USER."),
        ("any address of (headnode-x5, 29500)", "any address of (HOST, 29500)"),
        ("validate to host head-x4:29500 failed", "validate to host HOST:29500 failed"),
        ("*** JOB 8812 ON gpn-a[01-04] CANCELLED", "*** JOB 8812 ON HOST[01-04] CANCELLED"),
        (
            "SLURM_JOB_NODELIST=gpn-a[01-03,07] gpn-a02: gpn-a07 gpn-a04",
            "SLURM_JOB_NODELIST=HOST[01-03,07] HOST: HOST gpn-a04",
        ),
        (
            "srun: error: trn[1-2]: tasks 0-15: Killed, trn2",
            "srun: error: HOST[1-2]: tasks 0-15: Killed, HOST",
        ),
        ("gpu-17.hpc.internal, ip-10-1-2-3.ec2.internal", "HOST, HOST"),
    ],
)
def test_what_is_private_is_known_by_its_form(text: str, shown: str) -> None:
    """Secrets, mails, addresses, and names that stand where only names stand."""
    assert masked(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "step 12 loss 2.3 tokens: 4096 num_tokens=123456789012345678 pass: 3 passes=12",
        "(localhost, 29500) shape (batch, 4096) max_tokens=4096 token_type=bpe --max-tokens 4096",
        "on cuda[0-3] of mlx5[0-1], ranks[0-7] nodes: 4 [0-3] hosts=[1,2]",
        "eos_token='</s>' pad_token: <|endoftext|> tokenizer: LlamaTokenizerFast",
        "nvidia-cublas-cu12==12.1.3.1 cuDNN version 8.9.2.26 Linux-5.15.153.1-microsoft",
        "listening on 127.0.0.1:29500, 0.0.0.0 and [::]:29500 or ::1",
        "10:42:27 std::vector c10::Error 0000:c1:00.0 a::b",
        "args=args@entry=0x7f49d0fd23f0, torch@2.1 git@github.com:x/y.git @property",
        "/home/ubuntu/train.py /root/.cache /data/home.txt",
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "torch.distributed.elastic.multiprocessing.errors /usr/local/lib/python3.11/site.py",
    ],
)
def test_what_only_looks_so_is_left(text: str) -> None:
    """Versions, numbers, times, digests and words are what a diagnosis needs."""
    assert masked(text) == text


def test_known_hosts_are_found_in_words() -> None:
    """In names of files, with a domain or without, in any case; not inside other names."""
    text = "logs/stderr_gpu-1.log gpu-1.corp.example: GPU-1:77 [0] my-gpu-1 gpu-17 agpu-1"
    assert masked(text, "gpu-1.corp.example") == (
        "logs/stderr_HOST.log HOST: HOST:77 [0] my-HOST gpu-17 agpu-1"
    )


def test_a_common_word_is_no_name() -> None:
    """A host that is called like a word by which failures are known does not hide that word."""
    assert masked(
        "killed: worker killed, localhost", "killed", "worker", "localhost", kept=("killed",)
    ) == ("killed: worker killed, localhost")


@pytest.mark.parametrize(
    "text",
    [
        "a" * 200_000,
        "a.b-" * 50_000,
        "://" * 60_000,
        "password" * 20_000,
        "-----BEGIN " * 20_000,
        ":" * 100_000,
        "eyJ" * 50_000,
        "@" * 100_000,
        "1." * 100_000,
        "--" * 100_000,
        "curl -u " * 25_000,
        "(a" * 100_000,
    ],
    ids=lambda text: text[:11],
)
def test_no_text_takes_long(text: str) -> None:
    """Each form is looked for in time that grows with the length alone."""
    assert masked(text) == text
