// OpenAI's own client; openai4.mjs is an older one.
import OpenAI, { toFile } from 'openai'
import { zodResponseFormat, zodTextFormat } from 'openai/helpers/zod'
import { z } from 'zod'

export default client({ OpenAI, toFile, zodResponseFormat, zodTextFormat, z })

const user = content => ({ role: 'user', content })

export function client({ OpenAI, toFile, zodResponseFormat, zodTextFormat, z }) {
  return ({ baseURL, apiKey, kind }) => {
    const openai = new OpenAI({ baseURL, apiKey })
    const shape = z.object({ n: z.number().int(), words: z.array(z.string()) })
    return kind === 'responses' ? responses(openai, toFile, zodTextFormat(shape, 'n')) : chat(openai, toFile, zodResponseFormat(shape, 'n'))
  }
}

function chat(openai, toFile, response_format) {
  const ask = async (messages, more) => (await openai.chat.completions.create({ model: 'rlm', messages, ...more })).choices[0].message
  return {
    whole: async question => (await ask([user(question)])).content,
    async stream(question, signal) {
      let text = '', pieces = 0
      for await (const chunk of await openai.chat.completions.create({ model: 'rlm', stream: true, messages: [user(question)] }, { signal })) {
        const piece = chunk.choices[0]?.delta?.content ?? ''
        text += piece
        pieces += piece !== ''
      }
      return { text, pieces }
    },
    turns: async ([first, second]) => (await ask([user(first), await ask([user(first)]), user(second)])).content,
    typed: async question => {
      const parse = openai.chat.completions.parse ?? openai.beta.chat.completions.parse
      const api = openai.chat.completions.parse ? openai.chat.completions : openai.beta.chat.completions
      return (await parse.call(api, { model: 'rlm', messages: [user(question)], response_format })).choices[0].message.parsed
    },
    async file(question, text) {
      const { id } = await openai.files.create({ file: await toFile(Buffer.from(text), 'hay.txt'), purpose: 'user_data' })
      return (await ask([user([{ type: 'file', file: { file_id: id } }, { type: 'text', text: question }])])).content
    },
  }
}

function responses(openai, toFile, format) {
  const ask = async (input, more) => openai.responses.create({ model: 'rlm', input, ...more })
  return {
    whole: async question => (await ask(question)).output_text,
    async stream(question, signal) {
      let text = '', pieces = 0
      for await (const event of await openai.responses.create({ model: 'rlm', input: question, stream: true }, { signal })) {
        if (event.type !== 'response.output_text.delta') continue
        text += event.delta
        pieces++
      }
      return { text, pieces }
    },
    turns: async ([first, second]) => (await ask(second, { previous_response_id: (await ask(first)).id })).output_text,
    typed: async question => (await openai.responses.parse({ model: 'rlm', input: question, text: { format } })).output_parsed,
    async file(question, text) {
      const { id } = await openai.files.create({ file: await toFile(Buffer.from(text), 'hay.txt'), purpose: 'user_data' })
      return (await ask([user([{ type: 'input_file', file_id: id }, { type: 'input_text', text: question }])])).output_text
    },
  }
}
