// OpenAI's own client does what the table of clients does not ask for: node client.mjs URL TOKEN. What it saw is printed as JSON.
import assert from 'node:assert/strict'
import OpenAI, { toFile } from 'openai'

const [, , url, apiKey] = process.argv
const baseURL = url + 'v1'
const long = 'hay needle hay\n'.repeat(2000)
const client = new OpenAI({ baseURL, apiKey })
const saw = {}

const user = content => ({ role: 'user', content })
const messages = [user('do: x := 41 ;; FINAL(x)')]
const first = await client.chat.completions.create({ model: 'rlm', messages })
messages.push(first.choices[0].message, user('do: x++; FINAL(x)'))
const second = await client.chat.completions.create({ model: 'rlm', messages })
saw.chat = [first.choices[0].message.content, second.choices[0].message.content]
saw.sameNotebook = first.rlm.session === second.rlm.session

const runner = client.chat.completions.stream({
  model: 'rlm', stream_options: { include_usage: true },
  messages: [user([{ type: 'text', text: long }, { type: 'text', text: 'do: fmt.Println("seen") ;; FINAL(strings.Count(context, "needle"))' }])],
})
let thought = ''
for await (const chunk of runner) thought += chunk.choices[0]?.delta?.reasoning_content ?? ''
const streamed = await runner.finalChatCompletion()
saw.streamed = streamed.choices[0].message.content
saw.thought = thought.includes('Turn 2') && thought.includes('fmt.Println("seen")') && thought.includes('seen\n')
saw.usage = (await runner.totalUsage()).total_tokens > 0

const response = await client.responses.create({ model: 'rlm', input: 'do: y := 1 ;; FINAL(y)', instructions: 'Be brief.' })
const types = []
const stream = client.responses.stream({ model: 'rlm', input: 'do: y++; FINAL(y)', previous_response_id: response.id })
stream.on('event', e => types.push(e.type))
const final = await stream.finalResponse()
saw.response = [response.output_text, final.output_text, final.status, final.output.map(o => o.type)]
saw.types = [...new Set(types)]
const retrieved = await client.responses.retrieve(final.id)
const told = r => r.output[0].summary[0].text
saw.retrieved = [retrieved.output_text, retrieved.output.map(o => o.type), told(retrieved).includes('y++; FINAL(y)'), told(final).includes('y++; FINAL(y)')]

let background = await client.responses.create({ model: 'rlm', input: 'do: FINAL("later")', background: true })
while (background.status === 'in_progress' || background.status === 'queued') {
  await new Promise(done => setTimeout(done, 50))
  background = await client.responses.retrieve(background.id)
}
saw.background = background.output_text

const file = await client.files.create({ file: await toFile(Buffer.from(long), 'hay.txt'), purpose: 'user_data' })
saw.file = [file.filename, file.bytes]
const listed = []
for await (const f of await client.files.list()) listed.push(f.id)
saw.listed = listed.includes(file.id)
saw.content = (await (await client.files.content(file.id)).text()) === long
saw.deleted = (await client.files.delete(file.id)).deleted
await assert.rejects(client.files.retrieve(file.id), OpenAI.NotFoundError)

saw.models = (await client.models.list()).data.map(m => m.id)
saw.model = (await client.models.retrieve(saw.models.at(-1))).id

const kinds = {}
const refused = async (name, kind, call) => {
  await assert.rejects(call, e => { kinds[name] = [e.status, e.param ?? null, e.code ?? null]; return e instanceof OpenAI[kind] })
}
const ask = more => client.chat.completions.create({ model: 'rlm', messages, ...more })
await refused('stop', 'BadRequestError', ask({ stop: ['\n'] }))
await refused('n', 'BadRequestError', ask({ n: 2 }))
await refused('model', 'NotFoundError', ask({ model: 'gpt-5' }))
await refused('tools', 'BadRequestError', ask({ tools: [{ type: 'function', function: { name: 'f' } }] }))
await refused('key', 'AuthenticationError', new OpenAI({ baseURL, apiKey: 'wrong' }).models.list())
saw.refused = kinds
console.log(JSON.stringify(saw))
