"""Urls: which can be fetched, what is shown of them, and what their files are called."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from library import fault_of_url, file_name, shown_url, without_secrets


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://host:8080/@scope/a%20b.csv", "https://host:8080/@scope/a%20b.csv"),
        ("file:///data/a.csv", "file:///data/a.csv"),
        ("http://[::1]:80/a", "http://[::1]:80/a"),
        ("https://user:pass@host/a", "https://host/a"),
        ("https://user@host@host/a", "https://host/a"),
        ("https://host/a?token=x=y&sig=z&w#part", "https://host/a?token=...&sig=...&..."),
        ("https://user:pa/ss@host/a", "..."),
        ("http://[", "..."),
        ("user:pass@host/a", "..."),
        ("data.csv", "data.csv"),
    ],
)
def test_what_is_shown_of_a_url(url: str, shown: str) -> None:
    assert shown_url(url) == shown
    if "://" in url:
        assert without_secrets(f"could not get {url} (gone)") == f"could not get {shown} (gone)"


@given(
    st.text(max_size=5),
    st.text(max_size=5),
    st.text("/?#&=@:[]\\% ab", max_size=12),
    st.booleans(),
)
def test_no_url_shows_its_secrets(user: str, path: str, odd: str, asks: bool) -> None:
    url = f"https://{user}:SECRET@host/{path}{odd}" + ("?token=SECRET" if asks else "")
    if fault := fault_of_url(url):
        assert "SECRET" not in fault
    # a name with a slash in it ends the host, and what follows is a path
    elif not set(user) & set("/?#"):
        assert "SECRET" not in shown_url(url) + file_name(url)


FAULTY = (
    *("ftp://host/a", "data.csv", "http:///a", "http://[/a", "http://user:pass@/a", "http://host:0/a"),
    *("http://user:pa/ss@host/a", "http://host/a\n", "http://host/..", f"http://host/{'a' * 201}"),
    *("file://host/a", "file:///"),
)


@pytest.mark.parametrize("url", FAULTY)
def test_what_cannot_be_fetched_is_said_without_the_url(url: str) -> None:
    said = fault_of_url(url)
    assert said and said.startswith("not ") and url not in said


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://host/d/a.csv?raw=true#part", "a.csv"),
        ("https://host/d/", "d"),
        ("https://user:pass@host:80", "host"),
        ("https://host/get?token=a.secret", "get"),
        ("file:///d/a%20b.csv", "a%20b.csv"),
        ("file://localhost/d/a", "a"),
    ],
)
def test_the_name_of_a_file_has_nothing_of_a_secret(url: str, name: str) -> None:
    assert (fault_of_url(url), file_name(url)) == (None, name)
