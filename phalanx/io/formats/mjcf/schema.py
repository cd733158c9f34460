"""What MJCF files may hold: elements, and which of their attributes are used, ignored or told of.

Attributes that only matter to pictures, sensors or another solver's workings are ignored. ``unsupported`` ones would
change the motion, so whoever uses them is told, unless their value says that they are off.
"""

from __future__ import annotations

from dataclasses import dataclass

from phalanx.io.formats.mjcf.notes import Notes
from phalanx.io.reading.xmltree import Element
from phalanx.models.checks import nearest

POSE = "pos quat axisangle euler xyaxes zaxis"
OFF = {"0", "0.0", "none", "false", "auto", "disable"}


@dataclass(frozen=True)
class Known:
    """Attributes of an element."""

    used: frozenset[str]
    ignored: frozenset[str]
    unsupported: frozenset[str]


def _known(used: str, ignored: str = "", unsupported: str = "") -> Known:
    return Known(frozenset(used.split()), frozenset(ignored.split()), frozenset(unsupported.split()))


_ACTUATOR = "name class group ctrllimited ctrlrange forcelimited forcerange gear joint jointinparent tendon"
_ACTUATOR_OFF = "cranklength delay armature damping nsample interp"
_PLACES = "site refsite slidersite cranksite body"
_TENDON = "name class limited range springlength stiffness damping"
_TENDON_OFF = (
    "frictionloss armature actuatorfrcrange springyield margin solreflimit solimplimit solreffriction solimpfriction"
)
_TENDON_IGNORED = "group material rgba width user actuatorfrclimited"

ATTRIBUTES = {
    "mujoco": _known("model"),
    "mujocoinclude": _known("model"),
    "include": _known("file"),
    "compiler": _known(
        "angle autolimits balanceinertia boundinertia boundmass coordinate eulerseq inertiafromgeom inertiagrouprange "
        "meshdir assetdir settotalmass strippath fitaabb",
        "texturedir discardvisual usethread fusestatic conflict passthrough savecanonical savecompiled saveinertial "
        "convexhull exactmeshinertia",
        "alignfree",
    ),
    "option": _known(
        "timestep gravity integrator density viscosity wind actuatorgroupdisable",
        "apirate impratio solver iterations tolerance ls_iterations ls_tolerance noslip_iterations noslip_tolerance "
        "ccd_iterations ccd_tolerance mpr_iterations mpr_tolerance sdf_iterations sdf_initpoints jacobian cone "
        "sleep_tolerance magnetic o_margin o_solref o_solimp o_friction",
        "collision",
    ),
    "default": _known("class"),
    "body": _known(
        f"name childclass mocap gravcomp {POSE}",
        "user simple fuse sleep",
    ),
    "worldbody": _known(""),
    "frame": _known(f"name childclass {POSE}"),
    "replicate": _known("count offset euler sep"),
    "attach": _known("model body prefix", "frame"),
    "inertial": _known(f"mass diaginertia fullinertia {POSE}"),
    "joint": _known(
        "name class type pos axis range limited ref stiffness springref damping armature frictionloss "
        "actuatorfrcrange actuatorfrclimited springdamper solreflimit solimplimit",
        "group user",
        "springyield margin actuatorgravcomp solreffriction solimpfriction",
    ),
    "freejoint": _known("name", "group", "align"),
    "geom": _known(
        f"name class type {POSE} size fromto contype conaffinity condim friction mass density margin gap group "
        "material rgba mesh hfield shellinertia fitscale priority solmix solref solimp",
        "user castshadow",
        "fluidshape fluidcoef adhesion surfacevel",
    ),
    "flexcomp": _known(
        f"name type dim count spacing scale mass radius rigid dof file point element {POSE}",
        "group material rgba flatskin inertiabox texcoord cellcount",
        "origin",
    ),
    "flexcomp contact": _known(
        "contype conaffinity friction selfcollide",
        "priority solref solimp solmix margin gap activelayers vertcollide passive",
        "condim internal",
    ),
    "flexcomp elasticity": _known("young poisson damping thickness elastic2d"),
    "flexcomp edge": _known("equality stiffness damping", "solref solimp"),
    "flexcomp pin": _known("id range grid gridrange"),
    "site": _known(f"name class type size fromto {POSE}", "group material rgba user mesh"),
    "mesh": _known(
        "name class file vertex face scale refpos refquat inertia",
        "normal texcoord smoothnormal maxhullvert content_type material",
        "builtin params",
    ),
    "hfield": _known("name file nrow ncol size elevation", "content_type"),
    "material": _known(
        "name class rgba",
        "texture emission metallic reflectance roughness shininess specular texrepeat texuniform",
    ),
    "model": _known("name file", "content_type"),
    "pair": _known("name class geom1 geom2 solref solimp", "", "condim friction margin gap adhesion solreffriction"),
    "exclude": _known("body1 body2", "name"),
    "connect": _known("name class active body1 body2 anchor site1 site2", "", "solref solimp"),
    "weld": _known("name class active body1 body2 anchor relpose site1 site2", "", "torquescale solref solimp"),
    "equality joint": _known("name class active joint1 joint2 polycoef", "", "solref solimp"),
    "equality tendon": _known("name class active tendon1 tendon2 polycoef", "", "solref solimp"),
    "equality": _known("active", "", "solref solimp"),
    "spatial": _known(_TENDON, _TENDON_IGNORED, _TENDON_OFF),
    "fixed": _known(_TENDON, _TENDON_IGNORED, _TENDON_OFF),
    "tendon": _known(_TENDON, _TENDON_IGNORED, _TENDON_OFF),
    "fixed joint": _known("joint coef"),
    "spatial site": _known("site"),
    "spatial geom": _known("geom sidesite"),
    "pulley": _known("divisor"),
    "general": _known(
        f"{_ACTUATOR} gaintype gainprm biastype biasprm dyntype dynprm inheritrange {_PLACES}",
        "user lengthrange actdim actearly actlimited actrange",
        f"{_ACTUATOR_OFF} ffrange velrange input",
    ),
    "motor": _known(f"{_ACTUATOR} {_PLACES}", "user lengthrange", _ACTUATOR_OFF),
    "position": _known(
        f"{_ACTUATOR} {_PLACES} kp kv dampratio timeconst inheritrange", "user lengthrange", _ACTUATOR_OFF
    ),
    "velocity": _known(f"{_ACTUATOR} {_PLACES} kv", "user lengthrange", _ACTUATOR_OFF),
    "damper": _known(f"{_ACTUATOR} {_PLACES} kv", "user lengthrange", _ACTUATOR_OFF),
    "keyframe": _known(""),
    "key": _known("name qpos qvel ctrl", "time", "act mpos mquat plastic"),
}
FREE = frozenset(("camera", "light", "texture", "skin", "layer", "numeric", "text", "tuple"))
"""Elements whose attributes are nobody's business."""

UNKNOWN_MEANS_LEFT_OUT = frozenset(
    ("intvelocity", "orientation", "pid", "cylinder", "muscle", "adhesion", "dcmotor", "plugin", "flex", "flexstrain")
)
"""Actuators and constraints that the engine has not; their readers say so."""

SECTIONS = {
    "read": (
        ["compiler", "option", "default", "asset", "worldbody", "contact", "equality", "tendon", "actuator", "keyframe"]
    ),
    "ignored": ["size", "statistic", "visual", "sensor", "custom"],
    "refused": ["deformable", "extension"],
}


def check(element: Element, notes: Notes, kind: str = "") -> None:
    """Refuse attributes that MJCF does not have, and take a note of those that are not simulated."""
    tag = kind or element.tag
    if tag in FREE or tag in UNKNOWN_MEANS_LEFT_OUT:
        return
    known = ATTRIBUTES[tag]
    for name, value in element.attributes.items():
        if name in known.used or name in known.ignored:
            continue
        if name not in known.unsupported:
            names = known.used | known.ignored | known.unsupported
            raise element.error(f'it has no attribute "{name}"{nearest(name, sorted(names))} Correct or remove it.')
        if not is_off(value):
            notes.attribute(element, name)


def is_off(value: str) -> bool:
    """Whether all words of a value are zero, or say no."""
    return all(word in OFF for word in value.split())


def unknown(element: Element, allowed: list[str]) -> Exception:
    """The error for an element that has no business where it is."""
    where = f" in <{element.parent.tag}>" if element.parent is not None else ""
    return element.error(f"this element is unknown{where}{nearest(element.tag, allowed)} Correct or remove it.")
