"""The plain tree of the papers, for tests of what it is: no penalty, features scaled linearly."""

from functools import partial

import softwood

fit_plain = partial(softwood.fit_orct, scaling="minmax", local_penalty=0)
