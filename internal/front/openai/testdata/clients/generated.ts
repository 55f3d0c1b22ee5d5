// A client whose types were generated from the server's OpenAPI document does what the native API offers:
// node generated.js URL TOKEN. What it saw is printed as JSON.
import createClient from 'openapi-fetch'
import type { components, paths } from './native.js'

declare const process: { argv: string[] }

type Session = components['schemas']['Session']
type StreamedEvent = components['schemas']['StreamedEvent']

const [, , url = '', token = ''] = process.argv
const client = createClient<paths>({ baseUrl: url, headers: { Authorization: `Bearer ${token}` } })

const good = <T>({ data, error }: { data?: T; error?: components['schemas']['Told'] }): T => {
  if (data === undefined) throw new Error(error?.error.message ?? 'no data')
  return data
}

/** idle reads events of a session until it does nothing and returns those of its log. */
async function idle(id: string): Promise<StreamedEvent[]> {
  const answer = await client.GET('/api/v1/events', { params: { query: { session: [`${id}:0`] } }, parseAs: 'stream' })
  const lines = (answer.data as unknown as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream() as never) as ReadableStream<string>
  const events: StreamedEvent[] = []
  let rest = ''
  for await (const text of lines as unknown as AsyncIterable<string>) {
    const all = (rest + text).split('\n')
    rest = all.pop() ?? ''
    for (const line of all.filter((l) => l.startsWith('data: '))) {
      const { event } = JSON.parse(line.slice(6)) as components['schemas']['Streamed']
      if (event.type === 'state') {
        if (!event.data.doing) return events
      } else events.push(event)
    }
  }
  throw new Error('the stream ended')
}

const about = good(await client.GET('/api/v1/about'))
const session: Session = good(await client.POST('/api/v1/sessions', {
  params: { header: { 'Idempotency-Key': 'make' } }, body: { name: 'generated', texts: [{ name: 'hay.txt', text: 'hay needle hay' }] },
}))
const path = { id: session.id }
const ask = () => client.POST('/api/v1/sessions/{id}/ask', {
  params: { path, header: { 'Idempotency-Key': 'ask' } }, body: { question: 'do: FINAL(strings.Count(context, "needle"))', budgets: { iterations: 3 } },
})
const begun = [good(await ask())]
const events = await idle(session.id)
begun.push(good(await ask()))
good(await client.POST('/api/v1/sessions/{id}/cells', { params: { path, header: { 'Idempotency-Key': 'cell' } }, body: { source: 'n := 41 + 1' } }))
await idle(session.id)
const { variables } = good(await client.GET('/api/v1/sessions/{id}/variables', { params: { path } }))
const found = good(await client.GET('/api/v1/sessions/{id}/find', { params: { path, query: { q: 'needle', how: 'literal' } } }))
const listed = good(await client.GET('/api/v1/sessions', { params: { query: { q: 'generated', limit: 5 } } }))
const fork = good(await client.POST('/api/v1/sessions/{id}/fork', { params: { path }, body: {} }))
const missing = await client.GET('/api/v1/sessions/{id}', { params: { path: { id: 'none' } } })
await client.DELETE('/api/v1/sessions/{id}', { params: { path: { id: fork.id } } })

const ended = events.find((e) => e.type === 'run_ended')
console.log(JSON.stringify({
  owner: about.owner, name: session.state.doing ?? '', answer: ended?.type === 'run_ended' ? ended.data.answer : '',
  again: begun.map((b) => b.again ?? false), variables: variables.filter((v) => v.name === 'n').map((v) => v.preview), found: found.hits.map((h) => h.offset),
  listed: listed.total, forked: fork.id !== session.id, missing: missing.error?.error.code, removed: listed.sessions.length,
}))
