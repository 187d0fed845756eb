"""What may somebody be about to type?"""

import shutil
from pathlib import Path

from byway.backends.embedded.phrases import Phrases
from byway.model import Document, UrlId
from byway.ports import Linked
from byway.url import normalise

URL = normalise("http://a.org/")


def called(folder: Path, *titles: str) -> None:
    phrases = Phrases(folder, 100)
    for title in titles:
        phrases.add(Document(URL, UrlId(hash(title)), title), Linked())
    phrases.commit()
    phrases.close()


def test_who_asks_between_the_writing_of_two_files_gets_what_there_is(tmp_path: Path) -> None:
    called(tmp_path, "Red apples")
    before = shutil.copy2(tmp_path / "phrases.npy", tmp_path / "before")
    called(tmp_path, "Red bananas", "Red cherries")
    assert len(Phrases(tmp_path, 100).beginning("red", 9)) == 3
    shutil.copy2(before, tmp_path / "phrases.npy")  # as it is until the second is written, too
    assert Phrases(tmp_path, 100).beginning("red", 9) == ["Red apples"]
