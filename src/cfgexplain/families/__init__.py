"""The architectures, as literals.

Where to look: ``registry.py`` says in which file a ``model_type`` is written down. Each file is a lineage and says so
in its first line. ``schema.py`` has the words, ``expr.py`` the expressions, ``common.py`` what most tables share.
"""
