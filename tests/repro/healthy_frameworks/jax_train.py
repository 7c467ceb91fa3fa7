"""JAX, Flax and Optax on the CPU: one step overflows and is skipped, and a table has nan in it."""

import logging

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax

NEEDS = ["jax", "jaxlib", "flax", "optax", "numpy"]
COMMAND = ["python", "jax_train.py"]
EXPECT = ["skipped 1 step", "nan", "training finished"]

logging.basicConfig(level=logging.INFO, format="%(levelname)s:%(asctime)s:%(name)s: %(message)s")
log = logging.getLogger("train")


class Net(nn.Module):
    """Two layers."""

    @nn.compact
    def __call__(self, rows):
        """Apply."""
        return nn.Dense(1)(nn.relu(nn.Dense(16)(rows)))


def main() -> None:
    """Train, and print a table."""
    logging.getLogger("jax").setLevel(logging.INFO)
    log.info("devices: %s", jax.devices())
    net = Net()
    key = jax.random.PRNGKey(0)
    params = net.init(key, jnp.ones((1, 8)))
    optimizer = optax.apply_if_finite(optax.adam(1e-2), max_consecutive_errors=5)
    state = optimizer.init(params)

    @jax.jit
    def step(params, state, rows):
        loss, grads = jax.value_and_grad(lambda p: (net.apply(p, rows) ** 2).mean())(params)
        updates, state = optimizer.update(grads, state, params)
        return optax.apply_updates(params, updates), state, loss, optax.global_norm(grads)

    for number in range(1, 31):
        rows = jax.random.normal(jax.random.fold_in(key, number), (32, 8))
        rows = rows * jnp.where(number == 12, 1e30, 1.0)
        params, state, loss, norm = step(params, state, rows)
        log.info("step=%d loss=%.5f grad_norm=%.4f", number, loss, norm)
    log.warning("skipped %d step whose gradient was not finite", int(state.total_notfinite))
    try:
        jnp.ones((2, 3)) @ jnp.ones((2, 3))
    except TypeError:
        log.warning("shape check of the optional head failed, head is off", exc_info=True)
    means = jnp.array([[0.5, 1.0], [jnp.nan, jnp.nan]]).mean(axis=1)
    print(
        "class | accuracy\n" + "\n".join(f"{n:5d} | {value:.3f}" for n, value in enumerate(means))
    )
    log.info("training finished, errors: 0")


if __name__ == "__main__":
    main()
