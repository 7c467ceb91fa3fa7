"""Keras on TensorFlow: its start-up noise, a smaller learning rate, an early stop, a nan metric."""

import keras
import numpy as np

NEEDS = ["keras", "tensorflow", "numpy"]
COMMAND = ["python", "keras_fit.py"]
EXPECT = [
    "ReduceLROnPlateau reducing learning rate",
    "early stopping",
    "mean_absolute_error",
    "nan",
]


class Share(keras.metrics.Metric):
    """A share of nothing: it has no value."""

    def update_state(self, *arguments, **named) -> None:
        """Count nothing."""

    def result(self):
        """Give what 0/0 gives."""
        return keras.ops.convert_to_tensor(float("nan"))


def main() -> None:
    """Fit until the early stop."""
    keras.utils.set_random_seed(4)
    rows = np.random.default_rng(0).normal(size=(256, 8)).astype("float32")
    noise = np.random.default_rng(1).normal(size=(256, 1)).astype("float32")
    model = keras.Sequential(
        [keras.layers.Dense(16, activation="relu", input_shape=(8,)), keras.layers.Dense(1)]
    )
    model.compile("adam", loss="mse", metrics=["mean_absolute_error", Share(name="share")])
    model.fit(
        rows,
        noise,
        validation_split=0.5,
        epochs=30,
        batch_size=16,
        callbacks=[
            keras.callbacks.ReduceLROnPlateau(patience=2, min_delta=0.1, verbose=1),
            keras.callbacks.EarlyStopping(patience=4, min_delta=0.1, verbose=1),
            keras.callbacks.TerminateOnNaN(),
            keras.callbacks.ModelCheckpoint("best.keras", save_best_only=True, verbose=1),
        ],
    )


if __name__ == "__main__":
    main()
