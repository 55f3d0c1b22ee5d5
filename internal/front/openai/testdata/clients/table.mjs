// A client that nobody here wrote does what the columns of the table ask for: node table.mjs ROW URL TOKEN MS. It prints a line of JSON that
// says of each column "+", why the client has no such thing, or what went wrong. MS is how long the model is silent in the last column.
import assert from 'node:assert/strict'

const [, , row, url, apiKey, ms] = process.argv
const [file, kind] = row.split('/')
const long = 'hay\n'.repeat(7500) + 'needle\n'
const words = 'abc '.repeat(20000)

// A client has: whole(question, signal) and stream(question, signal), which return the text of an answer (stream also how many pieces it came in);
// turns([question, question]), which returns the text of the second answer; typed(question), which returns a {n, words}; file(question, text, pdf),
// which sends one of them as a file. What it does not have is a text that says why, under that name or the column's.
const { default: make } = await import(`./${file}.mjs`)
const client = await make({ baseURL: url + 'v1', apiKey, kind, url })

const columns = {
  async chat() {
    assert.equal(await client.whole('do: x := 41 ;; FINAL(x+1)'), '42')
  },
  async stream() {
    const { text, pieces } = await client.stream('do: FINAL(strings.Repeat("abc ", 20000))')
    assert.equal(text.trim(), words.trim())
    assert.ok(pieces > 10, `${pieces} pieces`)
  },
  async 'second turn'() {
    assert.equal(await client.turns(['do: x := 41 ;; FINAL(x)', 'do: x++; FINAL(x)']), '42')
  },
  async schema() {
    assert.deepEqual(await client.typed('do: FINAL(Answer{N: 7, Words: []string{"a", "b"}})'), { n: 7, words: ['a', 'b'] })
  },
  async files() {
    assert.equal(await client.file('do: FINAL(strings.Count(context, "needle"))', long, pdf()), '1')
  },
  async abort() {
    const mark = `abort ${row};`
    const abort = new AbortController()
    const asked = client.stream(`do: for { time.Sleep(time.Millisecond) } // ${mark}`, abort.signal).then(() => 'ended', () => 'left')
    await until(async () => (await session(mark))?.state.doing)
    abort.abort()
    await until(async () => !(await session(mark)).state.doing)
    assert.equal((await session(mark)).status, 'stopped')
    await asked
  },
  async 'long silence'() {
    const asked = [client.stream(`lat:${ms} do: FINAL("late")`).then(s => s.text)]
    if (ms > 45_000) asked.push(client.whole(`lat:${ms} do: FINAL("late") // whole`)) // white space comes by then
    for (const text of await Promise.all(asked)) assert.equal(text, 'late')
  },
}
const needs = { chat: 'whole', stream: 'stream', 'second turn': 'turns', schema: 'typed', files: 'file', abort: 'stream', 'long silence': 'stream' }
const saw = {}
await Promise.all(Object.entries(columns).map(async ([name, column]) => {
  const lacks = client[name] ?? client[needs[name]]
  if (typeof lacks === 'string') return void (saw[name] = lacks)
  saw[name] = await column().then(() => '+', e => `${e.stack}`)
}))
console.log(JSON.stringify(saw))
process.exit() // some clients keep connections open

async function until(holds) {
  for (let tries = 0; !(await holds()); tries++) {
    assert.ok(tries < 300, 'what is waited for does not come: ' + holds)
    await new Promise(done => setTimeout(done, 200))
  }
}

// session is the one whose question has a mark in it.
async function session(mark) {
  const res = await fetch(url + 'api/v1/sessions', { headers: { Authorization: 'Bearer ' + apiKey } })
  return (await res.json()).sessions.find(s => JSON.stringify(s).includes(mark))
}

// pdf is a file of one page.
function pdf() {
  const text = 'BT /F1 12 Tf 72 720 Td (hay needle hay) Tj ET'
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${text.length} >>\nstream\n${text}\nendstream`, '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ]
  let out = '%PDF-1.4\n'
  const places = objects.map((o, i) => {
    const at = out.length
    out += `${i + 1} 0 obj\n${o}\nendobj\n`
    return String(at).padStart(10, '0') + ' 00000 n \n'
  })
  const table = out.length
  return Buffer.from(`${out}xref\n0 6\n0000000000 65535 f \n${places.join('')}trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n${table}\n%%EOF\n`)
}
