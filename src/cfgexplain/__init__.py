"""Explain a model's ``config.json`` from its own evidence: the config and the safetensors headers.

Only the ``cfgexplain`` command is a public interface. These modules may change without notice.
"""

__version__ = "0.1.0"
#: Rises when a key of the JSON is removed or changes meaning.
SCHEMA_VERSION = 1
