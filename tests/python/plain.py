"""The plain tree of the papers, for tests of what it is: γ = 512, no penalty, linear scaling."""

from functools import partial

import softwood

PLAIN = {"gamma": 512, "scaling": "minmax", "balance": False, "local_penalty": 0}

fit_plain = partial(softwood.fit_orct, **PLAIN)
