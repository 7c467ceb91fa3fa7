"""How each part of a run makes failures: the words that open its hub."""

CATEGORY_OPENINGS = {
    "hang": "A collective returns only when every rank has called it. One rank that is dead, slow "
    "or elsewhere makes all others wait, and those that print the timeout are the healthy ones.",
    "crash": "The first exception ends one rank. Its peers then lose a connection and print errors "
    "of their own, which are louder and come from more ranks than the one that matters.",
    "killed": "A signal that cannot be caught leaves nothing in the log of the process. Who sent "
    "it, and why, stands with the sender: the kernel, the scheduler, the launcher.",
    "out-of-memory": "A GPU refuses an allocation with an exception that names the sizes. A host "
    "grants what it does not have and kills a process later, without a word in its log.",
    "storage": "A write that succeeded may still be lost, and a mount that does not answer raises "
    "no error: the process waits in the kernel, where no signal reaches it.",
    "data-loading": "Workers are processes of their own. When one ends, the rank learns only that, "
    "and a batch that one rank cannot read holds up all of them in the next collective.",
    "network": "A rank sees of a peer only that its connection closed or never opened. Whether the "
    "peer died, the name did not resolve or the wrong interface was taken is told elsewhere.",
    "hardware": "A device reports its fault to the kernel's log first; the program sees a CUDA "
    "error or a hang later, often at a call that has nothing to do with it.",
    "environment": "Driver, libraries and packages are built against each other. A pair that does "
    "not match fails at import or at the first kernel, or on one node that differs from the "
    "others.",
    "launch": "Before the first step each rank must learn its number, find rank 0 and meet all "
    "others. One that is missing or misnamed stops everybody, and the complaint comes from the "
    "rest.",
    "numerics": "Nothing raises: the run goes on and writes checkpoints. The first bad value is "
    "what counts, and what is printed later follows from it.",
    "performance": "Ranks wait for each other at every step, so that one slow rank, disk or device "
    "sets the pace of all, and each of them looks equally slow.",
    "checkpoint": "What was saved under one layout of ranks, names and versions is read under "
    "another, or was never written whole. The run that fails is often not the one that broke it.",
    "scheduler": "The cluster ends a job for reasons of its own: time, priority, a lost node. The "
    "job sees a signal, and the reason stands with the scheduler.",
}

PHASE_OPENINGS = {
    "import": "Nothing has been computed yet, and every rank fails alike unless its node differs: "
    "packages, libraries and drivers that do not match.",
    "launch": "Ranks start, find each other and agree on devices. Those that wait complain about "
    "those that are missing.",
    "first-step": "Everything is done for the first time: kernels are built, memory grows to its "
    "real size, collectives connect, the first batch comes. What cannot work ends here.",
    "training": "It has worked for a while, so look for what changed: a rare batch, memory that "
    "grew, a device, a link, a disk, a limit of time.",
    "evaluation": "Other code and other batch sizes run, often on fewer ranks, while the rest wait "
    "at the next collective.",
    "save": "All ranks write at once, or all wait for the one that does. Space, quota, time and a "
    "run that ends in the middle decide whether the file is whole.",
    "resume": "The new run reads what another one wrote: names, shapes, versions and the number of "
    "ranks must agree, and the file must be whole.",
    "shutdown": "Ranks leave one after the other. What is printed here is often only the others "
    "noticing, and the result is already saved.",
}

LAYER_OPENINGS = {
    "user-code": "The traceback names a line of your own, or your program asks the framework for "
    "something that one rank does and another does not.",
    "data": "The same record fails again whenever it comes, on whatever rank gets it, while the "
    "code is unchanged.",
    "framework": "The program is right and the framework's own rules, defaults or faults of a "
    "version stop it. Look at the version first.",
    "dependency": "A package that changed under the program: an argument that is gone, a binary "
    "built for another release. Nothing of your own changed.",
    "host": "The kernel's limits decide: memory, open files, shared memory, processes. Its log "
    "says what the program cannot.",
    "storage": "Disks fill up, quotas end, mounts stop to answer. Programs learn of it late, at "
    "the close of a file or at the next read.",
    "scheduler": "Something that owns the machine decided. The run is not at fault, and its log "
    "does not say why.",
    "gpu": "The device or its driver gives up. The kernel's log names it (NVRM, Xid) before or "
    "beside the CUDA error that the program prints.",
    "interconnect": "NVLink and InfiniBand fail below the program. Collectives stall or end on all "
    "ranks at once, and counters of the link tell which one it was.",
    "network": "Names, ports and interfaces: ranks cannot meet, or meet over the wrong path.",
    "external": "A person, a terminal or a service outside ended or refused it.",
}

FRAMEWORK_OPENINGS = {
    "accelerate": "It prepares models, loaders and devices for the launcher that it starts itself, "
    "so its failures are those of torchrun and DDP under other names, and of arguments it passes "
    "on.",
    "cuda": "Kernels run after the call that started them has returned: an error shows at a later "
    "call, and the context of the process is lost with it.",
    "datasets": "It reads from the Hub and from a cache on disk. Without a network, a token or "
    "space the first rank to look fails, and others wait.",
    "deepspeed": "It divides optimizer, gradients and weights among the ranks: what one saves only "
    "the same number of ranks reads, and its loss scaler skips steps as part of its work.",
    "docker": "A container has its own shared memory, limits and libraries: what works on the host "
    "may lack room or a driver inside.",
    "gloo": "It connects ranks over plain sockets. When one process ends, its peers report a "
    "closed connection at once, and that is all they know.",
    "huggingface-hub": "Names, tokens and revisions are resolved over the network, or from a cache "
    "that must already be complete.",
    "jax": "All processes run one program and must meet before the first computation; a device "
    "that cannot be used is left out, with a warning.",
    "kubernetes": "Pods are ended from outside: by limits of memory and disk, by eviction, by a "
    "node that is lost. The reason stands in the events of the pod, not in its log.",
    "lightning": "Its trainer starts ranks, saves, evaluates and resumes by itself, so a failure "
    "of torch shows under several frames of the trainer.",
    "megatron-lm": "Several groups of ranks wait for each other at once; one that is late in a "
    "small group holds up the large one.",
    "nccl": "It moves data between GPUs and knows nothing of what its ranks do: it sees peers that "
    "do not come, links that fail, memory that cannot be shared. Cause and message are mostly on "
    "different ranks.",
    "nfs": "A server that does not answer stops every process that touches it, in the kernel, "
    "without an error.",
    "peft": "Only some weights learn. A graph without gradients, and files that hold adapters "
    "alone, are where it differs from full training.",
    "pytorch": "A process for each GPU, collectives between them, loaders below them: an error in "
    "one process is seen in all others as a lost peer or a timeout.",
    "slurm": "It ends steps and jobs by its own rules, with a signal first and a kill later; the "
    "reason is in its own messages and its accounting.",
    "torchrun": "Its agent sees only that a worker ended. It ends the others with a signal, and "
    "calls the worker that ended first the root cause, which it may not be.",
    "transformers": "The trainer builds batches, saves and resumes for you; arguments and files "
    "change from version to version, and errors come from several layers below your call.",
    "trl": "It adds generation and reference models to a training step: more memory, and more "
    "places at which ranks do different things.",
    "vllm": "It takes most of a GPU at start and runs its own workers: what training holds is "
    "missing there, and its workers end apart from those that train.",
}
