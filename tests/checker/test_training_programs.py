"""Logs of many training programs: loud ones that go on are healthy, the same that end are not.

The logs are constructed. Records stand in the form of their programs, most of which was read in a
source or a log (CatBoost, fastai, StyleGAN, CLU, Stable-Baselines3, older Ray Tune and DCGAN from
memory); the messages are those by which entries are known.
"""

import json
from pathlib import Path

import pytest

from checker.cli import main
from tests.published import published_catalogue

PROGRAMS = {
    "accelerate": "epoch {n}: {{'accuracy': 0.7, 'f1': 0.8}}",
    "axolotl": "{{'loss': 1.2, 'grad_norm': 0.5, 'learning_rate': 1e-05, 'epoch': {e:.2f}}}",
    "catboost": "{n}:\tlearn: 0.69\ttotal: 58ms\tremaining: 5.8s",
    "composer": "[epoch=0][batch={n}/100]:",
    "cyclegan": (
        "(epoch: 1, iters: {n}, time: 0.2, data: 0.1) G_GAN: 0.5 G_L1: 10.1 D_real: 0.1 D_fake: 0.2"
    ),
    "deepspeed": (
        "[2026-08-14 03:02:{s:02},123] [INFO] [logging.py:96:log_dist] [Rank 0] step={n}, "
        "skipped=0, lr=[1e-05], mom=[(0.9, 0.95)]"
    ),
    "detectron2": (
        "[08/14 03:02:{s:02}] d2.utils.events INFO:  eta: 1:02:03  iter: {n}  total_loss: "
        "1.2  loss_cls: 0.3  time: 0.21  lr: 0.02  max_mem: 3900M"
    ),
    "espnet": (
        "[gpu7] 2026-08-14 03:02:{s:02},123 (trainer:763) INFO: 1epoch:train:{n}-{m}batch: "
        "iter_time=0.1, forward_time=0.2, loss_ctc=100.1, loss=90.1, acc=0.1"
    ),
    "fairseq": (
        "2026-08-14 03:02:{s:02} | INFO | train_inner | epoch 001:     {n} / 2134 loss=12.1, "
        "ppl=4000.1, wps=3000, ups=1.2, wpb=3000, bsz=10, num_updates={n}, lr=1e-05, "
        "gnorm=2.1"
    ),
    "fairseq2": (
        "[2026-08-14 03:02:{s:02},123] INFO - Train (step {n}) - Loss: 2.1 | Elapsed Time: 1s"
    ),
    "fastai": "{n}         0.512345    0.412345    0.912345  00:10",
    "flax": (
        "I0814 03:02:{s:02}.123456 140000000 local.py:41] Setting work unit notes: 1.2 "
        "steps/s, {n}.0% ({n}/100), ETA: 10m"
    ),
    "gluon": "[Epoch 0 Batch {n}] Loss: 0.5",
    "gluoncv": (
        "INFO:root:[Epoch 0][Batch {n}], Speed: 31.6 samples/sec, RPN_Conf=0.1,RPN_SmoothL1=0.1"
    ),
    "horovod_tf2": "Step #{n}\tLoss: 0.512345",
    "imagenet": (
        "Epoch: [0][{n:4d}/5005]\tTime  0.4 ( 0.5)\tData  0.0 ( 0.0)\tLoss 6.9e+00 (7.0e+00)"
    ),
    "keras3": (
        "{n}/100 \u2501\u2501\u2501\u2501\u2501\u2501\u2501\u2501\u2501 5s 10ms/step - "
        "accuracy: 0.1 - loss: 2.3"
    ),
    "levanter": (
        "2026-08-14T03:02:{s:02} - 0 - levanter.tracker.tqdm - INFO - Progress on:train "
        "{n}.0it/10.0kit rate:1.2it/s remaining:2:10:00 elapsed:0:10 postfix:loss=2.31"
    ),
    "lightgbm": "[{n}]\tvalid_0's l2: 0.5",
    "lightning_rich": (
        "Epoch {n}/99 \u2501\u2501\u2501\u2501\u2501\u2501\u2501\u2501 100/100 0:00:10 "
        "\u2022 0:00:00 9.90it/s v_num: 0 train_loss: 2.1"
    ),
    "litgpt": (
        "Epoch 1 | iter {n} step {n} | loss train: 2.3, val: n/a | iter time: 100.1 ms (step)"
    ),
    "llamafactory": (
        "[INFO|2026-08-14 03:02:{s:02}] llamafactory.train.callbacks:143 >> {{'loss': 1.2, "
        "'learning_rate': 1e-05, 'epoch': {e:.2f}, 'throughput': 1000.1}}"
    ),
    "llm_c": (
        "step   {n:4d}/19560 | loss 10.9 (+0.1z)| norm 15.1 (+0.1z)| lr 1.0e-06 | 500.1 ms | "
        "40.1% bf16 MFU | 100000 tok/s"
    ),
    "marian": (
        "[2026-08-14 03:02:{s:02}] Ep. 1 : Up. {n} : Sen. 63,000 : Cost 7.1 : Time 100.1s : "
        "3000.1 words/s"
    ),
    "maxtext": (
        "completed step: {n}, seconds: 1.2, TFLOP/s/device: 30.1, Tokens/s/device: 500.1, "
        "total_weights: 1024, loss: 3.4"
    ),
    "megatron": (
        " [2026-08-14 03:02:{s:02}.123456] iteration {n:8d}/  500000 | consumed samples:     "
        "   61440 | elapsed time per iteration (ms): 123.4 | learning rate: 1.0E-05 | global "
        "batch size:   64 | lm loss: 2.1E+00 | loss scale: 1.0 | grad norm: 1.204 | number "
        "of skipped iterations:   0 | number of nan iterations:   0 |"
    ),
    "mmcv": (
        "2026-08-14 03:02:{s:02},123 - mmdet - INFO - Epoch [1][{n}/7330]\tlr: 2.0e-02, eta: "
        "1 day, 2:11:00, time: 0.4, loss: 1.2"
    ),
    "mmengine": (
        "08/14 03:02:{s:02} - mmengine - INFO - Epoch(train)  [1][{n:4d}/7330]  lr: 2.0e-02  "
        "eta: 1 day, 2:11:00  time: 0.40  loss: 1.2"
    ),
    "mnist": "Train Epoch: 1 [{n}/60000 (1%)]\tLoss: 2.293648",
    "modded_nanogpt": "step:{n}/1390 train_time:1000ms step_avg:40.1ms",
    "nanogpt": "iter {n}: loss 2.0, time 120.11ms, mfu 40.10%",
    "nemo": (
        "Training epoch 0, iteration {n}/99 | lr: 5e-06 | global_batch_size: 32 | "
        "global_step: {n} | reduced_train_loss: 2.7 | train_step_timing in s: 0.18"
    ),
    "opennmt": (
        "[2026-08-14 03:02:{s:02},123 INFO] Step {n}/100000; acc: 10.1; ppl: 4000.1; xent: "
        "8.1; lr: 0.00001; sents: 100; 30000/30000 tok/s; 10 sec;"
    ),
    "paddleclas": (
        "[2026/08/14 03:02:{s:02}] ppcls INFO: [Train][Epoch 1/120][Iter: "
        "{n}/5004]lr(PiecewiseDecay): 0.1, top1: 0.1, CELoss: 7.1, loss: 7.1, batch_cost: "
        "0.5s, reader_cost: 0.1, ips: 100.1 samples/s, eta: 1:02:03"
    ),
    "paddledetection": (
        "[08/14 03:02:{s:02}] ppdet.engine INFO: Epoch: [0] [{n:4d}/1250] learning_rate: "
        "0.001000 loss: 2.1 eta: 1:02:03 batch_cost: 0.5 data_cost: 0.1 ips: 16.1 images/s"
    ),
    "paddlenlp": (
        "[2026-08-14 03:02:{s:02},123] [    INFO] - loss: 2.1, learning_rate: 1e-05, "
        "global_step: {n}, interval_runtime: 1.2"
    ),
    "pytorch_classifier": "[1, {n:5d}] loss: 2.166",
    "pytorch_dcgan": ("[0/5][{n}/1583]\tLoss_D: 1.2\tLoss_G: 3.1\tD(x): 0.5\tD(G(z)): 0.4 / 0.3"),
    "pytorch_tutorial": "Epoch [1/10], Step [{n}/600], Loss: 0.4",
    "pytorch_word_language_model": (
        "| epoch   1 | {n:5d}/ 2983 batches | lr 20.00 | ms/batch 10.1 | loss  7.1 | ppl  1000.1"
    ),
    "ray_tune": (
        "Trial PPO_CartPole-v1_1a2b3_00000 finished iteration {n} at 2026-08-14 "
        "03:02:{s:02}. Total running time: 10s"
    ),
    "ray_tune_before": "  training_iteration: {n}",
    "rsl_rl": "                      Learning iteration {n}/1500                       ",
    "speechbrain": (
        "speechbrain.utils.train_logger - epoch: {n}, lr: 1.00 - train loss: 1.2 - valid "
        "loss: 1.3, valid ACC: 0.1"
    ),
    "stable_baselines3": "|    iterations           | {n}           |",
    "stylegan": (
        "tick {n:<5d}     kimg {n}.0      time 1m 10s       sec/tick 10.1    sec/kimg 2.1"
    ),
    "swin": (
        "[2026-08-14 03:02:{s:02} swin](main.py 200): INFO Train: [0/300][{n}/1251]\teta "
        "0:10:11 lr 0.000002\t wd 0.0500\ttime 0.4 (0.5)\tloss 6.9 (6.9)"
    ),
    "tf_estimator": "INFO:tensorflow:loss = 2.3, step = {n} (10.1 sec)",
    "timm": (
        "Train: 0 [{n:4d}/1251 (  4%)]  Loss: 6.9 (6.9)  Time: 0.5s, 2000/s  LR: 1.000e-04  "
        "Data: 0.0"
    ),
    "torchtitan": (
        "[rank0]:[titan] 2026-08-14 03:02:{s:02},123 - root - INFO - step: {n:2d}  loss: "
        "12.2  grad_norm: 1.1  memory: 1.0GiB(2.0%)  tps: 6,012  tflops: 10.1  mfu: 11.2%"
    ),
    "torchtune": "1|{n}|Loss: 1.1:   1%|#         | {n}/808 [00:{s:02}<10:00,  1.30it/s]",
    "torchvision": (
        "Epoch: [0]  [{n:5d}/40037]  eta: 1:02:03  lr: 0.1  loss: 6.9 (7.0)  time: 0.5  "
        "data: 0.1  max mem: 3900"
    ),
    "tqdm": "  1%|#         | {n}/1000 [00:{s:02}<10:00,  1.30it/s]",
    "trl": (
        "{{'loss': '0.1', 'grad_norm': '0.2', 'learning_rate': '1e-06', 'reward': '0.5', "
        "'epoch': '{e:.2f}'}}"
    ),
    "verl": (
        "(TaskRunner pid=4411) step:{n} - global_seqlen/min:1000 - actor/entropy:0.3 - "
        "critic/score/mean:0.4"
    ),
    "xgboost": "[{n}]\ttrain-rmse:0.5\tvalid-rmse:0.6",
    "yolox": (
        "2026-08-14 03:02:{s:02} | INFO     | yolox.core.trainer:245 - epoch: 1/300, iter: "
        "{n}/1849, gpu mem: 3000Mb, mem: 10.1Gb, iter_time: 0.3s, data_time: 0.0s, "
        "total_loss: 10.1, lr: 1e-05, size: 640, ETA: 1 day"
    ),
}
TRACEBACK = (
    "Traceback (most recent call last):\n"
    '  File "/workspace/train.py", line 88, in step\n'
    "    loss = model(batch)\n"
    '  File "/opt/venv/lib/python3.11/site-packages/{}", line 120, in _call\n'
    "    return self._call_impl(*args, **kwargs)\n"
    "{}\n"
)
MESSAGES = {
    "cuda-oom-working-set": (
        "torch/nn/modules/module.py",
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total "
        "capacity of 79.15 GiB of which 1.02 GiB is free.",
    ),
    "dataloader-shm-bus-error": (
        "torch/utils/data/dataloader.py",
        "RuntimeError: DataLoader worker (pid 29361) is killed by signal: Bus error. It is "
        "possible that dataloader's workers are out of shared memory. Please try to raise your "
        "shared memory limit.",
    ),
    "nfs-stale-file-handle": (
        "webdataset/tariterators.py",
        "OSError: [Errno 116] Stale file handle: '/data/shard-17.tar'",
    ),
    "torch-save-disk-full": (
        "torch/serialization.py",
        "OSError: [Errno 28] No space left on device",
    ),
    "disk-quota-exceeded": (
        "torch/serialization.py",
        "OSError: [Errno 122] Disk quota exceeded: '/scratch/ckpt'",
    ),
    "master-port-address-in-use": (
        "torch/distributed/rendezvous.py",
        "torch.distributed.DistNetworkError: The server socket has failed to listen on any local "
        "network address. port: 29500, useIpv6: false, code: -98, name: EADDRINUSE, message: "
        "address already in use",
    ),
    "state-dict-keys-or-shapes-mismatch": (
        "torch/nn/modules/module.py",
        "RuntimeError: Error(s) in loading state_dict for Model:\n"
        '\tMissing key(s) in state_dict: "head.weight". ',
    ),
    "torch-load-truncated-archive": (
        "torch/serialization.py",
        "RuntimeError: PytorchStreamReader failed reading zip archive: failed finding central "
        "directory",
    ),
    "dataloader-too-many-open-files": (
        "torch/utils/data/dataloader.py",
        "OSError: [Errno 24] Too many open files: '/data/x'",
    ),
    "cuda-fork-reinitialize": (
        "torch/cuda/__init__.py",
        "RuntimeError: Cannot re-initialize CUDA in forked subprocess. To use CUDA with "
        "multiprocessing, you must use the 'spawn' start method",
    ),
    "gloo-connection-closed-by-peer": (
        "torch/distributed/distributed_c10d.py",
        "RuntimeError: [../third_party/gloo/gloo/transport/tcp/pair.cc:534] Connection closed by "
        "peer [10.0.0.7]:41234",
    ),
    "interrupted-by-ctrl-c": ("IPython/core/interactiveshell.py", "KeyboardInterrupt"),
}


def records(program: str, first: int, last: int) -> str:
    """So many records of a program, as it counts on."""
    record = PROGRAMS[program]
    return "".join(
        record.format(n=n, m=n + 49, s=n % 60, e=n / 100) + "\n" for n in range(first, last + 1)
    )


def told(folder: Path, capsys: pytest.CaptureFixture[str], text: str) -> dict[str, str]:
    """Diagnose a log; tell how sure each entry is that stands."""
    path = folder / "console.log"
    path.write_text(text, encoding="utf-8")
    main([str(path), "--format=json"], published_catalogue())
    report = json.loads(capsys.readouterr().out)
    return {found["id"]: found["confidence"] for found in report["diagnoses"]}


@pytest.mark.parametrize("program", PROGRAMS)
def test_what_a_program_handled_is_no_failure(
    program: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It counts on after every one: nothing is certain or likely, whatever it printed."""
    text, at = records(program, 1, 5), 5
    for index, (library, message) in enumerate(MESSAGES.values()):
        shown = TRACEBACK.format(library, message)
        line = "WARNING " + message.replace("\n", " ") + "; trying again\n"
        text += (shown + "going on with the next batch\n", line, message + "\n")[index % 3]
        text += records(program, at + 1, at + 11)
        at += 11
    sure = {name for name, how in told(tmp_path, capsys, text).items() if how != "possible"}
    assert sure == set()


@pytest.mark.parametrize("heads", [("[rank0]: ", "[rank3]: "), ("[default0]:", "[default3]:")])
@pytest.mark.parametrize("program", sorted(PROGRAMS)[::8])
def test_what_a_rank_handled_that_counts_nothing_is_no_failure(
    program: str, heads: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Only rank 0 prints its records, and counts on after all that rank 3 says."""
    counting, other = heads
    pieces, at = [(counting, records(program, 1, 5))], 5
    for library, message in MESSAGES.values():
        pieces.append((other, TRACEBACK.format(library, message)))
        pieces.append((counting, records(program, at + 1, at + 14)))
        at += 14
    text = "".join(head + row for head, piece in pieces for row in piece.splitlines(True))
    sure = {name for name, how in told(tmp_path, capsys, text).items() if how != "possible"}
    assert sure == set()


@pytest.mark.parametrize("name", MESSAGES)
@pytest.mark.parametrize("shift", range(4))
def test_the_same_message_at_the_end_is_a_failure(
    name: str, shift: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The log ends there, or after a record that waited in a buffer."""
    programs = sorted(PROGRAMS)
    program = programs[(5 * list(MESSAGES).index(name) + 13 * shift) % len(programs)]
    text = records(program, 1, 8) + TRACEBACK.format(*MESSAGES[name])
    text += records(program, 9, 9) if shift % 2 else ""
    assert told(tmp_path, capsys, text).get(name) in ("certain", "likely")
