#!/usr/bin/env bash
# Makes the corpus again, with tools that nobody here wrote, and what other tools read in it. Debian 12 and the npm registry have all of
# them; `make.sh install` installs them first. Slow (two minutes), and not the same bytes every time: identifiers and dates differ.
#
#   apt-get install --no-install-recommends libreoffice-{writer,calc,impress}-nogui python3-uno chromium pandoc groff lmodern ghostscript qpdf \
#       texlive-{latex-base,latex-recommended,fonts-recommended,xetex} poppler-utils nodejs npm zstd sqlite3 zip fonts-noto-{core,cjk} fonts-dejavu \
#       python3-{openpyxl,docx,xlsxwriter,pil,nbformat}
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
sources=$here/sources corpus=$here/corpus expected=$here/expected
if [ "${1:-}" = install ]; then
	sed -n 's/^#   \(  \)*//p' "$0" | tr -d '\\\n' | DEBIAN_FRONTEND=noninteractive xargs -0 bash -c
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME=$work TZ=UTC LC_ALL=C.UTF-8 SOURCE_DATE_EPOCH=1710678600
rm -rf "$corpus" "$expected"
mkdir -p "$corpus" "$expected"
cd "$work"
cp "$sources"/* .

# office FILTER NAME... converts with LibreOffice into $work/out.
office() {
	local filter=$1
	shift
	soffice --headless -env:UserInstallation="file://$work/profile" --convert-to "$filter" --outdir out "$@" >/dev/null 2>&1
}
print() { chromium --headless --no-sandbox --disable-gpu --no-pdf-header-footer --print-to-pdf="$2" "file://$1" >/dev/null 2>&1; }

# Prose, by pandoc.
for name in report languages; do
	for format in docx odt epub html rtf ipynb; do
		pandoc -s "$name.md" -t "${format/html/html5}" -o "$corpus/$name.$format"
	done
done
pandoc slides.md -o "$corpus/slides.pptx"
pandoc -s -t html4 report.md -o "$corpus/report4.html"

# LibreOffice: from flat ODT and HTML to everything, and from one office format to another.
office docx letter.fodt && mv out/letter.docx "$corpus/letter.docx"
office odt letter.fodt && mv out/letter.odt "$corpus/letter.odt"
office rtf letter.fodt && mv out/letter.rtf "$corpus/letter.rtf"
office pdf letter.fodt && mv out/letter.pdf "$corpus/letter.pdf"
office epub letter.fodt && mv out/letter.epub "$corpus/letter.epub"
office html letter.fodt && mv out/letter.html "$corpus/letter.html"
office 'pdf:writer_web_pdf_Export:{"ExportFormFields":{"type":"boolean","value":"true"}}' form.html && mv out/form.pdf "$corpus/form.pdf"
office pdf "$corpus/languages.docx" && mv out/languages.pdf "$corpus/languages-office.pdf"
office pdf "$corpus/report.odt" && mv out/report.pdf "$corpus/report-office.pdf"
office 'pdf:writer_pdf_Export:{"SelectPdfVersion":{"type":"long","value":"1"}}' letter.fodt && mv out/letter.pdf "$corpus/letter-pdfa.pdf"
office odp "$corpus/slides.pptx" && mv out/slides.odp "$corpus/slides.odp"
office pptx "$corpus/slides.odp" && mv out/slides.pptx "$corpus/slides-office.pptx"
office pdf "$corpus/slides.odp" && mv out/slides.pdf "$corpus/slides.pdf"

# Chromium's print to PDF.
cp page.html "$corpus/page.html"
print "$work/page.html" "$corpus/page.pdf"
print "$corpus/languages.html" "$corpus/languages-chromium.pdf"

# TeX and groff.
for _ in 1 2; do pdflatex -interaction=batchmode article.tex >/dev/null; done
mv article.pdf "$corpus/article.pdf"
xelatex -interaction=batchmode world.tex >/dev/null && mv world.pdf "$corpus/world.pdf"
groff -t -ms -Tps manual.ms 2>/dev/null | ps2pdf - "$corpus/manual-ps.pdf"
groff -t -ms -Tpdf manual.ms >"$corpus/manual.pdf" 2>/dev/null

# Python's libraries, the zip and zstd commands.
/usr/bin/python3 data.py "$corpus" "$expected"
office xlsx raw-costs.xlsx && mv out/raw-costs.xlsx "$corpus/costs.xlsx"
office ods raw-costs.xlsx && mv out/raw-costs.ods "$corpus/costs.ods"
office ods "$corpus/tides.xlsx" && mv out/tides.ods "$corpus/tides.ods"
zip -q -P lighthouse "$corpus/secret.zip" report.md
sqlite3 "$corpus/lights.sqlite" 'PRAGMA integrity_check' >/dev/null

# Parquet, by DuckDB: Debian has nothing that writes it.
(npm init -y && npm install --no-audit --no-fund @duckdb/node-api@1.5.6-r.1) >/dev/null 2>&1
node columns.mjs "$corpus" "$expected"

# Scans, passwords, structure: a page as a picture, qpdf's object streams and linearisation, encryption with and without a password.
pdftoppm -r 60 -gray -jpeg "$corpus/manual-ps.pdf" scan
/usr/bin/python3 - "$corpus/scan.pdf" scan*.jpg <<'EOF'
import sys
from PIL import Image
pages = [Image.open(p).convert("L") for p in sys.argv[2:]]
pages[0].save(sys.argv[1], save_all=True, append_images=pages[1:], resolution=60)
EOF
qpdf --empty --pages "$corpus/article.pdf" 1 "$corpus/scan.pdf" 1 -- "$corpus/half-scan.pdf"
qpdf --linearize --object-streams=generate "$corpus/page.pdf" "$corpus/linearized.pdf"
qpdf --qdf --object-streams=disable "$corpus/article.pdf" "$corpus/article-plain.pdf"
qpdf --allow-weak-crypto --encrypt "" owner 40 -- "$corpus/manual-ps.pdf" "$corpus/encrypted-rc4-40.pdf"
qpdf --allow-weak-crypto --encrypt "" owner 128 --use-aes=n -- "$corpus/manual-ps.pdf" "$corpus/encrypted-rc4-128.pdf"
qpdf --allow-weak-crypto --encrypt "" owner 128 --use-aes=y -- "$corpus/manual-ps.pdf" "$corpus/encrypted-aes-128.pdf"
qpdf --encrypt "" owner 256 -- "$corpus/manual-ps.pdf" "$corpus/encrypted-aes-256.pdf"
qpdf --encrypt user "" 256 --allow-insecure -- "$corpus/manual-ps.pdf" "$corpus/owner-aes-256.pdf" # its owner has no password
qpdf --encrypt lighthouse owner 256 -- "$corpus/manual-ps.pdf" "$corpus/secret.pdf"
soffice --headless --invisible --norestore -env:UserInstallation="file://$work/profile" '--accept=pipe,name=rlmcorpus;urp;' >/dev/null 2>&1 &
/usr/bin/python3 secret.py "$work/letter.fodt" "MS Word 2007 XML" "$corpus/secret.docx" "$work/letter.fodt" writer8 "$corpus/secret.odt" \
	"$corpus/costs.xlsx" "Calc MS Excel 2007 XML" "$corpus/secret.xlsx" "$corpus/costs.xlsx" calc8 "$corpus/secret.ods"
wait

# What other tools read.
for f in "$corpus"/*.pdf; do
	name=$(basename "$f")
	case $name in secret.pdf | scan.pdf) continue ;; esac
	pdftotext "$f" "$expected/$name.txt"
	pdftotext -layout "$f" "$expected/$name.layout.txt"
done
for f in "$corpus"/*.{docx,odt,epub,html,rtf,ipynb}; do
	name=$(basename "$f")
	case $name in secret.* | reach.ipynb) continue ;; esac
	pandoc --columns=200 -t plain "$f" -o "$expected/$name.txt"
done
pandoc --columns=200 -t plain article.tex -o "$expected/article.tex.txt"
pandoc --columns=200 -t plain world.tex -o "$expected/world.tex.txt"
office 'txt:Text (encoded):UTF8' "$corpus/letter.odt" && mv out/letter.txt "$expected/letter.odt.txt"
for f in "$corpus"/slides.{pptx,odp} "$corpus/slides-office.pptx"; do
	name=$(basename "$f")
	office pdf "$f" && pdftotext "out/${name%.*}.pdf" "$expected/$name.txt"
done
for f in "$corpus"/{costs,tides}.{xlsx,ods}; do
	name=$(basename "$f")
	rm -rf out/*.csv
	office 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false,false,false,-1' "$f"
	for sheet in out/"${name%.*}"-*.csv; do
		mv "$sheet" "$expected/$name.$(basename "${sheet#*"${name%.*}"-}" | LC_ALL=C tr -c 'A-Za-z0-9.\n-' _)"
	done
done
du -sh "$corpus" "$expected"
