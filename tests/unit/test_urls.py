"""Urls: which can be fetched, what is shown of them, and what their files are called."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from library import (
    InputError,
    check_url,
    file_name,
    shown_url,
    without_secrets,
)
from profiles import examples


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://host/a.csv", "https://host/a.csv"),
        ("https://host:8080/@scope/a%20b.csv", "https://host:8080/@scope/a%20b.csv"),
        ("file:///data/a.csv", "file:///data/a.csv"),
        ("http://[::1]:80/a", "http://[::1]:80/a"),
        ("https://user:pass@host/a", "https://host/a"),
        ("https://user@host@host/a", "https://host/a"),
        ("https://host/a?raw=true", "https://host/a?raw=..."),
        ("https://host/a?token=x=y&sig=z&w#part", "https://host/a?token=...&sig=...&..."),
        ("https://user:pa/ss@host/a", "https://..."),
        ("http://[", "http://..."),
        ("user:pass@host/a", "..."),
        ("data.csv", "data.csv"),
    ],
)
def test_what_is_shown_of_a_url(url: str, shown: str) -> None:
    assert shown_url(url) == shown
    if "://" in url:
        assert without_secrets(f"could not get {url} (gone)") == f"could not get {shown} (gone)"


@settings(derandomize=True, deadline=None, max_examples=examples(300))
@given(
    st.text(max_size=5),
    st.text(max_size=5),
    st.text("/?#&=@:[]\\% ab", max_size=12),
    st.booleans(),
)
def test_no_url_shows_its_secrets(user: str, path: str, odd: str, asks: bool) -> None:
    url = f"https://{user}:SECRET@host/{path}{odd}" + ("?token=SECRET" if asks else "")
    try:
        check_url(url)
    except InputError as error:
        assert "SECRET" not in str(error)
        return
    # a name with a slash in it ends the host, and what follows is a path
    if not set(user) & set("/?#"):
        assert "SECRET" not in shown_url(url).partition("#")[0]
        assert "SECRET" not in file_name(url)


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("ftp://host/a", "neither http, https nor file"),
        ("data.csv", "neither http, https nor file"),
        ("http://", "its host is none"),
        ("http:///a", "its host is none"),
        ("http://[/a", "its host is none"),
        ("http://user:pass@/a", "its host is none"),
        ("http://a..b/a", "its host is none"),
        (f"http://{'a' * 64}/a", "its host is none"),
        ("http://ho st/a", "its host is none"),
        ("http://host:0/a", "its host is none"),
        ("http://host:99999/a", "its port is not a number"),
        ("http://user:pa/ss@host/a", "its port is not a number"),
        ("http://host/a\n", "it has control characters"),
        ("http://host/..", "it ends in no name"),
        (f"http://host/{'a' * 201}", "its name is longer than 200 bytes"),
        ("file://host/a", "it needs three slashes, file:///"),
        ("file:///a%00", "it has a null byte"),
        ("file:///", "it ends in no name"),
    ],
)
def test_what_cannot_be_fetched_is_told_without_the_url(url: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        check_url(url)
    assert url not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://host/d/a.csv", "a.csv"),
        ("https://host/d/a.csv?raw=true#part", "a.csv"),
        ("https://host/d/", "d"),
        ("https://user:pass@host:80", "host"),
        ("https://host/get?file=a.csv", "get.csv"),
        ("https://host/get?file=a.txt.gz", "get.txt.gz"),
        ("https://host/get?token=a.secret", "get"),
        ("file:///d/a%20b.csv", "a%20b.csv"),
    ],
)
def test_the_name_of_a_file_has_nothing_of_a_secret(url: str, name: str) -> None:
    check_url(url)
    assert file_name(url) == name
