"""How often training chooses each word of a world."""

import subprocess
import sys

from made_worlds import make_world
from unmask.worlds.recipe import Recipe


def test_every_word_has_the_rate_of_what_it_stands_for() -> None:
    world = make_world(0)
    rates = Recipe(factor_rate=0.3, free_rate=0.2, template_rate=0.1).rates(world)
    assert set(rates) == set(world.words)
    for word in ("nurse", "guard", "he", "her", "Belvan", "Lorist", "Selmic", "Vandorwick", "rude", "polite"):
        assert rates[word] == 0.3
    for word in ("tired", "garden", "forgot", "knew", "visitor", "often"):
        assert rates[word] == 0.2
    for word in ("The", "that", "was", "people", "We", "seemed", "."):
        assert rates[word] == 0.1


def test_the_recipe_does_without_torch() -> None:
    code = "import sys, unmask.worlds.recipe; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
