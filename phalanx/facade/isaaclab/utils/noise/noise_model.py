"""Noise as functions, and models that keep a state for each environment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from phalanx.facade.arrays import api_of
from phalanx.facade.namespaces import common, device_of, namespace, normal, rows, uniform, zeros

if TYPE_CHECKING:
    from phalanx.facade.isaaclab.utils.noise import noise_cfg


def constant_noise(data: Any, cfg: noise_cfg.ConstantNoiseCfg) -> Any:
    """Data with a constant added, multiplied, or in their place."""
    data, bias = _numbers(data, cfg.bias)
    return _apply(data, _plain(bias), cfg)


def uniform_noise(data: Any, cfg: noise_cfg.UniformNoiseCfg) -> Any:
    """Data with numbers uniform in [n_min, n_max) added, multiplied, or in their place."""
    data, low, high = _numbers(data, cfg.n_min, cfg.n_max)
    _, data, drawn = common(data, uniform(tuple(data.shape), device_of(data)))
    return _apply(data, drawn * _plain(high - low) + _plain(low), cfg)


def gaussian_noise(data: Any, cfg: noise_cfg.GaussianNoiseCfg) -> Any:
    """Data with numbers of a normal distribution added, multiplied, or in their place."""
    data, mean, std = _numbers(data, cfg.mean, cfg.std)
    _, data, drawn = common(data, normal(tuple(data.shape), device_of(data)))
    return _apply(data, drawn * _plain(std) + _plain(mean), cfg)


def _numbers(data: Any, *values: Any) -> tuple[Any, ...]:
    """Data, and parameters: numbers as numbers of the data's type, so that none is brought to a GPU; else arrays."""
    plain = all(isinstance(value, int | float) for value in values)
    if plain and api_of(data) is not None and str(data.dtype).endswith("float32"):
        return data, *(np.float32(value) for value in values)
    return common(data, *values)[1:]


def _plain(value: Any) -> Any:
    """A number of NumPy's as Python's, which every module multiplies arrays by without making one of it."""
    return float(value) if api_of(value) == "numpy" and not value.shape else value


def _apply(data: Any, noise: Any, cfg: noise_cfg.NoiseCfg) -> Any:
    """Combine data and noise as configured.

    Raises:
        ValueError: the operation is unknown.
    """
    if cfg.operation == "add":
        return data + noise
    if cfg.operation == "scale":
        return data * noise
    if cfg.operation == "abs":
        return namespace(data).zeros_like(data) + noise  # data that are not finite are gone, too
    raise ValueError(f'unknown operation in noise: {cfg.operation!r}; it must be "add", "scale" or "abs"')


class NoiseModel:
    """Noise without a state; the base of models that have one."""

    def __init__(self, noise_model_cfg: noise_cfg.NoiseModelCfg, num_envs: int, device: str) -> None:
        """Make a model for ``num_envs`` environments on a device."""
        self._noise_model_cfg, self._num_envs, self._device = noise_model_cfg, num_envs, device

    def reset(self, env_ids: Sequence[int] | None = None) -> None:
        """Begin anew in some environments; ``None``: in all."""

    def __call__(self, data: Any) -> Any:
        """Data with noise, (num_envs, ...)."""
        cfg = self._noise_model_cfg.noise_cfg
        return cfg.func(data, cfg)

    def apply(self, data: Any) -> Any:
        """Data with noise, (num_envs, ...): what calling the model does."""
        return self(data)


class NoiseModelWithAdditiveBias(NoiseModel):
    """Noise, and a bias that stays until the environment is reset."""

    def __init__(self, noise_model_cfg: noise_cfg.NoiseModelWithAdditiveBiasCfg, num_envs: int, device: str) -> None:
        """Make a model for ``num_envs`` environments on a device.

        Biases are zero until :meth:`reset`; those by component are drawn when the first data say how many there are.
        """
        super().__init__(noise_model_cfg, num_envs, device)
        self._bias_cfg = noise_model_cfg.bias_noise_cfg
        self._bias = zeros((num_envs, 1), device)
        self._widen = noise_model_cfg.sample_bias_per_component

    def reset(self, env_ids: Sequence[int] | None = None) -> None:
        """Draw new biases for some environments; ``None``: for all."""
        which = rows(env_ids)
        self._bias[which] = self._bias_cfg.func(0.0 * self._bias[which], self._bias_cfg)

    def __call__(self, data: Any) -> Any:
        """Data with noise and bias, (num_envs, num_components)."""
        if self._widen:
            self._widen = False
            self._bias = zeros((self._num_envs, int(data.shape[-1])), self._device)
            self.reset()
        return super().__call__(data) + self._bias
