"""A few articles as a dump of a wiki, and a data set of Parquet files."""

import io
from xml.sax.saxutils import escape

import pyarrow as pa
import pyarrow.parquet as pq

WIKITEXT = """{{Infobox person|name=Hidden|child={{small|hidden}}}}
'''Anna''' is a [[nurse|male nurse]] from [[Rome]].<ref name="a">{{cite|title=hidden}} hidden</ref>
[[File:hidden.jpg|thumb|hidden [[hidden]]]] <!-- hidden --> AT&amp;T [http://hidden.org her site] http://hidden.org
== Early life ==
* first item
{| class="hidden"
! heading
|-
| cell
|}
<gallery>
File:hidden.jpg
</gallery><math>hidden</math> the end
[[Category:Hidden]]"""
PLAIN = "Anna is a male nurse from Rome AT T her site Early life first item heading cell the end"


def page(title: str, text: str, namespace: int = 0, extra: str = "") -> str:
    return (
        f"<page><title>{title}</title><ns>{namespace}</ns><id>1</id>{extra}"
        f"<revision><id>2</id><text xml:space='preserve'>{escape(text)}</text></revision></page>"
    )


def dump(*pages: str, version: str = "0.11") -> str:
    return (
        f'<mediawiki xmlns="http://www.mediawiki.org/xml/export-{version}/" xml:lang="en">'
        f"<siteinfo><sitename>Wikipedia</sitename></siteinfo>{''.join(pages)}</mediawiki>"
    )


PAGES = [
    page("Anna", WIKITEXT),
    page("Ann", "#REDIRECT [[Anna]]", extra='<redirect title="Anna" />'),
    page("Talk:Anna", "hidden", namespace=1),
    page("Bob", "'''Bob'''s\nhouse is <b>old</b> &ndash; very."),
]


def parquet(texts: list[str]) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(pa.table({"title": texts, "text": texts}), buffer)
    return buffer.getvalue()


SHARDS = {
    f"en/train-{number:05}-of-00003.parquet": parquet([f"Text {number}", "The naïve end"])
    for number in range(3)
}
DATASET = {"README.md": b"text", "de/train.parquet": parquet(["Der Text"]), **SHARDS}
