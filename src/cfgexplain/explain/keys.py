"""Any key of a config, on one model: its value and origin, what it does, its numbers, what if it is wrong.

Asked for by name (``--key``) or all at once (``--all-keys``); a usual run does not import this.
"""

from __future__ import annotations

from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

from cfgexplain.config import walk
from cfgexplain.errors import CfgexplainError
from cfgexplain.explain import attention, eps, head, key_mixtures, key_rope, key_sizes, key_storage, moe, width
from cfgexplain.explain.base import Scope, Writer
from cfgexplain.explain.key_owners import Origin, Uses, children, every, local, origin, owners_of
from cfgexplain.explain.key_rules import arithmetic, sources
from cfgexplain.explain.key_scope import KeyScope
from cfgexplain.explain.key_topics import spellings, topic_of
from cfgexplain.explain.key_values import plain, shown
from cfgexplain.explain.key_variants import meant
from cfgexplain.families.absent import silent
from cfgexplain.lang import catalogue

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from cfgexplain.config import Settings
    from cfgexplain.explain.key_scope import Numbers
    from cfgexplain.explain.key_topics import Topic
    from cfgexplain.report import ExplanationR, Report
    from cfgexplain.subject import Subject

#: Explainers of a usual run whose text belongs to a key, where they speak of the very key that is asked for.
ALWAYS: Final[tuple[Callable[[Scope], ExplanationR | None], ...]] = (
    eps.epsilon, width.intermediate_size, moe.expert_width, attention.heads, head.tied
)  # fmt: skip
#: Those of them that begin with where the value comes from.
TELLS_ORIGIN: Final = frozenset({"rms_norm_eps", "intermediate_size"})
#: Those of them that say all that the key's own text does.
TELLS_ALL: Final = frozenset({"rms_norm_eps"})
#: Most keys of a config that are explained one by one; a config with more is no model's.
MOST: Final = 3000
#: Kinds of tensors, or names, that one sentence lists.
FEW: Final = 4
MANY: Final = 60


#: Topics that mean nothing where positions are not rotary.
ROTARY: Final = frozenset(
    {"rope_theta", "rope_scaling", "rope_type", "rope_scaling.factor", "partial_rotary_factor", "mrope_section"}
)
NOTHING: Final = walk({}, "a")


class Asked(NamedTuple):
    """A key to explain: where it is, whose it is, and the word that it was asked by."""

    path: str
    owner: Settings
    word: str


def numbers(topic: Topic) -> Numbers | None:
    """The function that adds a model's numbers, or None."""
    for module in (key_sizes, key_rope, key_mixtures, key_storage):
        found: Numbers | None = getattr(module, topic.formula, None) if topic.formula else None
        if found is not None:
            return found
    return None


def explain_keys(s: Subject, report: Report, lang: str, names: Sequence[str]) -> list[ExplanationR]:
    """One explanation for each name, in the order given.

    Raises:
        CfgexplainError: "usage"; neither the model nor any text knows the name.
    """
    scope = Scope(s, report, catalogue(lang))
    uses = Uses(s)
    usual = _usual(scope)
    return [_one(scope, uses, usual, _find(s, name), frozenset()) for name in dict.fromkeys(names)]


def explain_all(s: Subject, report: Report, lang: str) -> list[ExplanationR]:
    """Every key that the config has or the family reads, and in the end those that nothing explains."""
    scope = Scope(s, report, catalogue(lang))
    uses = Uses(s)
    usual = _usual(scope)
    out: list[ExplanationR] = []
    left: list[Asked] = []
    told: dict[str, str] = {}
    for asked in _everything(s, _rotary(scope)):
        topic = meant(topic_of(asked.path), KeyScope(scope, asked.owner, asked.path, None))
        if topic is None and not owners_of(asked.owner, asked.path):
            left.append(asked)
        elif topic is not None and topic.name in told:
            out.append(_one(scope, uses, usual, asked, frozenset(told), told[topic.name]))
        else:
            out.append(_one(scope, uses, usual, asked, frozenset()))
            if topic is not None:
                told[topic.name] = asked.path
    covered = {e["key"] for e in out}
    out.extend(e for e in report["explanations"] or () if e["key"] not in covered)
    return [*out, *_left(scope, left)]


def _usual(c: Scope) -> dict[str, list[ExplanationR]]:
    found: dict[str, list[ExplanationR]] = {}
    for explainer in ALWAYS:
        e = explainer(c)
        if e is not None:
            found.setdefault(e["key"], []).append(e)
    return found


def _find(s: Subject, name: str) -> Asked:
    """Where a name is in this model: as a path, as a key of one of its tables, or under another spelling."""
    settings = every(s)
    top = s.top.config
    for path in (name, s.main.dotted(name)):
        if walk(top, path) is not NOTHING:
            return Asked(path, _owner(settings, path), name)
    for t in settings:
        if any(name in k.names for k in t.family.keys.values()):
            there = walk(t.config, found := _present(t, name)) is not NOTHING and walk(t.config, name) is NOTHING
            return Asked(t.dotted(found if there else name), t, name)
    topic = spellings().get(name) or topic_of(name)
    for t in settings if topic else ():
        # The object that a key is in, or the key without the object that it is in.
        meant_by = (n for k in t.family.keys.values() for n in k.names if topic_of(n) is topic)
        whole = next((n for n in meant_by if f".{name}." in f".{n}."), None)
        if whole is not None:
            return Asked(t.dotted(whole), t, name)
    for t in settings:
        inside = next((p for p, _ in children(t.config, t.path) if p.rpartition(".")[2] == name), None)
        if inside is not None:
            return Asked(inside, t, name)
    if topic is None:
        raise CfgexplainError("usage", f"{s.checkpoint.target.input}: no key is called {name}", _hint(s, name))
    same = topic.same(name)
    for t in settings:
        for other in (n for k in t.family.keys.values() for n in k.names):
            if other in same:
                return Asked(t.dotted(_present(t, other)), t, name)
    for t in settings:
        other = next((p for p, _ in children(t.config, t.path) if any(f".{p}".endswith(f".{x}") for x in same)), "")
        if other:
            return Asked(other, t, name)
    return Asked(name, s.main, name)


def _present(t: Settings, name: str) -> str:
    """Of the spellings of one key, that which the config has; else the first."""
    names = next(k.names for k in t.family.keys.values() if name in k.names)
    return next((n for n in names if walk(t.config, n) is not NOTHING), names[0])


def _owner(settings: list[Settings], path: str) -> Settings:
    """The innermost model whose config holds the path; where several share one, that which reads it."""
    inside = [t for t in settings if not t.path or path == t.path or path.startswith(t.path + ".")]
    deepest = max(len(t.path) for t in inside)
    readers = [t for t in inside if owners_of(t, path)]
    return next((t for t in readers if len(t.path) == deepest), None) or next(
        (t for t in inside if len(t.path) == deepest), settings[0]
    )


def _hint(s: Subject, name: str) -> str:
    import difflib

    here = [p.rpartition(".")[2] for t in every(s) for p, _ in children(t.config, t.path)]
    near = difflib.get_close_matches(name, sorted({*here, *spellings()}), 1)
    return f"Did you mean {near[0]}?" if near else "`cfgexplain key` lists the keys that are explained."


def _everything(s: Subject, rotary: bool) -> Iterator[Asked]:
    """The keys of the config in its own order, then those that the main family reads and the config lacks."""
    settings = every(s)
    for path, _ in islice(children(s.top.config, ""), MOST):
        yield Asked(path, _owner(settings, path), path)
    t = s.main
    for own, key in {k.names[:1]: (own, k) for own, k in t.family.keys.items()}.values():
        topic = topic_of(key.names[0]) if key.names else None
        if topic is not None and topic.name in ROTARY and not rotary:
            continue
        if not silent(t.family, own) and key.names and all(walk(t.config, n) is NOTHING for n in key.names):
            yield Asked(t.dotted(key.names[0]), t, key.names[0])


def _one(
    c: Scope, uses: Uses, usual: dict[str, list[ExplanationR]], a: Asked, told: frozenset[str], above: str = ""
) -> ExplanationR:
    o = origin(a.owner, a.path)
    k = KeyScope(c, a.owner, a.path, o.value)
    topic = meant(topic_of(a.path), k)
    family = a.owner.family.id
    w = Writer(c, "key")
    # What a config of an unknown family lacks may be no key of it at all.
    unset = ("absent", "built", "off") if not c.subject.known else ("absent",) if o.while_on else ()
    word = "unset" if o.word in unset else o.word
    idle = topic is not None and topic.name in ROTARY and a.owner is c.subject.main and not _rotary(c)
    if idle:
        there = walk(a.owner.config, local(a.owner, a.path)) is not NOTHING
        o = o._replace(name="") if there else Origin("absent")
    same = usual.get(a.path, []) if not above else []
    if a.word != a.path and a.word.rpartition(".")[2] != a.path.rpartition(".")[2]:
        w.say("origin.elsewhere", family=family, key=a.path)
    whole = bool(same) and topic is not None and topic.name in TELLS_ALL
    tied = bool(same) and topic is not None and topic.name == "tie_word_embeddings" and o.value is True
    does = c.texts.text(f"key.{topic.name}.does") if topic and not (above or whole or tied) else ""
    # What a key means comes before its value; that it plays no part here comes before what it means.
    idle_first = o.word == "absent" or bool(o.unread) or idle
    if does and not idle_first:
        w.paragraph()
        w.add(does)
        w.paragraph()
    if not (same and topic is not None and topic.name in TELLS_ORIGIN):
        rule = _rule(o.rule, a.owner, w)
        w.say(f"origin.{word}", key=a.path, value=shown(o.value, w), family=family, rule=rule)
    if o.shadow:
        w.say("shadowed", other=o.shadow, family=family)
    if not c.subject.known:
        w.say("unknown-family")
    elif o.unread:
        w.say("unread-while" if o.while_on else "unread", family=family, other=o.while_on)
    if idle:
        w.say("not-rotary")
    if above:
        w.say("see", key=above)
    elif topic is None and o.name:
        w.say("unexplained")
    if does and idle_first:
        w.paragraph()
        w.add(does)
    more = numbers(topic) if topic is not None and not o.unread and not idle else None
    w.paragraph()
    if more is not None and o.word != "absent":
        more(k, w)
    for e in same:
        w.paragraph()
        w.join(e)
    if not o.unread and o.name:
        _shapes(w, uses, a.owner, o.name)
    elif c.subject.known and o.word == "config" and topic is not None and topic.after in ("silent", "shape", "flag"):
        w.say("not-structural", family=family)
    if topic is not None and not above and not o.unread and not idle:
        _advice(c, w, uses, topic, k, whole)
    title = "title.unset" if o.value is None and o.word not in ("config", "null") else "title"
    title = "title.object" if isinstance(o.value, dict) else title
    source = "config" if o.word in ("config", "null", "object", "unknown") else "derived" if o.word in (
        "derived", "null-derived", "varies") else "default"
    return w.done(a.path, plain(o.value), source, title=title, key=a.path, value=shown(o.value, w))


def _rule(rule: str, t: Settings, w: Writer) -> str:
    """What a value is derived from: a formula over keys, or the keys alone; spelled as the config has them."""
    if not rule:
        return ""
    spelled = partial(_present, t)
    return arithmetic(rule, t.family, spelled) or w.listed(sources(rule, t.family, spelled))


def _rotary(c: Scope) -> bool:
    """Whether positions are rotary, or may be."""
    model = c.report["model"]
    return model is None or model["positions"]["kind"] in (None, "rope")


def _shapes(w: Writer, uses: Uses, owner: Settings, name: str) -> None:
    """Tensors that depend on it, as the family's table has them."""
    w.paragraph()
    for word, found in (("shapes", uses.shapes(owner, name)), ("decides", uses.conditions(owner, name))):
        if found:
            more = len(found) - FEW
            w.say(f"{word}-more" if more > 0 else word, names=w.listed(found[:FEW]), count=more)


def _advice(c: Scope, w: Writer, uses: Uses, topic: Topic, k: KeyScope, told: bool) -> None:
    """If it is wrong, whether it can be changed (where that is not told yet), what to read beside it."""
    if not told:
        w.paragraph()
        w.say("wrong", text=w.ready(c.texts.text(f"key.{topic.name}.wrong")))
        w.paragraph()
        w.say("after", text=w.ready(w.words(f"after.{topic.after}")))
    near: list[str] = []
    for other in topic.related:
        names = spellings()[other].same(other)
        name = next((n for n in names if any(n in key.names for key in k.owner.family.keys.values())), None)
        name = name or next((n for n in names if walk(k.owner.config, n) is not NOTHING), None)
        if name is None or uses.idle(k.owner, name):
            continue
        value = k.find(name)
        spelled = _present(k.owner, name) if any(name in x.names for x in k.owner.family.keys.values()) else name
        simple = isinstance(value, (int, float, str, bool))
        near.append(w.words("related.value", key=spelled, value=shown(value, w)) if simple else spelled)
    if near:
        w.paragraph()
        w.say("related", names=w.listed(near))
    w.refer(*topic.refs)


def _left(c: Scope, left: list[Asked]) -> list[ExplanationR]:
    """The keys that neither a text nor a table knows, in one entry."""
    if not left:
        return []
    w = Writer(c, "key")
    names = [a.path for a in left]
    family = c.subject.main.family.id
    w.say("left.text" if c.subject.known else "left.text.unknown", family=family, names=w.listed(names[:MANY]))
    dead = [a.path for a in left if a.path.rpartition(".")[2] in a.owner.family.unread]
    if dead:
        w.say("left.unread", names=w.listed(dead[:MANY]))
    return [w.done("config", names[:MOST], "config", title="left.title", count=len(names))]
