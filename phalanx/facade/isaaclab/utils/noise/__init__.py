"""Noise on observations: functions of data and a configuration, and models with a state for each environment."""

from phalanx.facade.isaaclab.utils.noise.noise_cfg import (
    ConstantNoiseCfg,
    GaussianNoiseCfg,
    NoiseCfg,
    NoiseModelCfg,
    NoiseModelWithAdditiveBiasCfg,
    UniformNoiseCfg,
)
from phalanx.facade.isaaclab.utils.noise.noise_model import (
    NoiseModel,
    NoiseModelWithAdditiveBias,
    constant_noise,
    gaussian_noise,
    uniform_noise,
)

# Names of older versions.
ConstantBiasNoiseCfg = ConstantNoiseCfg
AdditiveUniformNoiseCfg = UniformNoiseCfg
AdditiveGaussianNoiseCfg = GaussianNoiseCfg

__all__ = [
    "AdditiveGaussianNoiseCfg",
    "AdditiveUniformNoiseCfg",
    "ConstantBiasNoiseCfg",
    "ConstantNoiseCfg",
    "GaussianNoiseCfg",
    "NoiseCfg",
    "NoiseModel",
    "NoiseModelCfg",
    "NoiseModelWithAdditiveBias",
    "NoiseModelWithAdditiveBiasCfg",
    "UniformNoiseCfg",
    "constant_noise",
    "gaussian_noise",
    "uniform_noise",
]
