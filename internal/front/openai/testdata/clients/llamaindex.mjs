import { OpenAI } from '@llamaindex/openai'
import { z } from 'zod'

const user = content => ({ role: 'user', content })

export default function ({ baseURL, apiKey }) {
  const llm = new OpenAI({ model: 'rlm', apiKey, baseURL, maxRetries: 0 })
  const ask = async (messages, more) => (await llm.chat({ messages, ...more })).message
  return {
    whole: async question => (await ask([user(question)])).content,
    async stream(question) {
      let text = '', pieces = 0
      for await (const chunk of await llm.chat({ messages: [user(question)], stream: true })) {
        text += chunk.delta
        pieces += chunk.delta !== ''
      }
      return { text, pieces }
    },
    abort: 'it takes no signal, and hands out nothing before the text of the answer, so that there is nothing to leave',
    turns: async ([first, second]) => (await ask([user(first), await ask([user(first)]), user(second)])).content,
    typed: async question => JSON.parse((await ask([user(question)], { responseFormat: z.object({ n: z.number().int(), words: z.array(z.string()) }) })).content),
    file: async (question, text, pdf) =>
      (await ask([user([{ type: 'file', data: pdf.toString('base64'), mimeType: 'application/pdf' }, { type: 'text', text: question }])])).content,
  }
}
