"""The build backend that pyproject.toml names: setuptools, as this machine has it.

pip hides the packages of the machine from a build and fetches those that the project asks for. Here none are fetched:
their folders are put back into the search path, so that a build needs no network."""
import site
import sys

for base in {sys.prefix, sys.base_prefix}:
    sys.path += [p for p in site.getsitepackages([base]) if p not in sys.path]
try:
    import cffi  # noqa: F401  (build_package.py needs it; here for the text below)
    import wheel  # noqa: F401
    from setuptools.build_meta import *  # noqa: F401,F403  (what pip calls)
except ImportError as e:
    sys.exit("tsmobile: building the Python package needs %s; on Debian, as root: toolchain/setup.sh core python" % e.name)


def nothing(config_settings=None):
    """What is to be installed before the build."""
    del config_settings
    return []


get_requires_for_build_wheel = get_requires_for_build_sdist = get_requires_for_build_editable = nothing
