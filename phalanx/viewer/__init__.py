"""A live viewer in the browser, by viser: worlds while they step, and recordings.

``viewer.py`` joins its parts: ``gate.py`` (ports and tokens), ``pace.py`` (play, pause, speed), ``selection.py`` (which
environments are seen and where they stand), ``meshes.py`` (what bodies look like), ``scene.py`` (what a browser shows)
and the panels.
"""
