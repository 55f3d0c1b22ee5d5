// Clients that nobody here wrote use the endpoint: node client.mjs OPENAI|AI|LANGCHAIN URL TOKEN. What they saw is printed as JSON.
import assert from 'node:assert/strict'

const [, , which, url, apiKey] = process.argv
const baseURL = url + 'v1'
const long = 'hay needle hay\n'.repeat(2000)
const saw = await { openai: openaiClient, ai: aiClient, langchain: langchainClient }[which]()
console.log(JSON.stringify(saw))

async function openaiClient() {
  const { default: OpenAI, toFile } = await import('openai')
  const { zodResponseFormat, zodTextFormat } = await import('openai/helpers/zod')
  const { z } = await import('zod')
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

  const Sum = z.object({ n: z.number().int(), words: z.array(z.string()) })
  const cell = 'do: FINAL(Answer{N: 3, Words: []string{"a", "b"}})'
  saw.parsed = (await client.chat.completions.parse({ model: 'rlm', messages: [user(cell)], response_format: zodResponseFormat(Sum, 'sum') })).choices[0].message.parsed
  saw.parsedResponse = (await client.responses.parse({ model: 'rlm', input: cell, text: { format: zodTextFormat(Sum, 'sum') } })).output_parsed

  const response = await client.responses.create({ model: 'rlm', input: 'do: y := 1 ;; FINAL(y)', instructions: 'Be brief.' })
  const types = []
  const stream = client.responses.stream({ model: 'rlm', input: 'do: y++; FINAL(y)', previous_response_id: response.id })
  stream.on('event', e => types.push(e.type))
  const final = await stream.finalResponse()
  saw.response = [response.output_text, final.output_text, final.status, final.output.map(o => o.type)]
  saw.types = [...new Set(types)]
  saw.retrieved = (await client.responses.retrieve(response.id)).output_text

  let background = await client.responses.create({ model: 'rlm', input: 'do: FINAL("later")', background: true })
  while (background.status === 'in_progress' || background.status === 'queued') {
    await new Promise(done => setTimeout(done, 50))
    background = await client.responses.retrieve(background.id)
  }
  saw.background = background.output_text

  const file = await client.files.create({ file: await toFile(Buffer.from(long), 'hay.txt'), purpose: 'user_data' })
  saw.file = [file.filename, file.bytes]
  saw.fromFile = (await client.chat.completions.create({
    model: 'rlm', messages: [user([{ type: 'file', file: { file_id: file.id } }, { type: 'text', text: 'do: FINAL(len(context))' }])],
  })).choices[0].message.content
  saw.fromResponseFile = (await client.responses.create({
    model: 'rlm', input: [user([{ type: 'input_file', file_id: file.id }, { type: 'input_text', text: 'do: FINAL(len(context))' }])],
  })).output_text
  const listed = []
  for await (const f of await client.files.list()) listed.push(f.id)
  saw.listed = listed.includes(file.id)
  saw.content = (await (await client.files.content(file.id)).text()) === long
  saw.deleted = (await client.files.delete(file.id)).deleted
  await assert.rejects(client.files.retrieve(file.id), OpenAI.NotFoundError)

  saw.models = (await client.models.list()).data.map(m => m.id)
  saw.model = (await client.models.retrieve(saw.models.at(-1))).id

  const abort = new AbortController()
  const endless = await client.chat.completions.create({ model: 'rlm', stream: true, messages: [user('do: for { time.Sleep(time.Millisecond) }')] }, { signal: abort.signal })
  let session = ''
  for await (const chunk of endless) {
    session ||= /Session (\S+)/.exec(chunk.choices[0]?.delta?.reasoning_content ?? '')?.[1] ?? ''
    if ((chunk.choices[0]?.delta?.reasoning_content ?? '').includes('Sleep')) break
  }
  abort.abort()
  for (saw.aborted = ''; saw.aborted !== 'stopped';) {
    const res = await fetch(url + 'api/v1/sessions/' + session, { headers: { Authorization: 'Bearer ' + apiKey } })
    const state = await res.json()
    saw.aborted = state.state.doing ? '' : state.status
    await new Promise(done => setTimeout(done, 50))
  }

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
  return saw
}

async function aiClient() {
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
  const { generateText, streamText, generateObject } = await import('ai')
  const { z } = await import('zod')
  const rlm = createOpenAICompatible({ name: 'rlm', baseURL, apiKey, includeUsage: true, supportsStructuredOutputs: true })
  const model = rlm('rlm')
  const saw = {}
  const first = await generateText({ model, prompt: 'do: x := 1 ;; FINAL(x)' })
  saw.text = first.text
  const again = await generateText({
    model, messages: [{ role: 'user', content: 'do: x := 1 ;; FINAL(x)' }, ...first.response.messages, { role: 'user', content: 'do: x++; FINAL(x)' }],
  })
  saw.again = again.text
  const stream = streamText({ model, system: 'Be brief.', prompt: 'do: fmt.Println("seen") ;; FINAL("streamed")' })
  let reasoning = ''
  saw.streamed = ''
  for await (const part of stream.fullStream) {
    if (part.type === 'reasoning-delta') reasoning += part.text
    if (part.type === 'text-delta') saw.streamed += part.text
    if (part.type === 'error') throw part.error
  }
  saw.reasoning = reasoning.includes('fmt.Println("seen")')
  saw.usage = (await stream.usage).totalTokens > 0
  saw.finish = await stream.finishReason
  const { object } = await generateObject({ model, schema: z.object({ n: z.number().int() }), prompt: 'do: FINAL(Answer{N: 7})' })
  saw.object = object
  return saw
}

async function langchainClient() {
  const { ChatOpenAI } = await import('@langchain/openai')
  const { z } = await import('zod')
  const chat = more => new ChatOpenAI({ model: 'rlm', apiKey, configuration: { baseURL }, ...more })
  const saw = {}
  const model = chat()
  const first = await model.invoke('do: x := 1 ;; FINAL(x)')
  saw.text = first.content
  saw.again = (await model.invoke([['user', 'do: x := 1 ;; FINAL(x)'], first, ['user', 'do: x++; FINAL(x)']])).content
  saw.streamed = ''
  for await (const chunk of await model.stream('do: FINAL("streamed")')) saw.streamed += chunk.content
  saw.usage = first.usage_metadata.total_tokens > 0
  saw.object = await model.withStructuredOutput(z.object({ n: z.number().int() }), { method: 'jsonSchema' }).invoke('do: FINAL(Answer{N: 7})')
  const response = await chat({ useResponsesApi: true }).invoke('do: FINAL("responded")')
  saw.response = response.text
  return saw
}
