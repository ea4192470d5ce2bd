"""Seeded draws: the same number gives the same call, in whatever process it is made."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np

MOODS = ("good", "extreme", "bad")
"""Arguments as anybody would give them; legal ones at the ends of what is allowed; wrong ones."""


class Draw:
    """What a call is drawn from."""

    def __init__(self, seed: int, number: int, mood: str | None = None) -> None:
        self.random = random.Random(f"{seed} {number}")
        self.numpy = np.random.default_rng([seed, number])
        self.mood = mood or self.random.choice(MOODS)

    def one(self, values: Sequence[Any]) -> Any:
        """Any of them."""
        return self.random.choice(values)

    def chance(self, probability: float) -> bool:
        """True so often."""
        return self.random.random() < probability

    def whole(self, low: int, high: int) -> int:
        """An integer between both, ends included."""
        return self.random.randint(low, high)

    def magnitude(self, most: float = 300.0) -> float:
        """A power of ten."""
        return 10.0 ** self.random.uniform(-most, most)
