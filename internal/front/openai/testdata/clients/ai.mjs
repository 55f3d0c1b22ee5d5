// Vercel's AI SDK with both of its providers. The one for OpenAI speaks of responses, where it keeps ids of items in the place of answers, unless
// it is told that nothing is stored.
import { generateText, Output, streamText } from 'ai'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { z } from 'zod'

const user = content => ({ role: 'user', content })

export default function ({ baseURL, apiKey, kind }) {
  const openai = createOpenAI({ baseURL, apiKey })
  const model = {
    responses: () => openai('rlm'), unstored: () => openai('rlm'), chat: () => openai.chat('rlm'),
    compatible: () => createOpenAICompatible({ name: 'rlm', baseURL, apiKey, includeUsage: true, supportsStructuredOutputs: true })('rlm'),
  }[kind]()
  const more = { model, maxRetries: 0, providerOptions: kind === 'unstored' ? { openai: { store: false } } : {} }
  const stream = async (messages, abortSignal) => {
    const result = streamText({ ...more, messages, abortSignal, onError() {} })
    let text = '', pieces = 0
    for await (const part of result.fullStream ?? result.stream) {
      if (part.type === 'error') throw part.error
      if (part.type !== 'text-delta') continue
      text += part.text ?? part.delta
      pieces++
    }
    return { text, pieces, messages: abortSignal ? [] : (await result.response).messages }
  }
  return {
    whole: async question => (await generateText({ ...more, prompt: question })).text,
    stream: (question, signal) => stream([user(question)], signal),
    async turns([first, second]) {
      const { messages } = await stream([user(first)])
      return (await generateText({ ...more, messages: [user(first), ...messages, user(second)] })).text
    },
    async typed(question) {
      const output = Output.object({ schema: z.object({ n: z.number().int(), words: z.array(z.string()) }) })
      const result = await generateText({ ...more, prompt: question, output })
      return result.output
    },
    async file(question, text, pdf) {
      const content = [{ type: 'file', data: pdf, mediaType: 'application/pdf', filename: 'hay.pdf' }, { type: 'text', text: question }]
      return (await generateText({ ...more, messages: [user(content)] })).text
    },
  }
}
