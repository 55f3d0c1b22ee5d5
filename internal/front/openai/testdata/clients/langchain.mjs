import { ChatOpenAI } from '@langchain/openai'
import { z } from 'zod'

export default function ({ baseURL, apiKey, kind }) {
  const model = new ChatOpenAI({ model: 'rlm', apiKey, configuration: { baseURL }, useResponsesApi: kind === 'responses', maxRetries: 0 })
  const ask = async messages => (await model.invoke(messages)).text
  return {
    whole: ask,
    async stream(question, signal) {
      let text = '', pieces = 0
      for await (const chunk of await model.stream(question, { signal })) {
        text += chunk.text
        pieces += chunk.text !== ''
      }
      return { text, pieces }
    },
    turns: async ([first, second]) => ask([['user', first], await model.invoke(first), ['user', second]]),
    typed: question => model.withStructuredOutput(z.object({ n: z.number().int(), words: z.array(z.string()) }), { method: 'jsonSchema' }).invoke(question),
    file: (question, text, pdf) => ask([{
      role: 'user',
      content: [
        { type: 'file', source_type: 'base64', mime_type: 'application/pdf', data: pdf.toString('base64'), metadata: { filename: 'hay.pdf' } },
        { type: 'text', text: question },
      ],
    }]),
  }
}
