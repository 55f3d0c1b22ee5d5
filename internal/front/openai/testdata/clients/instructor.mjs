// Instructor makes OpenAI's client return what fits a schema; all else is that client's.
import createInstructor from '@instructor-ai/instructor'
import OpenAI from 'openai'
import { z } from 'zod3'

const user = content => ({ role: 'user', content })
const shape = z.object({ n: z.number().int(), words: z.array(z.string()) })

export default function ({ baseURL, apiKey }) {
  const client = createInstructor({ client: new OpenAI({ baseURL, apiKey }), mode: 'JSON_SCHEMA' })
  const ask = async (messages, more) => client.chat.completions.create({ model: 'rlm', messages, ...more })
  const text = async messages => (await ask(messages)).choices[0].message
  return {
    whole: async question => (await text([user(question)])).content,
    async stream(question, signal) {
      let text = '', pieces = 0
      for await (const chunk of await client.chat.completions.create({ model: 'rlm', stream: true, messages: [user(question)] }, { signal })) {
        const piece = chunk.choices[0]?.delta?.content ?? ''
        text += piece
        pieces += piece !== ''
      }
      return { text, pieces }
    },
    turns: async ([first, second]) => (await text([user(first), await text([user(first)]), user(second)])).content,
    async typed(question) {
      const { n, words } = await ask([user(question)], { response_model: { schema: shape, name: 'Answer' } })
      return { n, words }
    },
    file: async (question, text, pdf) => {
      const file = { filename: 'hay.pdf', file_data: 'data:application/pdf;base64,' + pdf.toString('base64') }
      return (await ask([user([{ type: 'file', file }, { type: 'text', text: question }])])).choices[0].message.content
    },
  }
}
