"""Makes workbooks, mails, notebooks, databases and archives with Python's own libraries, and says what they hold.

    data.py CORPUS EXPECTED
"""
import bz2, csv, datetime, email, email.policy, gzip, io, lzma, mailbox, os, sqlite3, subprocess, sys, tarfile, zipfile
from email.header import Header
from email.message import EmailMessage, MIMEPart
from email.mime.application import MIMEApplication
from email.mime.message import MIMEMessage
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText

corpus, expected = sys.argv[1], sys.argv[2]
at = lambda name: os.path.join(corpus, name)
then = (2024, 3, 17, 12, 30, 0)
stamp = int(datetime.datetime(*then, tzinfo=datetime.timezone.utc).timestamp())


def expect(name, text):
    with open(os.path.join(expected, name), "w", encoding="utf-8", newline="\n") as f:
        f.write(text)


WORDS = {
    "de": "Der Leuchtturm auf der Insel läutet bei Nebel; die Größe der Glocke beträgt 1,25 m.",
    "fr": "Le phare s'éteint à l'aube, et l'été les élèves comptent les œufs : 312 en tout.",
    "ru": "Маяк горит всю ночь, и смотритель пишет дневник о 48 кораблях.",
    "ja": "灯台守は毎日、風と潮と船を日誌に書き留めています。",
    "zh": "守塔人每天记录风向、潮水和过往的船只。",
    "el": "Ο φάρος ανάβει κάθε νύχτα για 1811 πλοία.",
    "ar": "تقف المنارة على جزيرة صغيرة قرب الساحل.",
    "he": "המגדלור עומד על אי קטן ליד החוף.",
}

# ---- workbooks

import openpyxl
from openpyxl.comments import Comment
from openpyxl.styles import Alignment, Font

wb = openpyxl.Workbook()
wb.properties.title, wb.properties.creator = "Costs of the lights", "Ada Brandt"
ws = wb.active
ws.title = "Costs 2023"
ws.append(["Light", "Height (m)", "Lit", "Cost", "Share", "Kept", "Since"])
for i, (name, h, lit, cost) in enumerate([
    ("Skerry Point", 31.4, True, 8777.10), ("Gull Rock", 12.0, True, 11362.00), ("Old Harbour", 7.5, False, 1388.25),
    ("Far Banks", 44.2, True, 10019.99), ("Ninefold", 19.9, True, 4980.00), ("Küste, \"Nord\"", 0.1, False, 1e-7),
]):
    ws.append([name, h, lit, cost, None, i * 1000003, datetime.date(1811 + 17 * i + 89, 1 + i, 3 + i)])
    ws.cell(ws.max_row, 5).value = f"=D{ws.max_row}/SUM(D$2:D$7)"
    ws.cell(ws.max_row, 5).number_format = "0.00%"
    ws.cell(ws.max_row, 7).number_format = "yyyy-mm-dd"
ws["A9"], ws["D9"] = "Total", "=SUM(D2:D7)"
ws["A10"] = "Merged over three cells"
ws.merge_cells("A10:C10")
ws["D10"] = "two\nlines"
ws["A1"].font = Font(bold=True)
ws["B3"].comment = Comment("measured twice", "Ada")
second = wb.create_sheet("言語 & Größe")
for tag, text in WORDS.items():
    second.append([tag, text, len(text)])
second.column_dimensions["B"].width = 60
third = wb.create_sheet("Sparse")
third["C5"], third["J40"], third["A60"] = 3.25, "far away", -17
wide = wb.create_sheet("Numbers")
wide.append(["n", "square", "root", "inverse"])
for n in range(1, 301):
    wide.append([n, n * n, round(n ** 0.5, 6), round(1 / n, 9)])
hidden = wb.create_sheet("Drafts")
hidden["A1"], hidden.sheet_state = "not for print", "hidden"
wb.save("raw-costs.xlsx")  # without computed values: LibreOffice computes and saves it again

import xlsxwriter

xw = xlsxwriter.Workbook(at("tides.xlsx"), {"default_date_format": "yyyy-mm-dd hh:mm"})
xw.set_properties({"title": "Tides", "author": "Coast guide office", "created": datetime.datetime(*then)})
bold, money, date = xw.add_format({"bold": True}), xw.add_format({"num_format": "#,##0.00"}), xw.add_format({"num_format": "yyyy-mm-dd"})
sheet = xw.add_worksheet("Tides")
sheet.write_row(0, 0, ["Day", "Low", "High", "Fee"], bold)
for i in range(40):
    sheet.write_datetime(i + 1, 0, datetime.datetime(2024, 1, 1) + datetime.timedelta(days=i), date)
    sheet.write_row(i + 1, 1, [round(0.3 + i * 0.013, 3), round(3.9 - i * 0.007, 3)])
    sheet.write_number(i + 1, 3, 1000 + i * 12.5, money)
sheet.write_rich_string(42, 0, "rich ", bold, "string", " cell")
sheet.write_url(43, 0, "https://tides.example/2024", string="all tides")
sheet.merge_range("A46:D46", "merged foot line", bold)
sheet.write_formula("A47", '=CONCATENATE("sum ",SUM(B2:B41))', None, "sum 22.14")
sheet.write_boolean("B47", True)
chart = xw.add_chart({"type": "line"})
chart.add_series({"values": "=Tides!$B$2:$B$41"})
sheet.insert_chart("F2", chart)
xw.close()

from docx import Document
from docx.shared import Pt

doc = Document()
doc.core_properties.title, doc.core_properties.author = "Minutes of the meeting", "Henrietta Osgood"
doc.core_properties.created = doc.core_properties.modified = datetime.datetime(*then)
doc.add_heading("Minutes of the meeting", 0)
doc.add_paragraph("Present were nine members; two sent apologies.")
doc.add_heading("Decisions", 1)
for line in ("The tower at Far Banks is painted in May.", "The boat is sold for 1,250.00.", "Tea costs 0.50 from now on."):
    doc.add_paragraph(line, style="List Number")
doc.add_heading("Votes", 2)
table = doc.add_table(rows=1, cols=4, style="Light Grid Accent 1")
for cell, text in zip(table.rows[0].cells, ("Motion", "Yes", "No", "Abstained")):
    cell.text = text
for row in (("Paint", "7", "1", "1"), ("Boat", "5", "4", "0"), ("Tea", "9", "0", "0")):
    for cell, text in zip(table.add_row().cells, row):
        cell.text = text
last = table.add_row().cells
last[0].merge(last[3]).text = "All votes were open."
doc.add_heading("Languages", 1)
for text in WORDS.values():
    doc.add_paragraph(text, style="List Bullet")
p = doc.add_paragraph("Closed at ")
p.add_run("half past nine").bold = True
p.add_run(" by ").italic = True
p.add_run("the chair.")
doc.sections[0].header.paragraphs[0].text = "Society of keepers"
doc.sections[0].footer.paragraphs[0].text = "Minutes, not confidential"
doc.save(at("minutes.docx"))

# ---- mail

def dump(msg, depth=0):
    """What a reader sees of a mail: the headers that matter, the text parts, the names of attachments."""
    out = []
    for name in ("From", "To", "Cc", "Subject", "Date"):
        if msg[name]:
            out.append(f"{name}: {msg[name]}")
    out.append("")
    body = msg.get_body(preferencelist=("plain", "html"))
    if body is not None:
        out.append(body.get_content())
    for part in msg.iter_attachments() if msg.is_multipart() else ():
        out.append("ATTACHMENT " + str(part.get_filename() or part.get_content_type()))
    return "\n".join(out)


def save(name, raw):
    with open(at(name), "wb") as f:
        f.write(raw)
    expect(name + ".txt", dump(email.message_from_bytes(raw, policy=email.policy.default)))


plain = EmailMessage()
plain["From"], plain["To"] = "Ada Brandt <ada@lights.example>", "Émile Duvall <emile@lights.example>, keepers@lights.example"
plain["Subject"] = "Glocke & phare: Größe, été, 灯台, маяк – a subject that is long enough to be folded over more than one line"
plain["Date"] = "Sun, 17 Mar 2024 12:30:00 +0100"
plain["Message-ID"] = "<1@lights.example>"
plain.set_content("\n".join(WORDS.values()) + "\n\n-- \nAda\n", cte="quoted-printable")
save("plain.eml", plain.as_bytes())

latin = MIMEText(WORDS["de"] + "\n" + WORDS["fr"].replace("œ", "oe") + "\n", "plain", "iso-8859-1")
latin["From"], latin["To"] = Header("Jürgen Größe", "iso-8859-1").encode() + " <j@lights.example>", "ada@lights.example"
latin["Subject"] = Header("Öl für die Lampe: 12,50 €".replace("€", "Euro"), "iso-8859-1").encode()
latin["Date"] = "Mon, 18 Mar 2024 08:00:00 +0000"
save("latin1.eml", latin.as_bytes())

for name, lang, charset, subject in (("koi8.eml", "ru", "koi8-r", "Маяк"), ("jis.eml", "ja", "iso-2022-jp", "灯台の日誌"),
                                     ("gb.eml", "zh", "gb18030", "灯塔"), ("sjis.eml", "ja", "shift_jis", "灯台"), ("greek.eml", "el", "iso-8859-7", "Ο φάρος")):
    part = MIMEText("", "plain", "us-ascii")
    del part["Content-Type"], part["Content-Transfer-Encoding"]
    part["Content-Type"] = f'text/plain; charset="{charset}"'
    part["Content-Transfer-Encoding"] = "base64"
    import base64
    part.set_payload(base64.encodebytes((WORDS[lang] + "\n").encode(charset)).decode())
    part["From"], part["To"], part["Date"] = "a@lights.example", "b@lights.example", "Mon, 18 Mar 2024 09:00:00 +0000"
    part["Subject"] = Header(subject, charset).encode()
    save(name, part.as_bytes())

rich = EmailMessage()
rich["From"], rich["To"], rich["Cc"] = "office@harbour.example", "guests@harbour.example", "chair@harbour.example"
rich["Subject"], rich["Date"] = "The rules and their price list", "Tue, 02 Apr 2024 10:15:00 +0200"
rich.set_content("Dear guests,\n\nthe rules are attached. A night costs 14.50.\n\nThe office\n")
rich.add_alternative("<html><body><p>Dear <b>guests</b>,</p><p>the rules are attached. A night costs <i>14.50</i>.</p><p>The office</p></body></html>", subtype="html")
rich.add_attachment("boat;summer;winter\nDinghy;14.50;9.75\nCutter;88.00;61.25\n", subtype="csv", filename="prices.csv")
with open(at("minutes.docx"), "rb") as f:
    rich.add_attachment(f.read(), maintype="application", subtype="vnd.openxmlformats-officedocument.wordprocessingml.document", filename="Protokoll – Größe.docx")
inner = email.message_from_bytes(latin.as_bytes(), policy=email.policy.default)
rich.add_attachment(inner)
save("attachments.eml", rich.as_bytes())

only = EmailMessage()
only["From"], only["To"], only["Subject"] = "news@coast.example", "all@coast.example", "News from the coast"
only["Date"] = "Wed, 03 Apr 2024 07:00:00 +0000"
only.set_content("<html><head><style>p{color:red}</style></head><body><h1>News</h1><p>The path is open again.</p><table><tr><td>Gull Rock</td><td>11,362.00</td></tr></table></body></html>", subtype="html", cte="base64")
with open(at("html.eml"), "wb") as f:
    f.write(only.as_bytes())
expect("html.eml.txt", "From: news@coast.example\nTo: all@coast.example\nSubject: News from the coast\n\nNews\n\nThe path is open again.\n\nGull Rock 11,362.00\n")

if os.path.exists(at("box.mbox")):
    os.remove(at("box.mbox"))
box = mailbox.mbox(at("box.mbox"))
said = []
for i, (tag, text) in enumerate(WORDS.items()):
    m = EmailMessage()
    m["From"], m["To"], m["Subject"] = f"{tag}@lights.example", "keepers@lights.example", f"Letter {i + 1}: {text[:20]}"
    m["Date"] = f"Sun, {i + 1:02d} Dec 2024 06:00:00 +0000"
    m.set_content(f"{text}\n\nFrom the keeper of the log, with a line that begins like a separator.\n>From quoted already.\n")
    if i == 3:
        m.add_attachment(b"\x00\x01\x02binary", maintype="application", subtype="octet-stream", filename="blob.bin")
    kept = mailbox.mboxMessage(m)
    kept.set_from(f"{tag}@lights.example", datetime.datetime(2024, 12, i + 1, 6).timetuple())
    box.add(kept)
    said.append(dump(email.message_from_bytes(m.as_bytes(), policy=email.policy.default)))
box.close()
expect("box.mbox.txt", "\n\n".join(said).replace("\n>From quoted", "\nFrom quoted"))

# ---- notebooks

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output, new_raw_cell

nb = new_notebook(metadata={"title": "Reach of the lights", "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}, "language_info": {"name": "python"}})
nb.cells = [
    new_markdown_cell("# Reach of the lights\n\nHow far is each light seen? Größe, 灯台.", id="a1"),
    new_code_cell("heights = {'Skerry Point': 31.4, 'Gull Rock': 12.0}\nprint(heights)", execution_count=1, id="a2",
                  outputs=[new_output("stream", name="stdout", text="{'Skerry Point': 31.4, 'Gull Rock': 12.0}\n")]),
    new_code_cell("[2.08 * h ** 0.5 for h in heights.values()]", execution_count=2, id="a3",
                  outputs=[new_output("execute_result", execution_count=2, data={"text/plain": "[11.6554, 7.2053]", "text/html": "<b>htmlonly</b>"})]),
    new_code_cell("plot(heights)", execution_count=3, id="a4",
                  outputs=[new_output("display_data", data={"image/png": "iVBORw0KGgo=", "text/plain": "<Figure size 640x480>"}),
                           new_output("error", ename="NameError", evalue="name 'plot' is not defined", traceback=["\x1b[0;31mNameError\x1b[0m: name 'plot' is not defined"])]),
    new_raw_cell("raw text of the notebook", id="a5"),
]
with open(at("reach.ipynb"), "w", encoding="utf-8", newline="\n") as f:
    nbformat.write(nb, f)
expect("reach.ipynb.txt", """Reach of the lights

How far is each light seen? Größe, 灯台.

heights = {'Skerry Point': 31.4, 'Gull Rock': 12.0}
print(heights)

{'Skerry Point': 31.4, 'Gull Rock': 12.0}

[2.08 * h ** 0.5 for h in heights.values()]

[11.6554, 7.2053]

plot(heights)

NameError: name 'plot' is not defined

raw text of the notebook
""")

# ---- databases

def database(name, encoding="UTF-8", page=4096, wal=False):
    path = at(name)
    if os.path.exists(path):
        os.remove(path)
    db = sqlite3.connect(path)
    db.execute(f"PRAGMA encoding='{encoding}'")
    db.execute(f"PRAGMA page_size={page}")
    db.executescript("""
        CREATE TABLE lights (id INTEGER PRIMARY KEY, name TEXT NOT NULL, height REAL, lit INTEGER, note);
        CREATE TABLE "log of nights" (night TEXT, "count, all" INTEGER, share NUMERIC, PRIMARY KEY (night)) WITHOUT ROWID;
        CREATE TABLE empty (a, b, c);
        CREATE INDEX by_name ON lights (name);
        CREATE VIEW tall AS SELECT name FROM lights WHERE height > 20;
    """)
    rows = [(1, "Skerry Point", 31.4, 1811, None), (2, "Gull Rock", 12.0, 1850, b"\x00\x01\xfe"), (3, "Küste, \"Nord\"", -0.5, -9223372036854775808, 1e300),
            (4, "灯台\nline", 1 / 3, 9223372036854775807, ""), (70000, "x" * 9000 + " end", None, 0, 42)]
    rows += [(100 + i, f"light {i}", i * 0.25, 1900 + i, list(WORDS.values())[i % 8]) for i in range(400)]
    db.executemany("INSERT INTO lights VALUES (?,?,?,?,?)", rows)
    db.executemany('INSERT INTO "log of nights" VALUES (?,?,?)', [(f"2024-01-{i:02d}", i * i, i / 8) for i in range(1, 32)])
    db.execute("DELETE FROM lights WHERE id BETWEEN 150 AND 160")
    db.execute("ALTER TABLE lights ADD COLUMN added TEXT DEFAULT 'later'")
    db.commit()
    db.close()


database("lights.sqlite")
database("utf16.sqlite", "UTF-16le", 1024)
for name in ("lights.sqlite", "utf16.sqlite"):
    for table in ("lights", "log of nights", "empty"):
        out = subprocess.run(["sqlite3", "-header", "-csv", at(name), f'SELECT * FROM "{table}"'], check=True, capture_output=True).stdout
        with open(os.path.join(expected, f"{name}.{table}.csv".replace(" ", "-")), "wb") as f:
            f.write(out.replace(b"\r\n", b"\n"))

# ---- archives and compression

text = ("\n".join(WORDS.values()) + "\n") * 20
members = {"notes/readme.txt": text.encode(), "notes/Größe/灯台.txt": WORDS["ja"].encode(), "data/tides.csv": b"day,low\n1,0.3\n2,0.4\n",
           "blob.bin": bytes(range(256)) * 4, "empty.txt": b""}
for name in ("minutes.docx", "latin1.eml"):
    with open(at(name), "rb") as f:
        members["deep/er/" + name] = f.read()

for name, mode, fmt in (("files.tar", "w", tarfile.PAX_FORMAT), ("files.tgz", "w:gz", tarfile.GNU_FORMAT), ("files.tar.bz2", "w:bz2", tarfile.USTAR_FORMAT), ("files.tar.xz", "w:xz", tarfile.PAX_FORMAT)):
    with tarfile.open(at(name), mode, format=fmt) as tar:
        for path, data in members.items():
            info = tarfile.TarInfo(path)
            info.size, info.mtime = len(data), stamp
            tar.addfile(info, io.BytesIO(data))
        link = tarfile.TarInfo("link")
        link.type, link.linkname, link.mtime = tarfile.SYMTYPE, "notes/readme.txt", stamp
        tar.addfile(link)
        folder = tarfile.TarInfo("notes/empty folder")
        folder.type, folder.mtime = tarfile.DIRTYPE, stamp
        tar.addfile(folder)
for name, method in (("stored.zip", zipfile.ZIP_STORED), ("deflated.zip", zipfile.ZIP_DEFLATED), ("bzip2.zip", zipfile.ZIP_BZIP2), ("lzma.zip", zipfile.ZIP_LZMA)):
    with zipfile.ZipFile(at(name), "w", method) as z:
        for path, data in members.items():
            info = zipfile.ZipInfo(path, then)
            info.compress_type = method
            z.writestr(info, data)
with zipfile.ZipFile(at("zip64.zip"), "w", zipfile.ZIP_DEFLATED) as z:
    with z.open(zipfile.ZipInfo("big/streamed.txt", then), "w", force_zip64=True) as f:
        f.write(text.encode())
with zipfile.ZipFile(at("nested.zip"), "w", zipfile.ZIP_DEFLATED) as z:
    for inner_name in ("files.tgz", "deflated.zip"):
        with open(at(inner_name), "rb") as f:
            z.writestr(zipfile.ZipInfo("archives/" + inner_name, then), f.read())
import hashlib
expect("members.txt", "".join(f"{hashlib.sha256(d).hexdigest()} {len(d)} {p}\n" for p, d in members.items()))
with open(at("log.txt.gz"), "wb") as f:
    for half in (text[:500], text[500:]):  # two members, as logrotate's appending makes them
        with gzip.GzipFile("log.txt", "wb", fileobj=f, mtime=stamp) as g:
            g.write(half.encode())
with open(at("log.txt.bz2"), "wb") as f:
    f.write(bz2.compress(text.encode()))
with open(at("log.txt.xz"), "wb") as f:
    f.write(lzma.compress(text.encode()))
subprocess.run(["zstd", "-q", "-19", "--check", "-o", at("log.txt.zst"), "-f", "-"], input=text.encode(), check=True)
subprocess.run(["zstd", "-q", "-f", "-o", at("files.tar.zst"), at("files.tar")], check=True)
expect("log.txt", text)
