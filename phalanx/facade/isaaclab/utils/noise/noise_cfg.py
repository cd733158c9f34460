"""What noise is like."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING
from typing import Any, Literal

from phalanx.facade.isaaclab.utils.configclass import configclass
from phalanx.facade.isaaclab.utils.noise import noise_model


@configclass
class NoiseCfg:
    """Noise without a state. Numbers may be arrays that broadcast to the data."""

    func: Callable[[Any, Any], Any] = MISSING  # pyright: ignore[reportAssignmentType]
    """``func(data, cfg)`` gives data with noise."""

    operation: Literal["add", "scale", "abs"] = "add"
    """Whether noise is added to the data, multiplied with them, or taken instead of them."""


@configclass
class ConstantNoiseCfg(NoiseCfg):
    """Always the same."""

    func: Callable[[Any, Any], Any] = noise_model.constant_noise

    bias: Any = 0.0
    """The value."""


@configclass
class UniformNoiseCfg(NoiseCfg):
    """Uniform in [n_min, n_max)."""

    func: Callable[[Any, Any], Any] = noise_model.uniform_noise

    n_min: Any = -1.0
    """The smallest value."""

    n_max: Any = 1.0
    """The largest value."""


@configclass
class GaussianNoiseCfg(NoiseCfg):
    """With a normal distribution."""

    func: Callable[[Any, Any], Any] = noise_model.gaussian_noise

    mean: Any = 0.0
    """The mean."""

    std: Any = 1.0
    """The standard deviation."""


@configclass
class NoiseModelCfg:
    """Noise of a model that is reset with its environments."""

    class_type: type = noise_model.NoiseModel
    """The model."""

    noise_cfg: NoiseCfg = MISSING  # pyright: ignore[reportAssignmentType]
    """The noise at every step."""


@configclass
class NoiseModelWithAdditiveBiasCfg(NoiseModelCfg):
    """Noise, and a bias that is drawn anew when an environment is reset."""

    class_type: type = noise_model.NoiseModelWithAdditiveBias

    bias_noise_cfg: NoiseCfg = MISSING  # pyright: ignore[reportAssignmentType]
    """What the bias is drawn from."""

    sample_bias_per_component: bool = True
    """Whether components of the data have biases of their own, or an environment has one for all."""
