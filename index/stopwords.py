"""English words that carry no meaning of their own in a question. Folded as `index.analysis` folds (no apostrophes)."""

from __future__ import annotations

STOP_WORDS: frozenset[str] = frozenset(
    """
    a about above after again against all am an and any are arent as at be because been before being below between both but by
    can cannot cant could couldnt did didnt do does doesnt doing dont down during each few for from further had hadnt has hasnt
    have havent having he her here hers herself him himself his how i if in into is isnt it its itself just me more most my
    myself no nor not now of off on once only or other our ours ourselves out over own same she should shouldnt so some such
    than that the their theirs them themselves then there these they theyre this those through to too under until up us very
    was wasnt we were werent what when where which while who whom why will with wont would wouldnt you your yours yourself
    yourselves
    """.split()
)
